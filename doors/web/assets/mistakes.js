// The mistakes in a game: by the truth where it is known, else by the opinion that is shown.

import { reportOf } from './analysis.js';
import { RESULTS, choice, worthOf } from './format.js';

// How much the value must fall for each grade. A loss and a win are 2 apart.
const SMALL = 0.25;
const LARGE = 0.6;

/**
 * What was wrong with the move that led to a node.
 * @returns {?{grade: number, text: string, sure: boolean}} grade 1, a weak move, or 2, a mistake; null if nothing is known to be wrong
 */
export function mistake(node, seat) {
  if (!node.parent) return null;
  return byTruth(node) ?? byOpinion(node, seat);
}

// The mistake by the truth before the move: null for none, undefined if the truth is unknown.
function byTruth(node) {
  const { truth } = node.parent;
  if (!truth?.result) return undefined;
  const was = RESULTS[truth.result];
  const move = truth.truth.find((t) => t.move === node.move);
  const is = move?.result ? RESULTS[move.result] : undefined;
  if (is === undefined) return undefined;
  if (is < was) {
    const better = truth.best.length ? `; ${choice(truth.best, 3)} would have kept it` : '';
    return { grade: 2, sure: true, text: `turns ${was > 0 ? 'a win' : 'a draw'} into ${is < 0 ? 'a loss' : 'a draw'}${better}` };
  }
  const slow = was > 0 && truth.score !== null && move.score !== null && move.plies > truth.plies + 2;
  return slow ? { grade: 1, sure: true, text: `wins, but ${move.plies - truth.plies} plies later than ${truth.best[0]}` } : null;
}

// The mistake by an opinion's values before and after the move: null for none.
function byOpinion(node, seat) {
  const before = seat && reportOf(node.parent, seat);
  const after = seat && reportOf(node, seat);
  if (!before || !after || before.best === node.move) return null;
  const lost = worthOf(before) + worthOf(after); // they are for opposite sides
  if (lost < SMALL) return null;
  return { grade: lost < LARGE ? 1 : 2, sure: false, text: `${seat.player} would play ${before.best}, worth ${lost.toFixed(2)} more` };
}

/** The number of a move in the list of moves. Each number stands for one move of each side. */
export const moveNumber = (node) => Math.ceil(node.ply / 2);

/** The mistakes in the moves of a line of nodes. */
export function mistakesOf(line, seat) {
  return line.map((node) => ({ node, mistake: mistake(node, seat) })).filter((m) => m.mistake);
}
