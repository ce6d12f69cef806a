// The mistakes in a game: by the truth where it is known, else by the opinion that is shown.

import { reportOf } from './analysis.js';
import { RESULTS, choice, signed, worthOf } from './format.js';

// How much the value must fall for each grade. A loss and a win are 2 apart.
const SMALL = 0.25;
const LARGE = 0.6;
const LATER = 2; // how many plies later a win may come and still be as good

/**
 * A weak move.
 * @typedef {object} Mistake
 * @property {number} grade 1, a weak move, or 2, a mistake
 * @property {string[]} better moves
 * @property {string} from what the position was worth to its mover: a result, or a value
 * @property {string} to what it is worth after the move
 */

/**
 * What was wrong with the move that led to a node, null if nothing is known to be wrong. What a finished sweep or the address has said of
 * it stays: node.judged.
 * @returns {?Mistake}
 */
export function mistake(node, seat) {
  if (!node.parent) return null;
  if (node.judged !== undefined) return node.judged;
  const exact = byTruth(node);
  return exact !== undefined ? exact : byOpinion(node, seat);
}

// The mistake by the truth before the move: null for none, undefined if the truth is unknown.
function byTruth(node) {
  const { truth } = node.parent;
  const move = truth?.truth.find((t) => t.move === node.move);
  if (!truth?.result || !move?.result) return undefined;
  const slow = truth.result === 'win' && truth.score !== null && move.score !== null && move.plies > truth.plies + LATER;
  if (RESULTS[move.result] >= RESULTS[truth.result] && !slow) return null;
  return { grade: move.result === truth.result ? 1 : 2, better: truth.best, from: truth.result, to: move.result };
}

// The mistake by an opinion's values before and after the move: null for none.
function byOpinion(node, seat) {
  const before = seat && reportOf(node.parent, seat);
  const after = seat && reportOf(node, seat);
  if (!before || !after || before.best === node.move) return null;
  if (worthOf(before) === null || worthOf(after) === null) return null;
  const [was, is] = [worthOf(before), -worthOf(after)]; // for the side that moved
  if (was - is < SMALL) return null;
  const word = (value) => Object.keys(RESULTS).find((r) => Math.abs(value) === 1 && RESULTS[r] === value) ?? signed(value);
  return { grade: was - is < LARGE ? 1 : 2, better: [before.best], from: word(was), to: word(is) };
}

/** A mistake in words. */
export function describe({ better, from, to }) {
  const moves = choice(better, 3);
  if (from in RESULTS && from === to) return `wins, but later than ${moves}`;
  if (from in RESULTS && to in RESULTS) return `turns a ${from} into a ${to}${moves ? `; ${moves} would have kept it` : ''}`;
  if (from === 'win') return `overlooks a win by ${moves}`;
  return to === 'loss' ? `loses by force; ${moves} was better` : `${moves} was better: ${from} instead of ${to}`;
}

/** The number of a move in the list of moves. Each number stands for one move of each side. */
export const moveNumber = (node) => Math.ceil(node.ply / 2);

/** Whether all moves of a line have been judged, by a sweep or by the address. */
export const isJudged = (line) => line.length > 1 && line.every((node) => !node.parent || node.judged !== undefined);

/** The mistakes in the moves of a line of nodes. */
export function mistakesOf(line, seat) {
  return line.map((node) => ({ node, mistake: mistake(node, seat) })).filter((m) => m.mistake);
}

/** The mistakes of a line for the address, "none" or "12 2 c4 win draw" each, with "c4|d5" for several better moves. */
export const writeMistakes = (line, seat) => mistakesOf(line, seat).map(({ node, mistake: m }) =>
  [node.ply, m.grade, m.better.slice(0, 6).join('|'), m.from, m.to].join(' ')).join() || 'none';

/** Puts the mistakes of an address on the nodes of a line. Moves that it does not name are then known to be right. */
export function readMistakes(text, line) {
  const found = new Map(text.split(',').map((entry) => entry.split(' ')).map(([ply, grade, better, from, to]) =>
    [Number(ply), { grade: grade === '1' ? 1 : 2, better: (better || '').split('|').filter(Boolean), from: from ?? '', to: to ?? '' }]));
  for (const node of line) node.judged = found.get(node.ply) ?? null;
}
