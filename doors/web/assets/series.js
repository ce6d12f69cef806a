// What runs have measured, as series for charts.

/**
 * A chart's series of a run, of points alone that were measured and have a place.
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
      s.low?.push(interval[0]);
      s.high?.push(interval[1]);
    }
  }
  return [...all.values()];
}

/** The newest points of a chart in a run, none if it has none. */
export const newestPoints = (id, lines) => lines.findLast((line) => line.points[id])?.points[id] || [];

/** Whether what is known of a run is no longer so: it is trained again, or was begun from its start. */
export const outdated = (known, listed) => Boolean(known) && (listed.iteration < known.iteration || (listed.training && !known.training));

/** What a run that this server trains, or has trained, is doing, in words. phases are the words for its phases. */
export function doing({ live, iteration, iterations }, phases, lost) {
  if (live.finished) return iteration < iterations ? `stopped at ${iteration} of ${iterations}` : 'has ended';
  return lost ? 'may have stopped' : `is ${phases[live.phase] || live.phase}`;
}
