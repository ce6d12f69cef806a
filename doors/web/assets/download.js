// Downloads: a game, or the charts' data.

import { onLines } from './geometry.js';
import { look } from './format.js';
import { seriesOf } from './series.js';

/** Makes the browser save a text as a file. */
export function save(name, type, text) {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], { type }));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href));
}

/** @type {(text: string) => string} makes a file name that all systems allow */
const fileName = (text) => text.replace(/[^\w.-]+/g, '-');

/**
 * The file of a game up to a position: SGF where stones lie on lines, else its moves, one per line.
 * @param {object} position the server's answer
 * @param {?string} resigned the side that resigned there
 * @returns {{name: string, type: string, text: string}}
 */
export function gameFile(position, resigned = null) {
  const { game, history } = position;
  if (look(position) === 'wood' && onLines(position)) return { name: `${fileName(game)}.sgf`, type: 'application/x-go-sgf', text: sgf(position, resigned) };
  return { name: `${fileName(game)}.txt`, type: 'text/plain', text: history.map((h) => `${h.move}\n`).join('') };
}

const STONES_IN_A_ROW = 4; // SGF's number for this kind of game
const RESULTS = { first: 'B+', second: 'W+', draw: 'Draw' };

/** A game in the Smart Game Format, FF[4] (https://www.red-bean.com/sgf/). A move without a cell is a pass. */
function sgf({ game, columns, rows, history, winner }, resigned) {
  const letter = (n) => String.fromCharCode((n < 26 ? 97 : 39) + n); // a to z, A to Z
  const point = (cell) => (cell === null ? '' : letter(cell % columns) + letter(Math.floor(cell / columns)));
  const moves = history.map(({ by, cell }) => `;${by === 'first' ? 'B' : 'W'}[${point(cell)}]`);
  const result = resigned ? { first: 'W+R', second: 'B+R' }[resigned] : RESULTS[winner];
  return `(;FF[4]CA[UTF-8]AP[tengen]GM[${STONES_IN_A_ROW}]GN[${game}]SZ[${columns === rows ? rows : `${columns}:${rows}`}]${
    result ? `RE[${result}]` : ''}\n${moves.join('')})\n`;
}

/** The charts' data of runs as CSV, one line per point. */
export function csv(charts, runs, axis) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = charts.flatMap((chart) => runs.flatMap((run) => seriesOf(chart, run.lines, axis).flatMap((s) => s.x.map((x, i) =>
    [run.name, chart.id, s.name, x, s.values[i], s.low?.[i] ?? '', s.high?.[i] ?? ''].map((v) => quoted(String(v))).join(',')))));
  return [`run,chart,series,${axis},value,low,high`, ...lines, ''].join('\n');
}
