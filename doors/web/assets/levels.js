// Levels on the visitor's own processor: on a page without a server, a move of a level takes PATIENCE seconds at most.

import { stream } from './api.js';
import { formatSeat } from './address.js';
import { setSeats, stopThinking } from './match.js';
import { atMost } from './players.js';
import { state, update } from './store.js';

const PATIENCE = 3; // seconds a move
const TRIAL = 200; // milliseconds

const speeds = {}; // by game and player: simulations in a second

/** How many simulations a player makes in a second on a game's empty board, Infinity if it fails. */
function measure(game, player) {
  const key = `${game} ${player}`;
  return speeds[key] ??= new Promise((resolve) => {
    const end = (speed) => { resolve(speed); return true; };
    const fail = () => { delete speeds[key]; return end(Infinity); };
    stream('analysis', () => ({ game, player, milliseconds: TRIAL }), { done: (report) => end(report.per_second), error: fail, refused: fail });
  });
}

/** Whether a player, not a hint, is thinking. */
const playerThinks = () => state.play.thinking && state.play.thinking.side !== 'hint';

/**
 * Fits the levels of the game on the board to this processor's speed. Players at one of them stay at it. One who already thinks begins again
 * when its level has been fitted.
 */
export async function fitLevels() {
  const { game } = state;
  const began = playerThinks();
  if (began) stopThinking();
  const fitted = await Promise.all(state.levels[game].map(async (level) => {
    const { seat } = level;
    if (seat.kind !== 'simulations') return level;
    return { ...level, seat: { ...seat, amount: atMost(seat.amount, PATIENCE * await measure(game, seat.player)) } };
  }));
  const was = state.levels[game].map(({ seat }) => formatSeat(seat));
  update({ levels: { ...state.levels, [game]: fitted } });
  if (state.game !== game) return;
  const fit = (seat) => fitted[was.indexOf(formatSeat(seat))]?.seat ?? seat;
  const { first, second } = state.play.seats;
  if (!first || !second) return;
  const seats = { first: fit(first), second: fit(second) };
  if (state.play.running && (began || playerThinks())) setSeats(seats);
  else update({ seats }, 'play');
}
