// What runs have measured, as series for charts.

/**
 * A chart's series for a run. Points that were not measured or have no position on the axis are left out.
 * @param {object} chart one of those that /api/runs lists
 * @param {object[]} lines of the run
 * @param {string} axis the key of the lines that the charts lie over
 * @returns {{name: string, x: number[], values: number[], low: number[]|null, high: number[]|null}[]} with 95 % intervals if there are any
 */
export function seriesOf(chart, lines, axis) {
  const all = new Map();
  for (const line of lines) {
    for (const { series, value, interval } of line.points[chart.id] || []) {
      if (chart.axis === 'logarithmic' && value <= 0) continue;
      if (!all.has(series)) all.set(series, { name: series || chart.name, x: [], values: [], low: interval ? [] : null, high: interval ? [] : null });
      const s = all.get(series);
      s.x.push(line[axis]);
      s.values.push(value);
      s.low?.push(chart.axis === 'logarithmic' && interval[0] <= 0 ? value : interval[0]); // a logarithmic axis has no 0
      s.high?.push(interval[1]);
    }
  }
  return [...all.values()];
}

/** How strongly the curves can be smoothed, in words: the weight of what came before. */
export const SMOOTHING = { none: 0, some: 0.6, much: 0.9 };

/**
 * A series with each point averaged with those before it, whose weight falls by a factor from point to point. The weights of a
 * point's average add up to 1, so the first points are not drawn towards 0.
 */
export function smoothed(series, weight) {
  if (!weight) return series;
  const run = (values) => {
    let [sum, total] = [0, 0];
    return values && values.map((v) => {
      sum = weight * sum + v;
      total = weight * total + 1;
      return sum / total;
    });
  };
  return { ...series, values: run(series.values), low: run(series.low), high: run(series.high) };
}

/** The newest points of a chart in a run, none if it has none. */
export const newestPoints = (id, lines) => lines.findLast((line) => line.points[id])?.points[id] || [];

/** Whether the known data of a run are outdated: the run was resumed or restarted. */
export const outdated = (known, listed) => Boolean(known) && (listed.iteration < known.iteration || (listed.training && !known.training));

/** The activity of a run that this server trains or has trained, in words. phases maps its phases to words. */
export function doing({ live, iteration, iterations }, phases, lost) {
  if (live.finished || (lost && iteration >= iterations)) return iteration < iterations ? `stopped at ${iteration} of ${iterations}` : 'has ended';
  return lost ? 'may have stopped' : `is ${phases[live.phase] || live.phase}`;
}
