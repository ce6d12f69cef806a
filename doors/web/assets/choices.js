// What a click on a cell does: a stone is put there, or a piece is chosen and then its target.

import { isPoint } from './geometry.js';

/**
 * @typedef {object} Choice
 * @property {object[]} plays the legal moves of which a click plays one
 * @property {boolean} lifts whether a click selects the piece there
 */

/** Whether a move takes a piece from a cell. */
export const movesPiece = (move) => move.from !== undefined;

/** Whether the legal moves of a position need marks: stones may go to some free cells only, and do not just drop. Tiles have marks, and where
 * the game gives reasons against a move, it is an exception. */
export function needsMarks(position) {
  const { legal, cells, drops, tiles, refusals } = position;
  if (drops || tiles || refusals || !legal.length || legal.some(movesPiece)) return false;
  const open = new Set(legal.flatMap((l) => l.cells));
  return cells.some((owner, cell) => !owner && !open.has(cell) && isPoint(position, cell));
}

/**
 * The choices by cell. Other cells do nothing.
 * @param {object[]} legal the legal moves of the server's answer
 * @param {?number} selected the cell of the piece that is selected
 * @returns {Map<number, Choice>}
 */
export function choices(legal, selected) {
  const found = new Map();
  const at = (cell) => found.get(cell) ?? found.set(cell, { plays: [], lifts: false }).get(cell);
  for (const move of legal) if (movesPiece(move) && move.cells.length) at(move.from).lifts = true;
  for (const move of legal) {
    if (movesPiece(move) && move.from !== selected) continue;
    // A stone may also go onto a piece: the first click selects the piece, and the second puts the stone.
    for (const cell of move.cells) if (movesPiece(move) || cell === selected || !at(cell).lifts) at(cell).plays.push(move);
  }
  return found;
}
