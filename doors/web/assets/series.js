// What runs have measured, as series for charts.

/**
 * A chart's series for a run. Points that were not measured or have no position on the axis are left out.
 * @param {object} chart one of those that /api/runs lists
 * @param {object[]} lines of the run
 * @param {string} axis the key of the lines' values for the horizontal axis
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

/** The choices of smoothing, with the factor by which a point's weight falls from point to point. */
export const SMOOTHING = { none: 0, some: 0.6, much: 0.9 };

/**
 * A series in which each point is the mean of itself and all earlier points. Their weights fall by the factor weight from point
 * to point and add up to 1, so the first means are not biased towards 0.
 */
export function smoothed(series, weight) {
  if (!weight) return series;
  const average = (values) => {
    let [sum, total] = [0, 0];
    return values && values.map((v) => {
      sum = weight * sum + v;
      total = weight * total + 1;
      return sum / total;
    });
  };
  return { ...series, values: average(series.values), low: average(series.low), high: average(series.high) };
}

/** At most `most` points of a series, evenly spread, with the newest. */
export function thinned(series, most) {
  const step = Math.ceil(series.x.length / most);
  const pick = (values) => values && values.filter((_, i) => (values.length - 1 - i) % step === 0);
  return step <= 1 ? series : { ...series, x: pick(series.x), values: pick(series.values), low: pick(series.low), high: pick(series.high) };
}

const PALETTE = 6; // --s1 to --s6
const GOLDEN = 137.5; // degrees: hues at this distance differ from all before

/** The colour of the i-th curve or run: of the palette, then hues of their own. */
export const seriesColour = (i) => (i < PALETTE ? `var(--s${i + 1})`
  : `light-dark(oklch(0.5 0.13 ${(i * GOLDEN) % 360}), oklch(0.78 0.13 ${(i * GOLDEN) % 360}))`);

/** The newest points of a chart, [] if it has none. */
export const newestPoints = (id, lines) => lines.findLast((line) => line.points[id])?.points[id] || [];

/** Whether a run was resumed or restarted since its details became known. listed is its entry in the newest list. */
export const outdated = (known, listed) => Boolean(known) && (listed.iteration < known.iteration || (listed.training && !known.training));

/** What a run with live figures is doing, in words that follow its name. phases maps its phases to words. */
export function doing({ live, iteration, iterations }, phases, lost) {
  if (live.finished || (lost && iteration >= iterations)) return iteration < iterations ? `stopped at ${iteration} of ${iterations}` : 'has ended';
  return lost ? 'may have stopped' : `is ${phases[live.phase] || live.phase}`;
}
