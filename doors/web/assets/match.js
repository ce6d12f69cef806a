// Playing: whose turn it is, the players' moves, hints, taking moves back, resigning.

import { get, stream } from './api.js';
import { mustPass, outcome, say, sayPosition, unseenMove } from './announce.js';
import { formatSeat, link, writeAddress } from './address.js';
import { movesPiece } from './choices.js';
import { other, sideName, capital } from './format.js';
import { bestPlayer, question, seatName, seatOf, validSeat } from './players.js';
import { gameParams, goTo, destination, movesText, onGame, onPosition, openGame, playMove, position, resignation, stay } from './session.js';
import { state, trouble, update } from './store.js';

const PERSON = { player: 'person', kind: null, amount: null };
const AFTER_HUMAN = 350; // the least milliseconds between a human's move and the answer, so that both are seen
const AFTER_PASS = 1200; // the same after a pass, about which one has to read

let close = () => {}; // ends the stream of the player that thinks
let timer = null;

/** The seat of the side to move. */
export const seatToMove = () => state.play.seats[position()?.to_move];

/** Whether the game has ended, on the board or by resignation. */
export const ended = () => position()?.over || resignation() !== null;

/** Whether a human may move now. */
export const humanMayMove = () => position() && !ended() && isPerson(seatToMove());

/** Whether a seat is a person's. */
const isPerson = (seat) => seat?.player === 'person';

/** The side at which a person plays alone against a player, else null. */
export function personsSide() {
  const { first, second } = state.play.seats;
  return isPerson(first) === isPerson(second) ? null : isPerson(first) ? 'first' : 'second';
}

/** Whether it is the turn of a person who plays alone. */
export const yourTurn = () => humanMayMove() && personsSide() === position().to_move;

/** The side that is shown below: the person's, unless the user has turned the board. */
export const sideBelow = () => ((personsSide() === 'second') !== state.flipped ? 'second' : 'first');

/** Whether the board is turned by half a turn: by the user, or because a person plays the second side's pieces. Discs do not fall up. */
export function isFlipped() {
  const p = position();
  const pieces = p.legal.some(movesPiece) || p.history.some(movesPiece);
  return !p.drops && (state.page === 'play' && pieces && personsSide() === 'second') !== state.flipped;
}

/** Turns the board. */
export function flip() {
  update({ flipped: !state.flipped });
  say(position().drops ? 'Sides changed places.' : 'Board turned.');
}

// A player whom many can beat: the medium level if the game has levels, else the best one.
function firstOpponent() {
  const medium = state.levels[state.game]?.find((l) => l.name === 'medium');
  const best = bestPlayer(state.players[state.game]);
  return medium?.seat ?? (best ? seatOf(best) : PERSON);
}

/** The levels just below and above the opponent's, as {name: "Easier" or "Harder", seat}, if it is a level. */
export function levelsBeside() {
  const side = personsSide();
  if (!side) return [];
  const levels = state.levels[state.game] ?? [];
  const now = formatSeat(state.play.seats[other(side)]);
  const at = levels.findIndex((l) => formatSeat(l.seat) === now);
  return [['Easier', at - 1], ['Harder', at + 1]].filter(([, i]) => at >= 0 && levels[i]).map(([name, i]) => ({ name, seat: levels[i].seat }));
}

/** Begins a game against another opponent. */
export function playAgainst(seat) {
  update({ seats: { ...state.play.seats, [other(personsSide())]: seat } }, 'play');
  return newGame(state.game);
}

// Sets the seats to those of an address or of the game before. Without them, a human plays first against firstOpponent, who also
// replaces players that cannot play this game.
function takeSeats(first, second) {
  const player = firstOpponent();
  update({ seats: { first: validSeat(first, first ? player : PERSON), second: validSeat(second, player) } }, 'play');
}

/** Writes the game into the address, unless another page is open. Human moves become history entries, so "back" undoes them. */
export function writePlayAddress(push) {
  if (state.page !== 'play') return;
  const { seats } = state.play;
  writeAddress(link('play', {
    ...gameParams(),
    first: formatSeat(seats.first),
    second: formatSeat(seats.second),
  }), push);
}

/** Stops the player that thinks. */
export function stopThinking() {
  close();
  clearTimeout(timer);
  close = () => {};
  if (state.play.thinking) update({ thinking: null }, 'play');
}

/** Changes the seats. The player to move begins to think, unless the board shows an earlier position. */
export function setSeats(seats) {
  stopThinking();
  update({ seats, hint: null, running: state.play.running || !state.tree.node.next }, 'play');
  writePlayAddress(false);
  takeTurn(0);
}

/** Starts the player to move in a game that was just opened. It does nothing if the board shows an
 * earlier position, or if the game has begun and no human plays. */
export function beginTurn() {
  const { node } = state.tree;
  const hasHuman = Object.values(state.play.seats).some(isPerson);
  if (node.next || (node.ply > 0 && !hasHuman)) return;
  update({ running: true }, 'play');
  takeTurn(0);
}

/** Begins a game, with the same seats where possible. */
export async function newGame(game) {
  pause();
  try {
    if (!await openGame(game, '', null, { fresh: true })) return;
  } catch (error) {
    trouble(error);
    return;
  }
  update({ running: true }, 'play');
  writePlayAddress(true);
  takeTurn(0);
}

/** Plays a human's move. */
export async function personPlays(move) {
  if (!humanMayMove()) return;
  stopThinking();
  update({ running: true, hint: null, asked: null }, 'play');
  if (await playMove(move)) writePlayAddress(true);
}

/** Starts or stops the players. */
export function toggleRunning() {
  const running = !state.play.running;
  update({ running }, 'play');
  if (running) takeTurn(0);
  else stopThinking();
}

/** Stops the players while the user browses the game. */
export function pause() {
  stopThinking();
  update({ running: false, hint: null, said: {} }, 'play');
}

/** Goes to a node of the tree, and stops the players. null does nothing. */
export async function visit(node) {
  if (!node) return;
  pause();
  if (await goTo(node)) writePlayAddress(false);
}

/** Takes back a resignation, else a human's last move and the answers to it, or one move if no human plays. A forced pass is an answer. It
 * includes a move that is on its way. */
export async function takeBack() {
  pause();
  if (resignation()) {
    update({ resigned: null }, 'play');
    sayPosition(position());
    writePlayAddress(true);
    return;
  }
  let node = destination().parent;
  const hasHuman = Object.values(state.play.seats).some(isPerson);
  while (hasHuman && node?.parent && (mustPass(node.position) || !isPerson(state.play.seats[sideAt(node)]))) node = node.parent;
  if (node && await goTo(node)) writePlayAddress(true);
}

// The side to move at a node.
const sideAt = (node) => (node.ply % 2 === 0 ? 'first' : 'second');

/** A side resigns. */
export function resign(side) {
  update({ asked: null }, 'play');
  if (ended()) return;
  stay();
  stopThinking();
  update({ resigned: { node: state.tree.node, side }, running: false, hint: null }, 'play');
  writePlayAddress(true);
  say(`${capital(sideName(position(), side))} resigns. ${capital(sideName(position(), other(side)))} wins.`);
}

/** Asks for a move, and marks it on the board: the solver where it knows the result, else the best player. */
export async function hint() {
  if (ended() || state.play.thinking) return;
  const { node } = state.tree;
  const show = (move, player, { value = null, proven }) => {
    if (state.tree.node !== node) return;
    const { cell = null, from } = position().legal.find((l) => l.move === move) ?? {};
    update({ hint: { move, cell, from, value, proven, player } }, 'play');
    say(`${player} would play ${move}.`);
  };
  const stop = new AbortController();
  close();
  close = () => stop.abort();
  update({ thinking: { side: 'hint', seat: null, report: null, place: null, cut: false } }, 'play');
  const truth = node.truth?.result ? node.truth : await get('truth', { game: state.game, moves: movesText(node) }, stop.signal).catch(() => null);
  if (stop.signal.aborted) return;
  update({ thinking: null }, 'play');
  const best = bestPlayer(state.players[state.game]);
  if (truth?.result && truth.best.length) show(truth.best[0], 'The solver', { proven: truth.result });
  else if (best) think(seatOf(best), 'hint', (report) => show(report.best, best.name, report));
}

// Asks a seat's player about the position; done receives the answer.
function think(seat, side, done) {
  const node = state.tree.node;
  const show = (changes) => update({ thinking: { ...state.play.thinking, ...changes } }, 'play');
  close();
  update({ thinking: { side, seat, report: null, place: null, cut: false } }, 'play');
  close = stream('analysis', () => ({ game: state.game, moves: movesText(node), ...question(seat) }), {
    waiting: (data) => show({ place: data.place }),
    report: (report) => show({ report, place: null, cut: false }),
    cut: () => show({ cut: true }),
    done(report) {
      update({ thinking: null, said: { ...state.play.said, [side]: report } }, 'play');
      done(report);
      return true;
    },
    error(data) {
      if (data.resigns && side !== 'hint') resign(side);
      else fail(new Error(`${seat.player}: ${data.error}`));
      return true;
    },
    refused: fail,
  });
}

function fail(error) {
  update({ thinking: null, running: false }, 'play');
  trouble(error);
}

// Asks the player to move, and plays its move, after delay milliseconds at the earliest.
function takeTurn(delay) {
  const seat = seatToMove();
  if (state.page !== 'play' || !state.play.running || !seat || isPerson(seat) || ended() || state.play.thinking) return;
  const node = state.tree.node;
  const began = performance.now();
  clearTimeout(timer);
  think(seat, position().to_move, (report) => {
    const rest = Math.max(0, delay - (performance.now() - began));
    timer = setTimeout(async () => {
      if (state.page !== 'play' || state.tree.node !== node || !state.play.running) return;
      if (await playMove(report.best, report.next)) writePlayAddress(false);
    }, rest);
  });
}

/** From now on, sets the seats of each new game, announces each new position, and starts the next player. */
export function followPlay() {
  onGame(({ first, second }) => {
    stopThinking();
    update({ asked: null, said: {} }, 'play');
    takeSeats(first || state.play.seats.first, second || state.play.seats.second);
  });
  onPosition((node) => {
    if (state.page !== 'play') return;
    sayPosition(node.position);
    // While the move was on its way, a search may have begun, and a hint may have come.
    stopThinking();
    update({ hint: null }, 'play');
    if (ended()) {
      update({ running: false }, 'play');
      return;
    }
    const hasHuman = Object.values(state.play.seats).some(isPerson);
    takeTurn(!hasHuman ? state.play.pause : unseenMove(node.position) ? AFTER_PASS : AFTER_HUMAN);
  });
}

/** Why nobody may click on the board, in a sentence. */
export function whyNot() {
  if (ended()) return 'The game is over.';
  const p = position();
  const who = `${capital(sideName(p, p.to_move))} is to move`;
  return state.play.running ? `${who}: wait for ${seatName(seatToMove())}.` : `${who}: press Continue.`;
}

/** Who is to move or has won, in a few words, with a pass before it, which the board does not show. */
export function standing() {
  const p = position();
  const resigned = resignation();
  if (!p) return '';
  if (resigned) return `${capital(sideName(p, resigned))} resigned: ${sideName(p, other(resigned))} wins`;
  if (p.over) return capital(outcome(p));
  const mover = capital(sideName(p, p.to_move));
  const stands = mustPass(p) ? `${yourTurn() ? 'You have' : `${mover} has`} no move` : `${mover} to move`;
  return unseenMove(p) + stands;
}
