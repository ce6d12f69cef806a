// A game's players and their strengths.

import { engine, get } from './api.js';
import { state, update } from './store.js';
import { count, milliseconds } from './format.js';

const STEPS = {
  simulations: [0, 10, 25, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200, 100000],
  milliseconds: [50, 100, 200, 500, 1000, 2000, 3000, 5000, 10000, 20000, 30000, 60000],
  depth: [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20],
};

/** The names of the kinds of limits, for the page. */
export const KINDS = { simulations: 'simulations', milliseconds: 'time', depth: 'depth' };

/** Loads a game's players and levels. A server is asked each time, because runs may have new models. */
export async function loadPlayers(game) {
  if (!engine || !state.players[game]) {
    const { players, levels: listed } = await get('players', { game });
    update({ players: { ...state.players, [game]: players }, levels: { ...state.levels, [game]: levels(listed, players) } });
  }
}

/** The player of the open game with a name, undefined for a human or an unknown name. */
export const findPlayer = (name) => state.players[state.game]?.find((p) => p.name === name);

/** The models of a run among players, in the order of their iterations. */
export const modelsOf = (players, run) => (run === null ? [] : players.filter((p) => p.run === run).sort((a, b) => a.iteration - b.iteration));

/** At most `most` elements of a list, evenly spread, with the first and the last. */
export function spread(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, i) => list[Math.round((i * (list.length - 1)) / (most - 1))]);
}

/** The best of a game's players: one with a network that has learned, else alpha-beta, else another that searches, else the first;
 * undefined without players. */
export function bestPlayer(players = []) {
  return players.find((p) => p.network && p.iteration > 0) || players.find((p) => p.kind === 'alphabeta') ||
    players.find((p) => p.limits.length > 0 && !p.network) || players[0];
}

/** A player's seat at its usual strength: {player, kind, amount}. */
export function seatOf(player) {
  const kind = player.limits.find((k) => player[k] !== null && player[k] !== undefined) || player.limits[0] || null;
  return { player: player.name, kind, amount: kind ? player[kind] ?? STEPS[kind][Math.floor(STEPS[kind].length / 2)] : null };
}

/** An address's seat, or the fallback if the open game lacks its player. */
export function validSeat(seat, fallback) {
  if (!seat) return fallback;
  if (seat.player === 'person') return { player: 'person', kind: null, amount: null };
  const player = findPlayer(seat.player);
  if (!player) return fallback;
  return seat.kind && player.limits.includes(seat.kind) ? seat : seatOf(player);
}

/** The slider's amounts for a kind of limit, including the given one. Only a network can do without simulations. */
export function steps(kind, amount, network) {
  const list = STEPS[kind].filter((n) => n > 0 || network);
  return list.includes(amount) ? list : [...list, amount].sort((a, b) => a - b);
}

/** The most simulations on the slider, or as many as wanted, within the limit, which is 10 at least. */
export function atMost(wanted, limit) {
  const most = Math.min(wanted, Math.max(limit, 10));
  return Math.max(...[...STEPS.simulations, wanted].filter((n) => n <= most));
}

/** A strength in words: "400 simulations", "2 s", "the bare network". */
export function strength({ kind, amount }) {
  if (!kind) return '';
  if (kind === 'milliseconds') return milliseconds(amount);
  if (kind === 'depth') return `${amount} ${amount === 1 ? 'ply' : 'plies'} deep`;
  return amount === 0 ? 'the bare network' : `${count(amount)} simulations`;
}

/** The name of a seat: its player's, or for a human "You" against a player and "A person" against another human. */
export function seatName(seat, against = null) {
  if (seat && seat.player !== 'person') return seat.player;
  return against && against.player !== 'person' ? 'You' : 'A person';
}

/**
 * The levels of a game in the server's order, with their seats.
 * @returns {{name: string, seat: {player: string, kind: ?string, amount: ?number}}[]}
 */
export function levels(listed = [], players = []) {
  return listed.map(({ name, player, simulations, depth }) => {
    const kind = simulations ? 'simulations' : 'depth';
    return { name, seat: simulations || depth ? { player, kind, amount: simulations || depth } : seatOf(players.find((p) => p.name === player)) };
  });
}

/** The parameters of a question to a seat's player. */
export const question = ({ player, kind, amount }) => (kind ? { player, [kind]: amount } : { player });
