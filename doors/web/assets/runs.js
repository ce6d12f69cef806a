// Runs: their list, their measurements, and streams from those in training.

import { get, inside, post, stream } from './api.js';
import { link, writeAddress } from './address.js';
import { state, trouble, update } from './store.js';
import { outdated } from './series.js';

/** The charts' choices of horizontal axis. */
export const AXES = ['games', 'positions', 'steps', 'hours'];

/** The number of games in a page of the list. */
export const PAGE = 50;

// How many runs are watched at once. A browser opens only six connections to a server, and other requests need some.
const MOST_STREAMS = 3;

// Milliseconds between two looks at the list, and without an event after which a training has gone: it sends one a second.
const LOOK = 2500;
const SILENCE = 4000;

const streams = new Map(); // open streams by the run's name

/** Asks for the list of runs. The first one is shown if none was chosen. */
export async function loadRuns() {
  const { runs, charts } = await get('runs');
  const good = runs.filter((r) => !r.error);
  const known = state.runs.shown.filter((name) => good.some((r) => r.name === name));
  update({ list: runs, charts, lost: null, shown: known.length ? known : good.slice(0, 1).map((r) => r.name) }, 'runs');
}

let looking = false;

// Reloads the list to find new and resumed runs, and to see whether the server answers.
async function lookAgain() {
  if (looking || inside || !seen() || !state.runs.list) return;
  looking = true;
  try {
    const { runs } = await get('runs', {}, AbortSignal.timeout(SILENCE));
    const again = runs.map((r) => r.name).filter((name, i) => outdated(state.runs.details[name], runs[i]));
    await Promise.all(again.map(async (name) => put(name, await get(`runs/${encodeURIComponent(name)}`, {}, AbortSignal.timeout(SILENCE)))));
    const shown = state.runs.shown.length ? state.runs.shown : runs.filter((r) => !r.error).slice(0, 1).map((r) => r.name);
    update({ list: runs, lost: null, shown }, 'runs');
    await watchRuns();
  } catch {
    lost();
  } finally {
    looking = false;
  }
}

const lost = () => seen() && !state.runs.lost && update({ lost: new Date() }, 'runs');

const seen = () => state.page === 'runs' && !document.hidden;

/** Writes the names of the shown runs into the address. */
export function writeRunsAddress(push) {
  const { shown, axis, smooth } = state.runs;
  writeAddress(link('runs', { show: shown, axis: axis === 'games' ? null : axis, smooth: smooth === 'none' ? null : smooth }), push);
}

/** Shows or hides a run in the charts. */
export function toggleRun(name) {
  const { shown } = state.runs;
  update({ shown: shown.includes(name) ? shown.filter((n) => n !== name) : [...shown, name] }, 'runs');
  writeRunsAddress(false);
  watchRuns();
}

/** Chooses the horizontal axis, or how strongly curves are smoothed. @param {{axis?: string, smooth?: string}} changes */
export function setView(changes) {
  update(changes, 'runs');
  writeRunsAddress(false);
}

/** Asks for the shown runs, and watches those in training while the page is visible. */
export async function watchRuns() {
  if (seen()) await Promise.all(state.runs.shown.filter((name) => !state.runs.details[name]).map(load));
  const wanted = seen() ? state.runs.shown.filter(goesOn).slice(0, MOST_STREAMS) : [];
  for (const [name, close] of streams) {
    if (!wanted.includes(name)) {
      close();
      streams.delete(name);
    }
  }
  for (const name of wanted) if (!streams.has(name)) watch(name);
}

/** Whether there may be more iterations. */
function goesOn(name) {
  const run = state.runs.details[name];
  return run && !inside && (run.training || (!run.live && run.iteration < run.iterations));
}

async function load(name) {
  try {
    put(name, await get(`runs/${encodeURIComponent(name)}`));
  } catch (error) {
    trouble(error);
  }
}

function watch(name) {
  streams.set(name, stream(`runs/${encodeURIComponent(name)}/events`, () => ({ after: state.runs.details[name].iteration }), {
    line(line) {
      const run = state.runs.details[name];
      put(name, { ...run, lines: [...run.lines.filter((l) => l.iteration < line.iteration), line] });
    },
    metrics({ iteration, games, positions, time }) {
      const run = state.runs.details[name];
      put(name, { ...run, iteration, games, positions, time: time || run.time });
    },
    live(live) {
      put(name, { ...state.runs.details[name], live, training: !live.finished });
      if (state.runs.lost) update({ lost: null }, 'runs');
    },
    end() {
      streams.delete(name);
      return true;
    },
    cut: lost,
    refused: trouble,
  }, state.runs.details[name].live ? SILENCE : 0));
}

function put(name, run) {
  update({ details: { ...state.runs.details, [name]: run } }, 'runs');
}

/** Asks the server to stop training after the iteration. */
export async function stopRun(name) {
  try {
    await post(`runs/${encodeURIComponent(name)}/stop`);
  } catch (error) {
    trouble(error);
  }
}

/** Asks for a page of a run's games; first counts from the end if it is negative. */
export async function loadGames(run, first) {
  try {
    const { oldest, newest, games } = await get(`runs/${encodeURIComponent(run)}/games`, { first, count: PAGE });
    update({ games: { ...state.runs.games, [run]: { oldest, newest, games } } }, 'runs');
  } catch (error) {
    trouble(error);
  }
}

/** Asks for a run's game, with its searches. */
export async function loadRecord(run, id) {
  return { ...(await get(`runs/${encodeURIComponent(run)}/games/${id}`)), run };
}

/** The address that shows a run's game from its start. */
export const recordLink = (run, id) => link('analyse', { run, id, at: 0 });

/** Reloads the list every few seconds, and stops watching while the page is hidden. */
export function followRuns() {
  document.addEventListener('visibilitychange', watchRuns);
  setInterval(lookAgain, LOOK);
}
