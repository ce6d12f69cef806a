// Downloads of the charts' data.

import { seriesOf } from './series.js';

/** Makes the browser save a text as a file. */
export function save(name, type, text) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href));
}

/** The charts' data of runs as CSV, one line per point. */
export function csv(charts, runs, axis) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = charts.flatMap((chart) => runs.flatMap((run) => seriesOf(chart, run.lines, axis).flatMap((s) => s.x.map((x, i) =>
    [run.name, chart.id, s.name, x, s.values[i], s.low?.[i] ?? '', s.high?.[i] ?? ''].map((v) => quoted(String(v))).join(',')))));
  return [`run,chart,series,${axis},value,low,high`, ...lines, ''].join('\n');
}
