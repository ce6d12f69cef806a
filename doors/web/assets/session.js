// The game on the board: opening one, going to places in it, playing moves. onGame reports a new game, onPosition a new
// position.

import { joinMoves } from './address.js';
import { get } from './api.js';
import { loadPlayers } from './players.js';
import { state, update, trouble } from './store.js';
import { Tree, moves } from './tree.js';

const gameListeners = new Set();
const positionListeners = new Set();
let trip = 0; // counts the places gone to, so that a late answer for an earlier one is not shown
let playing = null; // the trip of the move that is on its way
let going = null; // the newest trip and its place, until it fails

/** Calls f when a game comes on the board, before onPosition, with the players given to openGame. */
export function onGame(f) {
  gameListeners.add(f);
}

/** Calls f after each change of the position on the board. */
export function onPosition(f) {
  positionListeners.add(f);
}

/** Whether a move is on its way: its position has not come yet. */
export const moving = () => playing === trip;

/** The place to which the board is going, or where it is. */
export const heading = () => (going?.trip === trip ? going.node : state.tree.node);

/** Stays at the place on the board and drops late answers. */
export function stay() {
  trip++;
}

/** The server's position at the place on the board, null until it has come. */
export const position = () => state.tree?.node.position || null;

/** The text of moves for the server, separated by spaces. */
export const movesText = (node) => moves(node).join(' ');

/** The moves in an answer's history. */
const played = (answer) => answer.history.map((h) => h.move);

/**
 * Opens a game at the end of moves, or at a ply of them, and keeps the variations if it is the game that is open already. Until it
 * has come, and who can play it, the board stays as it is. Returns false if the user has gone elsewhere meanwhile.
 * @param {string} game a game's name
 * @param {string} text moves in the game's notation
 * @param {?number} at the ply to go to, the end if it is null
 * @param {{fresh?: boolean, record?: ?object, players?: object}} options fresh forgets what was played before; record is the self-play
 *   game that it is; players are the seats that play it and that are asked, as far as they are known: {first, second, by}
 * @throws {ApiError} with what is wrong with the game or the moves
 */
export async function openGame(game, text, at, { fresh = false, record = null, players = {} } = {}) {
  const mine = ++trip;
  const end = await get('position', { game, moves: text });
  await loadPlayers(end.game);
  if (mine !== trip) return false;
  const tree = !fresh && state.tree && state.game === end.game ? state.tree : new Tree();
  const last = tree.addLine(played(end));
  last.position = end;
  tree.go(last);
  let node = last;
  while (at !== null && node.parent && node.ply > at) node = node.parent;
  update({ game: end.game, tree, record });
  for (const f of gameListeners) f(players);
  return goTo(node);
}

/**
 * Goes to a place in the tree and asks the server for its position, if that is not known yet. Returns false if the
 * user has gone elsewhere meanwhile.
 */
export async function goTo(node) {
  const mine = ++trip;
  going = { trip: mine, node };
  try {
    node.position ??= await get('position', { game: state.game, moves: movesText(node) });
  } catch (error) {
    if (going.trip === mine) going = null;
    trouble(error);
    return false;
  }
  if (mine !== trip) return false;
  state.tree.go(node);
  update({});
  for (const f of positionListeners) f(node);
  return true;
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
 * Plays a move at the place on the board. Until its position has come, or the user has gone elsewhere, further moves
 * are not played. Returns whether the move is on the board.
 */
export async function playMove(move) {
  if (moving()) return false;
  const { tree } = state;
  const going = goTo(tree.add(tree.node, move));
  const mine = trip; // set by goTo
  playing = mine;
  try {
    return await going;
  } finally {
    if (playing === mine) playing = null;
  }
}

/** The place some plies along the line, at most at its ends, null if that is where the board is. */
export function along(plies) {
  let { node } = state.tree;
  for (; plies < 0 && node.parent; plies++) node = node.parent;
  for (; plies > 0 && node.next; plies--) node = node.next;
  return node === state.tree.node ? null : node;
}

/** The variation before (-1) or after (+1) the move that led here, null if there is none. */
export function beside(step) {
  const { node } = state.tree;
  const all = node.parent?.children || [];
  return all[all.indexOf(node) + step] || null;
}
