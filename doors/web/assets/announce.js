// Announcements for screen readers: moves, ends of games, answers.

import { movesPiece } from './choices.js';
import { capital, plural, sideName } from './format.js';

/** Announces a text, even if it is the same as the last one. */
export function say(text) {
  const place = document.getElementById('said');
  place.textContent = text + (place.textContent === text ? '\u00a0' : '');
}

/** The result of a game that is over, with the score if the game has one: "red wins", "white wins, 34 to 30",
 * "black wins by 2" or "a draw". */
export function outcome(position) {
  const result = position.winner === 'draw' ? 'a draw' : `${sideName(position, position.winner)} wins`;
  return result + score(position);
}

/** The score in words: the numbers of cells if they make the margin, else, as with komi, the margin. */
function score({ margin, cells, owners, winner }) {
  if (margin === undefined) return '';
  const [first, second] = [1, 2].map((side) => (owners ?? cells).filter((owner) => owner === side).length);
  if (first - second === margin) return `, ${Math.max(first, second)} to ${Math.min(first, second)}`;
  return winner === 'draw' ? '' : ` by ${Math.abs(margin)}`;
}

/** Whether a pass is the only legal move of a position, false if the position is not known yet. */
export const mustPass = (position) => position?.legal.length === 1 && position.legal[0].move === 'pass';

/** Whether the board shows where a move went. */
const isSeen = (move) => move.cell !== null || movesPiece(move);

/** The last move of a position in a sentence if the board does not show it, as "White passed. ", else "". */
export function unseenMove(position) {
  const last = position.history.at(-1);
  if (!position.columns || !last || isSeen(last)) return '';
  return `${capital(sideName(position, last.by))} ${last.move === 'pass' ? 'passed' : `chose ${last.move}`}. `;
}

/** Says the last move of a position that the board shows, what it changed, the passes after it, and how the game stands. */
export function sayPosition(position) {
  const recent = position.history.slice(position.history.findLastIndex(isSeen));
  const changed = position.changed.length ? `, ${plural(position.changed.length, 'cell')} changed` : '';
  const move = recent.length ? recent.map((m, i) => `${capital(sideName(position, m.by))}: ${m.move}${i ? '' : changed}. `).join('') : position.texts || position.cells.some(Boolean) ? 'No move yet. ' : 'The board is empty. ';
  const only = mustPass(position) ? ' No other move than pass is legal.' : '';
  say(move + (position.over ? `The game is over: ${outcome(position)}.` : `${capital(sideName(position, position.to_move))} to move.${only}`));
}
