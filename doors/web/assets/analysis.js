// Analysis of a position or a whole game: players' opinions, which the server streams, and the truth, which a solver finds.

import { ApiError, get, stream } from './api.js';
import { formatSeat, link, writeAddress } from './address.js';
import { say, sayPosition } from './announce.js';
import { forFirst, worthOf } from './format.js';
import { bestPlayer, findPlayer, modelsOf, question, seatOf, validSeat } from './players.js';
import { isJudged, mistake, mistakesOf, readMistakes, writeMistakes } from './mistakes.js';
import { gameParams, goTo, movesText, onGame, onPosition, playMove, position } from './session.js';
import { state, trouble, unheard, update, updateSoon } from './store.js';
import { moves } from './tree.js';

/** The most players that can be asked at once: with more streams, the browser delays other requests. */
export const MOST_OPINIONS = 3;

/** Stands in state.analysis.waiting for an opinion without a connection. */
export const CUT = -1;

const TRUTH_TRIES = 6; // the most requests for a position's truth; each one continues the solver's work

let closers = []; // functions that close the streams, one for each opinion
let truthStop = null; // stops the request for the truth
let sweepStop = null; // stops the sweep

// Nodes keep their answers for when the user returns: node.reports, by keyOf the seat, and
// node.truth.

// A seat as text, with the iteration of its model: a run's newest one keeps its name.
const keyOf = (seat) => `${formatSeat(seat)} ${findPlayer(seat.player)?.iteration ?? ''}`.trim();

/** The newest report of a seat's player on a node, null if there is none. */
export const reportOf = (node, seat) => node.reports?.[keyOf(seat)] || null;

/** The seat whose opinion is on the board. */
export const shownSeat = () => state.analysis.opinions[state.analysis.shown] || state.analysis.opinions[0];

/** The shown opinion's report on the position. */
export function shownReport() {
  const seat = shownSeat();
  return seat && state.tree ? reportOf(state.tree.node, seat) : null;
}

/** The value of a node for the first player. It is the result of a game that is over, else what seat's report says, else that of
 * the self-play search, else null. */
export function valueAt(node, seat) {
  const p = node.position;
  if (p?.over) return { first: 1, second: -1, draw: 0 }[p.winner];
  const report = seat && reportOf(node, seat);
  if (report) return forFirst(worthOf(report), report.to_move);
  const recorded = recordAt(node);
  return recorded?.value === null || recorded === null ? null : forFirst(recorded.value, node.ply % 2 ? 'second' : 'first');
}

/** Self-play's search at a node, null if the node is not in the recorded game. */
export function recordAt(node) {
  const { record } = state;
  if (!record || node.ply >= record.plies.length) return null;
  const line = moves(node);
  return line.every((m, i) => m === record.plies[i].move) ? record.plies[node.ply] : null;
}

// Sets the players to ask. If none of the seats is valid here, the best player is asked: for a game of a run, its newest model.
function takeOpinions(seats) {
  const players = state.players[state.game];
  const best = modelsOf(players, state.record?.run ?? null).at(-1) ?? bestPlayer(players);
  const wanted = seats.map((s) => validSeat(s, null)).filter((s) => s && s.player !== 'person');
  update({ opinions: wanted.length || !best ? wanted.slice(0, MOST_OPINIONS) : [thorough(best)], shown: 0 }, 'analysis');
}

/** The player's seat, with enough simulations for a reliable opinion if simulations limit it. */
function thorough(player) {
  const seat = seatOf(player);
  return seat.kind === 'simulations' ? { ...seat, amount: Math.max(seat.amount, 800) } : seat;
}

/** Writes the game, the place in it and the players into the address, unless another page is open. */
export function writeAnalysisAddress(push) {
  const { analysis, page, record } = state;
  if (page !== 'analyse') return;
  writeAddress(link('analyse', {
    ...gameParams(),
    by: analysis.opinions.map(formatSeat),
    mistakes: isJudged(state.tree.line()) ? writeMistakes(state.tree.line(), shownSeat()) : null,
    run: record?.run,
    id: record?.id,
  }), push);
}

/** Closes all streams. */
export function stopAnalysis() {
  for (const close of closers) close();
  closers = [];
  truthStop?.abort();
  truthStop = null;
}

/** Asks all chosen players about the position on the board, if the page is open and visible. */
export function startAnalysis() {
  stopAnalysis();
  const p = position();
  update({ waiting: {} }, 'analysis');
  if (state.page !== 'analyse' || document.hidden || !p || p.over) return;
  if (state.analysis.thinking) closers = state.analysis.opinions.map((seat, i) => ask(state.tree.node, seat, i));
  if (state.analysis.truth) askTruth(state.tree.node);
}

// Opens the stream of one opinion, unless its final report is known. Returns a function that closes the stream.
function ask(node, seat, i) {
  const key = keyOf(seat);
  const known = reportOf(node, seat);
  const { look, lookOpen, shown } = state.analysis;
  const line = lookOpen && i === shown && look.length ? look.join(' ') : undefined;
  if (known && !known.during_search && (!line || known.line?.asked === line)) return () => {};
  const keep = (report) => {
    if (report.line) report.line.asked = line;
    node.reports = { ...node.reports, [key]: report };
    updateSoon({ waiting: { ...state.analysis.waiting, [i]: null } }, 'analysis');
  };
  return stream('analysis', () => ({ game: state.game, moves: movesText(node), ...question(seat), line }), {
    waiting: (data) => update({ waiting: { ...state.analysis.waiting, [i]: data.place } }, 'analysis'),
    report: keep,
    done(report) {
      keep(report);
      return true;
    },
    error(data) {
      trouble(new Error(`${seat.player}: ${data.error}`));
      return true;
    },
    refused: trouble,
    cut: () => update({ waiting: { ...state.analysis.waiting, [i]: CUT } }, 'analysis'),
  });
}

// Asks for the truth about a node, repeatedly while the solver makes progress.
async function askTruth(node) {
  const stop = new AbortController();
  truthStop = stop;
  try {
    for (let i = 0; i < TRUTH_TRIES && !node.truth?.complete && !stop.signal.aborted; i++) {
      node.truth = await get('truth', { game: state.game, moves: movesText(node) }, stop.signal);
      update({});
      if (node.truth.method !== 'solver') return;
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 429)) trouble(error);
  }
}

/** Starts or stops thinking. */
export function toggleThinking() {
  update({ thinking: !state.analysis.thinking }, 'analysis');
  say(state.analysis.thinking ? 'Thinking.' : 'Stopped.');
  startAnalysis();
}

/** Changes the players to ask, and asks them. */
export function setOpinions(opinions) {
  update({ opinions, shown: Math.min(state.analysis.shown, Math.max(0, opinions.length - 1)), look: [] }, 'analysis');
  writeAnalysisAddress(false);
  startAnalysis();
}

/** Adds the opinion of the first player that is not asked yet, preferably of another kind. */
export function addOpinion() {
  const { opinions } = state.analysis;
  const free = state.players[state.game].filter((p) => p.kind !== 'random' && !opinions.some((o) => o.player === p.name));
  const kinds = opinions.map((o) => findPlayer(o.player)?.kind);
  const another = free.find((p) => !kinds.includes(p.kind)) || free[0];
  if (another) setOpinions([...opinions, thorough(another)]);
}

/** Shows the node of the search tree after some moves. */
export function lookAt(line) {
  update({ look: line, lookOpen: true }, 'analysis');
  startAnalysis();
}

/** Shows the network's policy instead of the search, or the search again. */
export function toggleRaw() {
  if (!state.analysis.raw && !findPlayer(shownSeat()?.player)?.network) {
    trouble(new Error(`${shownSeat()?.player || 'The player'} has no network, so there is no policy to show.`));
    return;
  }
  update({ raw: !state.analysis.raw }, 'analysis');
}

/** Shows or hides the truth. */
export function toggleTruth() {
  update({ truth: !state.analysis.truth }, 'analysis');
  startAnalysis();
}

/** The sweep: asks for the shown player's opinion and the truth at each position of the line, in order. Its verdict on each move stays. */
export async function sweep() {
  stopSweep();
  stopAnalysis();
  const stop = new AbortController();
  sweepStop = stop;
  const nodes = state.tree.line();
  const seat = shownSeat();
  for (const node of nodes) node.judged = undefined;
  try {
    for (const [done, node] of nodes.entries()) {
      if (stop.signal.aborted) return;
      update({ sweep: { done, total: nodes.length } }, 'analysis');
      node.position ??= await get('position', { game: state.game, moves: movesText(node) }, stop.signal);
      if (node.position.over) continue;
      if (seat && (reportOf(node, seat)?.during_search ?? true)) await answer(node, seat, stop.signal);
      const report = seat && reportOf(node, seat);
      if (done === 0 && report && worthOf(report) === null) throw new Error(`${seat.player} gives no values, so it finds no mistakes: choose another player.`);
      if (!node.truth?.complete) node.truth = await get('truth', { game: state.game, moves: movesText(node) }, stop.signal);
    }
    for (const node of nodes) if (node.parent) node.judged = mistake(node, seat);
    writeAnalysisAddress(false);
    say(`${mistakesOf(nodes, seat).length} mistakes and weak moves found.`);
  } catch (error) {
    trouble(error);
  }
  if (sweepStop === stop) stopSweep();
}

/** Stops the sweep. */
export function stopSweep() {
  if (!sweepStop) return;
  sweepStop.abort();
  sweepStop = null;
  update({ sweep: null }, 'analysis');
  startAnalysis();
}

/** Asks for one opinion's final report on a node and stores it there. */
export function answer(node, seat, signal) {
  const key = keyOf(seat);
  return new Promise((resolve, reject) => {
    const close = stream('analysis', () => ({ game: state.game, moves: movesText(node), ...question(seat) }), {
      done(report) {
        node.reports = { ...node.reports, [key]: report };
        resolve();
        return true;
      },
      error(data) {
        reject(new Error(`${seat.player}: ${data.error}`));
        return true;
      },
      cut: (error) => unheard(error instanceof ApiError ? error.message : undefined),
      refused: reject,
    });
    signal.addEventListener('abort', () => {
      close();
      resolve();
    });
  });
}

/** From now on, asks the players about each new position on the board. It stops while the page is hidden. */
export function followAnalysis() {
  onGame(({ by = [], mistakes = null }) => {
    takeOpinions(by.length || state.record ? by : state.analysis.opinions);
    if (mistakes) readMistakes(mistakes, state.tree.line().slice(1));
    update({ retry: null }, 'analysis');
    stopSweep();
    stopAnalysis();
  });
  onPosition((node) => {
    if (state.page !== 'analyse') return;
    sayPosition(node.position);
    if (state.analysis.sweep) return;
    update({ look: [], pointed: null, retry: null }, 'analysis');
    startAnalysis();
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? stopAnalysis() : startAnalysis()));
}

/** The move of the line that follows the position on the board, if it is a mistake: {node, mistake}, else null. */
export function mistakeAhead() {
  const { next } = state.tree.node;
  const wrong = next && mistake(next, shownSeat());
  return wrong ? { node: next, mistake: wrong } : null;
}

/** Goes before the next mistake of the line, from the end to the first. */
export function nextMistake() {
  const wrong = mistakesOf(state.tree.line(), shownSeat()).map(({ node }) => node.parent);
  return visit(wrong.find((node) => node.ply > state.tree.node.ply) ?? wrong[0]);
}

/** Goes before a mistake, and asks the user for a better move. */
export async function retry(node) {
  if (await goTo(node.parent)) update({ retry: { node: node.parent, tried: null } }, 'analysis');
}

/** What the user is asked to better, {node, tried}, null if nothing. */
export const retrying = () => (state.analysis.retry?.node === state.tree.node ? state.analysis.retry : null);

/** Ends the question for a better move. */
export const showAnswer = () => update({ retry: null }, 'analysis');

/** Plays a move in the analysis, for either side. When a better one is asked for, only a better one is played. */
export async function tryMove(move) {
  const asked = retrying();
  if (asked && !mistakeAhead()?.mistake.better.includes(move)) {
    update({ retry: { ...asked, tried: move } }, 'analysis');
    say(`${move} is not the best move. Try again.`);
    return;
  }
  if (!await playMove(move)) return;
  writeAnalysisAddress(true);
  if (asked) say(`${move} is right.`);
}

/** Plays a line of moves. */
export const playLine = (line) => visit(line.reduce((node, move) => state.tree.add(node, move), state.tree.node));

/** Goes to a node of the tree. null does nothing. */
export async function visit(node) {
  if (node && await goTo(node)) writeAnalysisAddress(false);
}
