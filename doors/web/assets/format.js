// How numbers and names are written.

const MINUS = '−';

/** A value between -1 and +1 with its sign: "+0.34". */
export function signed(value, digits = 2) {
  if (value === null || value === undefined) return '–';
  const text = Math.abs(value).toFixed(digits);
  return (Number(text) === 0 ? '±' : value < 0 ? MINUS : '+') + text;
}

/** A number with some digits after the point: "−3.5". */
export const fixed = (n, digits) => n.toFixed(digits).replace('-', MINUS);

/** A whole number with its sign, 0 without: "+18". */
export function score(n) {
  return n > 0 ? `+${n}` : n < 0 ? MINUS + -n : '0';
}

/** A count in few letters: 950, 1.2k, 34k, 1.5M. */
export function count(n) {
  if (n === null || n === undefined) return '–';
  if (n < 1000) return String(Math.round(n));
  if (n < 1e6) return `${Number((n / 1000).toFixed(n < 1e4 ? 1 : 0))}k`;
  return `${Number((n / 1e6).toFixed(1))}M`;
}

/** A count in full with thin spaces: 186 470. */
export function whole(n) {
  return n === null || n === undefined ? '–' : String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** A share between 0 and 1 in percent. */
export function percent(p, digits = 0) {
  return p === null || p === undefined ? '–' : `${(100 * p).toFixed(digits)}\u202f%`;
}

/** A time in milliseconds: "80 ms", "2.5 s". */
export function milliseconds(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

/** A time in seconds for people: "42 s", "12 min", "3 h 5 min", "2 d 4 h". */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return '–';
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  const m = Math.round(s / 60);
  if (m < 60) return `${m} min`;
  const h = Math.floor(m / 60);
  return h < 24 ? `${h} h ${m % 60} min` : `${Math.floor(h / 24)} d ${h % 24} h`;
}

/** A number of things: plural(1, 'move') is "1 move", plural(2, 'move') is "2 moves". */
export function plural(n, thing) {
  return `${whole(n)} ${thing}${n === 1 ? '' : 's'}`;
}

/** At most `most` of some moves as a choice: "1, 2 or 3". */
export function choice(moves, most) {
  const shown = moves.slice(0, most);
  if (moves.length > most) return `${shown.join(', ')} …`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}` : shown[0];
}

/** What a candidate is worth, in a word if it is proven. */
export function worth(candidate) {
  return candidate.proven || signed(candidate.value);
}

/** Results as values. */
export const RESULTS = { win: 1, draw: 0, loss: -1 };

/** What a report says of the position, for the side to move: the value of its best move, or of the search if that has none. null if its
 * player gives no values. */
export function worthOf({ best, candidates, value }) {
  const move = candidates.find((c) => c.move === best);
  return RESULTS[move?.proven] ?? move?.value ?? value;
}

const MUCH = 0.5; // what a move may be worth less than the best until its colour has gone

/** What a candidate gives away compared with the best one, from 0, nothing, to 1, much or an unknown amount. */
export function lost(candidate, best) {
  const [value, most] = [candidate, best].map((c) => RESULTS[c.proven] ?? c.value);
  return value === null || most === null ? Number(candidate !== best) : Math.max(0, Math.min(1, (most - value) / MUCH));
}

const NAMES = { // of the sides, by look
  tiles: { first: 'blue', second: 'orange' },
  rack: { first: 'red', second: 'yellow' },
  marks: { first: 'X', second: 'O' },
  wood: { first: 'black', second: 'white' },
};

/** How a board is drawn: 'rack' where stones drop, 'marks' for tic-tac-toe, 'tiles' where free cells have texts at the start, 'wood' for
 * all others, 'text' without a board. */
export function look(position) {
  if (!position.columns) return 'text';
  if (position.tiles) return 'tiles';
  if (position.drops) return 'rack';
  return position.in_a_row && position.columns <= 4 && position.rows <= 4 ? 'marks' : 'wood';
}

/** The name of a side, by its stones: "red", "black", "X". */
export function sideName(position, side) {
  return (NAMES[look(position)] || { first: 'first player', second: 'second player' })[side];
}

/** Facts that the board does not show, with the names of the sides. */
export const tally = (position) =>
  (position.tally || '').replace('first player', sideName(position, 'first')).replace('second player', sideName(position, 'second'));

/** A text with a capital first letter. */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The other side. */
export const other = (side) => (side === 'first' ? 'second' : 'first');

/** A value for the side to move as one for the first player, null if it is unknown. */
export const forFirst = (value, toMove) => (toMove === 'first' || value === null ? value : -value);
