// Runs: the list of them, what each has measured, and streams of what those that go on measure.

import { get, inside, stream } from './api.js';
import { link, writeAddress } from './address.js';
import { state, trouble, update } from './store.js';

/** What the horizontal axis of the charts can be. */
export const AXES = ['games', 'positions', 'steps', 'hours'];

/** The number of games in a page of the list. */
export const PAGE = 50;

// How many runs are watched at once: a browser opens six connections to a server, and others are needed, too.
const MOST_STREAMS = 3;

const streams = new Map(); // open streams by the run's name

/** Asks for the list of runs. The first one is shown if none was chosen. */
export async function loadRuns() {
  const { runs, charts } = await get('runs');
  const good = runs.filter((r) => !r.error);
  const known = state.runs.shown.filter((name) => good.some((r) => r.name === name));
  update({ list: runs, charts, shown: known.length ? known : good.slice(0, 1).map((r) => r.name) }, 'runs');
}

/** Writes into the address which runs are shown. */
export function writeRunsAddress(push) {
  const { shown, axis } = state.runs;
  writeAddress(link('runs', { show: shown, axis: axis === 'games' ? null : axis }), push);
}

/** Shows a run in the charts, or takes it away. */
export function toggleRun(name) {
  const { shown } = state.runs;
  update({ shown: shown.includes(name) ? shown.filter((n) => n !== name) : [...shown, name] }, 'runs');
  writeRunsAddress(false);
  watchRuns();
}

/** Chooses the horizontal axis. */
export function setAxis(axis) {
  update({ axis }, 'runs');
  writeRunsAddress(false);
}

/** Asks for the runs that are shown, and watches those of them that go on, but none while nobody looks. */
export async function watchRuns() {
  const seen = () => state.page === 'runs' && !document.hidden;
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
  return run && !inside && (run.training || run.iteration < run.iterations);
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
    live: (live) => put(name, { ...state.runs.details[name], live, training: !live.finished }),
    end: () => true,
    refused: trouble,
  }));
}

function put(name, run) {
  update({ details: { ...state.runs.details, [name]: run } }, 'runs');
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

/** Asks for a game of a run, with what its searches thought. */
export async function loadRecord(run, id) {
  return { ...(await get(`runs/${encodeURIComponent(run)}/games/${id}`)), run };
}

/** The address at which a game of a run is looked at from its start. */
export const recordLink = (run, id) => link('analyse', { run, id, at: 0 });

/** Stops watching while nobody looks. */
export function followRuns() {
  document.addEventListener('visibilitychange', watchRuns);
}
