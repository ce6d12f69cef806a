// Requests for runs, their measurements and their games, and event streams from runs in training.

import { get, inside, post, stream } from './api.js';
import { link, writeAddress } from './address.js';
import { state, trouble, update, updateSoon } from './store.js';
import { outdated } from './series.js';

/** The horizontal axes that charts can have. */
export const AXES = ['games', 'positions', 'steps', 'hours'];

/** The orders of the list of runs, with the function that compares two. Runs in training always come first. */
export const SORTS = {
  newest: (a, b) => (b.time ?? '').localeCompare(a.time ?? ''),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  progress: (a, b) => b.iteration - a.iteration,
};

/** The most runs that are shown at once: with more, nobody tells their curves apart. */
export const MOST_RUNS = 20;

const POINTS = 500; // of each series: about as many as a chart has pixels
const CALM = 2000; // milliseconds between two drawings of what a run in training sends

/** The number of games in a page of a run's list. */
export const PAGE = 50;

// The most runs with an open stream. A browser opens at most six connections to a server, and other requests need some of them.
const MOST_STREAMS = 3;

// Milliseconds between two requests for the list: the longer, the longer nothing has changed.
const SHORTEST = 2500;
const LONGEST = 60000;

// Milliseconds without an answer or event after which the server counts as lost. It sends an event each second while it trains.
const TIMEOUT = 4000;

const streams = new Map(); // functions that close the open streams, by run name

/** Runs in an order of the list: those in training first. */
export const sorted = (runs, sort) => [...runs].sort((a, b) => Number(b.training) - Number(a.training) || SORTS[sort](a, b));

// The run to begin with: the one in training, else the newest.
const firstShown = (runs) => sorted(runs.filter((r) => !r.error), 'newest').slice(0, 1).map((r) => r.name);

/** Loads the list of runs. If none of the chosen runs is readable, the one in training or the newest is shown. */
export async function loadRuns() {
  const { runs, charts, folder } = await get('runs');
  const chosen = state.runs.shown.filter((name) => runs.some((r) => r.name === name && !r.error)).slice(0, MOST_RUNS);
  const missing = chosen.length < state.runs.shown.length;
  update({ list: runs, charts, folder, lost: null, shown: chosen.length ? chosen : firstShown(runs) }, 'runs');
  if (missing && state.page === 'runs') writeRunsAddress();
  reloadAfter(SHORTEST);
}

let timer = null; // of the next request for the list

function reloadAfter(pause) {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const mine = timer;
    const isNews = await reload();
    if (timer === mine) reloadAfter(isNews ? SHORTEST : Math.min(2 * pause, LONGEST));
  }, pause);
}

// Reloads the list to find new and resumed runs, and to notice when the server stops answering. Returns whether it found any of these.
async function reload() {
  if (inside || !isVisible() || !state.runs.list) return false;
  try {
    const { runs } = await get('runs', {}, AbortSignal.timeout(TIMEOUT));
    const isNews = state.runs.lost !== null || JSON.stringify(runs) !== JSON.stringify(state.runs.list);
    const stale = runs.map((r) => r.name).filter((name, i) => outdated(state.runs.details[name], runs[i]));
    await Promise.all(stale.map(async (name) => setDetails(name, await details(name, AbortSignal.timeout(TIMEOUT)))));
    const shown = firstShown(state.runs.list).length ? state.runs.shown : firstShown(runs); // the first run that appears
    update({ list: runs, lost: null, shown }, 'runs');
    await watchRuns();
    return isNews;
  } catch {
    markLost();
    return true;
  }
}

/** Stores the time at which the server stopped answering. */
export const markLost = () => isVisible() && !state.runs.lost && update({ lost: new Date() }, 'runs');

const isVisible = () => state.page === 'runs' && !document.hidden;

// Writes the shown runs, the axis and the smoothing into the address. Defaults are left out.
function writeRunsAddress() {
  const { shown, axis, smooth } = state.runs;
  writeAddress(link('runs', { show: shown, axis: axis === 'games' ? null : axis, smooth: smooth === 'none' ? null : smooth }), false);
}

/** Shows other runs in the charts, at most MOST_RUNS. */
export function showRuns(names) {
  update({ shown: names.slice(0, MOST_RUNS) }, 'runs');
  writeRunsAddress();
  watchRuns();
}

/** Changes the charts' horizontal axis or smoothing. @param {{axis?: string, smooth?: string}} changes */
export function setView(changes) {
  update(changes, 'runs');
  writeRunsAddress();
}

/** While the page is visible, loads the shown runs and opens streams from those in training. Closes all other streams. */
export async function watchRuns() {
  if (isVisible()) await Promise.all(state.runs.shown.filter((name) => !state.runs.details[name]).map(load));
  const wanted = isVisible() ? state.runs.shown.filter(mayContinue).slice(0, MOST_STREAMS) : [];
  for (const [name, close] of streams) {
    if (!wanted.includes(name)) {
      close();
      streams.delete(name);
    }
  }
  for (const name of wanted) if (!streams.has(name)) watch(name);
}

/** Whether more iterations of a run may come: this server trains it, or another process may train it. */
export function mayContinue(name) {
  const run = state.runs.details[name];
  return run && !inside && (run.training || (!run.live && run.iteration < run.iterations));
}

// A run with its configuration and its measurements, thinned.
const details = (name, signal = undefined) => get(`runs/${encodeURIComponent(name)}`, { points: POINTS }, signal);

async function load(name) {
  try {
    setDetails(name, await details(name));
  } catch (error) {
    trouble(error);
  }
}

// Opens a run's stream, whose events update the run's details.
function watch(name) {
  streams.set(name, stream(`runs/${encodeURIComponent(name)}/events`, () => ({ after: state.runs.details[name].iteration }), {
    line(line) {
      const run = state.runs.details[name];
      const lines = [...run.lines.filter((l) => l.iteration < line.iteration), line];
      setSoon(name, { ...run, lines });
      if (lines.length % (2 * POINTS) === 0) load(name); // the server thins them
    },
    metrics({ iteration, games, positions, time }) {
      const run = state.runs.details[name];
      setSoon(name, { ...run, iteration, games, positions, time: time || run.time });
    },
    live(live) {
      setSoon(name, { ...state.runs.details[name], live, training: !live.finished });
      if (state.runs.lost) update({ lost: null }, 'runs');
    },
    end() {
      streams.delete(name);
      return true;
    },
    cut: markLost,
    refused: trouble,
  }, state.runs.details[name].live ? TIMEOUT : 0));
}

function setDetails(name, details) {
  update({ details: { ...state.runs.details, [name]: details } }, 'runs');
}

// setDetails for what comes several times a second.
function setSoon(name, details) {
  updateSoon({ details: { ...state.runs.details, [name]: details } }, 'runs', CALM);
}

/** Asks the server to stop a run's training after the current iteration. */
export async function stopRun(name) {
  try {
    await post(`runs/${encodeURIComponent(name)}/stop`);
  } catch (error) {
    trouble(error);
  }
}

/** Loads a page of a run's games, from game number first on. A negative first counts back from the end: -1 is the newest game. */
export async function loadGames(run, first) {
  try {
    const { oldest, newest, games } = await get(`runs/${encodeURIComponent(run)}/games`, { first, count: PAGE });
    update({ games: { ...state.runs.games, [run]: { oldest, newest, games } } }, 'runs');
  } catch (error) {
    trouble(error);
  }
}

/** Returns a run's game with the searches behind its moves. */
export async function loadRecord(run, id) {
  return { ...(await get(`runs/${encodeURIComponent(run)}/games/${id}`)), run };
}

/** The link that opens the start of a run's game on the Analyse page. */
export const recordLink = (run, id) => link('analyse', { run, id, at: 0 });

/** From now on, closes the streams while the page is hidden. When it is shown again, asks for news. */
export function followRuns() {
  document.addEventListener('visibilitychange', () => {
    watchRuns();
    reloadAfter(SHORTEST);
  });
}
