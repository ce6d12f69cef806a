// The game on the board: opening one, going to a node of its tree, playing moves. onGame reports a new game, onPosition a
// new position.

import { mustPass } from './announce.js';
import { get, post } from './api.js';
import { loadPlayers } from './players.js';
import { state, update, trouble } from './store.js';
import { Tree, moves, notation } from './tree.js';

const gameListeners = new Set();
const positionListeners = new Set();
let trip = 0; // counts the requests to go to a node, so that a late answer to an earlier one is not shown
let playing = null; // the trip of a move whose position has not come yet
let going = null; // the newest {trip, node}, null if it failed

/** Calls f when a game comes on the board, before onPosition, with the players given to openGame. */
export function onGame(f) {
  gameListeners.add(f);
}

/** Calls f after each change of the position on the board. */
export function onPosition(f) {
  positionListeners.add(f);
}

/** Whether a move is on its way. */
export const moving = () => playing === trip;

/** The node to which the board is going, or its current one. */
export const destination = () => (going?.trip === trip ? going.node : state.tree.node);

/** Stays at the current node: late answers do not change the board. */
export function stay() {
  trip++;
}

/** The server's answer about the position on the board, null until it has come. */
export const position = () => state.tree?.node.position || null;

/** The moves to a node as text for the server. */
export const movesText = (node) => moves(node).join(' ');

/** The side that resigned at a node, null if none did. */
export function resignation(node = state.tree?.node) {
  const { resigned } = state.play;
  return resigned && resigned.node === node ? resigned.side : null;
}

/** The moves in an answer's history. */
const played = (answer) => answer.history.map((h) => h.move);

/**
 * Opens a game at the end of some moves or at an earlier ply. If the game is already open, its variations are kept. The board does
 * not change until the server has sent the position and the players. Returns false if the user has gone elsewhere meanwhile.
 * @param {string} game a game's name
 * @param {string} text moves in the game's notation
 * @param {?number} at the ply to go to, the end if it is null
 * @param {{fresh?: boolean, another?: boolean, record?: ?object, players?: object, lines?: string[], resigned?: ?string}} options fresh
 *   drops the variations, another does so if the first move is not among them; record is the self-play game that is opened; players are the seats from the address: first and second play, those in
 *   by are asked; lines are all lines of play, if there are several; resigned is the side that resigned at the end
 * @throws {ApiError} with what is wrong with the game or the moves
 */
export async function openGame(game, text, at, { fresh = false, another = false, record = null, players = {}, lines = [], resigned = null } = {}) {
  const mine = ++trip;
  const [, end, ...others] = await Promise.all([loadPlayers(game), ...[text, ...lines].map((line) => get('position', { game, moves: line }))]);
  if (end.game !== game) await loadPlayers(end.game); // its other name
  if (mine !== trip) return false;
  const [first] = played(end);
  const begun = another && first && !state.tree?.root.children.some((c) => c.move === first);
  const tree = !fresh && !begun && state.tree && state.game === end.game ? state.tree : new Tree();
  for (const other of others) tree.addLine(played(other)).position = other;
  const last = tree.addLine(played(end));
  last.position = end;
  tree.go(last);
  let node = last;
  while (at !== null && node.parent && node.ply > at) node = node.parent;
  update({ game: end.game, tree, record });
  update({ resigned: ['first', 'second'].includes(resigned) && !end.over ? { node: last, side: resigned } : null }, 'play');
  for (const f of gameListeners) f(players);
  return goTo(node);
}

/**
 * Opens the game that a text holds, with its variations, as people and programs write games. Another game than the one on the board
 * begins a new tree. Returns false if the user has gone elsewhere meanwhile.
 * @throws {ApiError} with what is wrong with the text
 */
export async function openText(text) {
  const { game, moves: main, lines, resigned } = await post('read', { game: state.game }, text);
  return openGame(game, main, null, { resigned, lines: lines.slice(1), another: true });
}

/**
 * Goes to a node, or beyond it where passes are forced, and asks the server for positions that are not known yet. Returns false if a
 * request fails or the user has gone elsewhere meanwhile.
 */
export async function goTo(node, beyond = false) {
  const mine = ++trip;
  const { tree, game } = state;
  going = { trip: mine, node };
  try {
    node.position ??= await get('position', { game, moves: movesText(node) });
    while (beyond && mustPass(node.position)) {
      node = tree.add(node, 'pass');
      node.position ??= await get('position', { game, moves: movesText(node) });
    }
  } catch (error) {
    if (going.trip === mine) going = null;
    trouble(error);
    return false;
  }
  if (mine !== trip) return false;
  tree.go(node);
  update({ trouble: null, silent: false });
  for (const f of positionListeners) f(node);
  return true;
}

/** The address's parameters for the game on the board. at is the ply, null at the end of the line. line has all lines of play if there
 * are several. */
export function gameParams() {
  const { tree, game } = state;
  const end = tree.line().at(-1);
  const ends = tree.ends();
  return {
    game,
    moves: notation(end),
    at: tree.node === end ? null : tree.node.ply,
    line: ends.length > 1 ? ends.map(notation) : [],
    resigned: resignation(end),
  };
}

/**
 * Plays a move on the board, and the forced passes after it. It does nothing while another move is on its way. Returns whether the
 * move is on the board.
 * @param {string} move
 * @param {?object} after the position after the move, if the server has sent it already
 */
export async function playMove(move, after = null) {
  if (moving()) return false;
  const { tree } = state;
  const node = tree.add(tree.node, move);
  node.position ??= after;
  const arrival = goTo(node, true);
  const mine = trip; // set by goTo
  playing = mine;
  try {
    return await arrival;
  } finally {
    if (playing === mine) playing = null;
  }
}

/** The node some plies forward or back along the line, at most at its ends. null if that is the current node. */
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
