// The game on the board: opening one, walking through it, playing moves. Pages hear of a new position by onPosition.

import { joinMoves } from './address.js';
import { cellsOfThings, hasThings } from './things.js';
import { get } from './api.js';
import { state, update, trouble } from './store.js';
import { Tree, moves } from './tree.js';

const listeners = new Set();
let visit = 0; // counts the places gone to, so that a late answer for an earlier one is not shown
let playing = false; // whether a move is on its way

/** Calls f after each change of the position on the board. */
export function onPosition(f) {
  listeners.add(f);
}

/** The server's position at the place on the board, null until it has come. */
export const position = () => state.tree?.node.position || null;

/** The text of moves for the server, which takes a space between any two. */
export const movesText = (node) => moves(node).join(' ');

/** Moves that stand in an answer's history. */
const played = (answer) => answer.history.map((h) => h.move);

/**
 * Opens a game at the end of moves, or at a ply of them, and keeps the variations if it is the game that is open already.
 * @param {string} game a game's name
 * @param {string} text moves in the game's notation
 * @param {?number} at the ply to go to, the end if it is null
 * @param {{fresh: boolean}} options fresh forgets what was played before
 * @throws {ApiError} with what is wrong with the game or the moves
 */
export async function openGame(game, text, at, { fresh = false } = {}) {
  const mine = ++visit;
  const end = await get('position', { game, moves: text });
  if (mine !== visit) return;
  const tree = !fresh && state.tree && state.game === end.game ? state.tree : new Tree();
  const last = tree.addLine(played(end));
  last.position = end;
  tree.go(last);
  let node = last;
  while (at !== null && node.parent && node.ply > at) node = node.parent;
  update({ game: end.game, tree });
  await goTo(node);
}

/** Goes to a place in the tree and asks the server for its position, if that is not known yet. */
export async function goTo(node) {
  const mine = ++visit;
  const { tree, game } = state;
  try {
    node.position ??= await get('position', { game, moves: movesText(node) });
  } catch (error) {
    trouble(error);
    return;
  }
  if (mine !== visit || state.tree !== tree) return;
  tree.go(node);
  update({});
  for (const f of listeners) f(node);
}

/** The game and the place on the board, as addresses have them: at is null at the end of the line. */
export function gameParams() {
  const { tree, game } = state;
  const end = tree.line().at(-1);
  return {
    game,
    moves: joinMoves(moves(end), tree.node.position?.columns),
    at: tree.node === end ? null : tree.node.ply,
  };
}

/**
 * Plays a move at the place on the board. Until its position has come, there is no place for another: that one is not played.
 * Returns whether the move is on the board.
 */
export async function playMove(move) {
  if (playing) return false;
  playing = true;
  try {
    const { tree } = state;
    const node = tree.add(tree.node, move);
    await goTo(node);
    return state.tree.node === node;
  } finally {
    playing = false;
  }
}

/** Walks along the line by a number of plies, to its ends at most. Returns whether the place has changed. */
export async function walk(plies) {
  let { node } = state.tree;
  const from = node;
  for (; plies < 0 && node.parent; plies++) node = node.parent;
  for (; plies > 0 && node.next; plies--) node = node.next;
  if (node === from) return false;
  await goTo(node);
  return true;
}

/** Goes to the variation before (-1) or after (+1) the move that led here. */
export async function sideways(step) {
  const { node } = state.tree;
  const all = node.parent?.children || [];
  const next = all[all.indexOf(node) + step];
  if (next) await goTo(next);
}

/** Where each of moves comes to lie, from a position on: their cells, as far as they are moves of this board. */
export function cellsOf(position, line) {
  if (hasThings(position)) return cellsOfThings(position, line);
  const { columns, rows, drops, column_labels: letters, row_labels: numbers } = position;
  const taken = [...position.cells];
  const cells = [];
  for (const move of line) {
    let cell = -1;
    if (drops) {
      const column = letters.indexOf(move);
      for (let row = rows - 1; row >= 0 && cell < 0; row--) {
        if (!taken[row * columns + column]) cell = row * columns + column;
      }
    } else if (letters && numbers) {
      const column = letters.indexOf(move.slice(0, 1));
      cell = numbers.indexOf(move.slice(1)) * columns + column;
    }
    if (cell < 0) break;
    taken[cell] = 1;
    cells.push(cell);
  }
  return cells;
}
