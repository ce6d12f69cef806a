// The page's address, such as #/play?game=connect4&moves=44353. It has all that a reload, the back button or a shared link needs.

import { inside } from './api.js';

const LETTERS = { simulations: 's', milliseconds: 'ms', depth: 'd' };

/** Writes a seat, {player, kind, amount}, as "person" or "connect4~400s". */
export function formatSeat(seat) {
  return seat.kind ? `${seat.player}~${seat.amount}${LETTERS[seat.kind]}` : seat.player;
}

/** Reads a seat that formatSeat has written. Returns null without a text. */
export function parseSeat(text) {
  if (!text) return null;
  const match = /^(.*)~(\d+)(s|ms|d)$/.exec(text);
  if (!match) return { player: text, kind: null, amount: null };
  const kind = Object.keys(LETTERS).find((k) => LETTERS[k] === match[3]);
  return { player: match[1], kind, amount: Number(match[2]) };
}

/** The page and the parameters that the address names. */
export function readAddress() {
  const [page, query] = (location.hash || inside?.address || '').replace(/^#\/?/, '').split('?');
  return { page, params: new URLSearchParams(query || '') };
}

/** A link within the page. Parameters without a value are left out. A list repeats its parameter's name. */
export function link(page, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null && item !== '') query.append(name, item);
    }
  }
  const text = query.toString().replaceAll('%7E', '~').replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%40', '@');
  return `#/${page}${text ? '?' + text : ''}`;
}

/** Puts a link into the address, as a new entry of the history if push is true. */
export function writeAddress(hash, push) {
  if (hash === location.hash) return;
  history[push ? 'pushState' : 'replaceState'](null, '', hash);
}
