// The state of the page. It is one object. Only update changes it, and everything on the screen is drawn from it.

import { Silence } from './api.js';

/** What the page knows and what its user has chosen. Read it anywhere; change it with update. */
export const state = {
  page: 'play', // 'play', 'analyse' or 'runs'
  catalog: null, // the answer of /api/games
  players: {}, // lists of players by the game's name
  levels: {}, // {name, seat} by the game's name, the weakest first
  trouble: null, // an error message, until it is closed
  silent: false, // the trouble is that the server does not answer
  dialog: null, // the dialog that is open: 'keys'

  game: null, // the game's name
  tree: null, // all moves and variations of the game, with the place on the board: see tree.js
  record: null, // the self-play game that is looked at, with what its searches thought

  play: {
    seats: {}, // who plays each side: {player, kind, amount}; player is 'person' or a name
    running: false, // players may move by themselves
    thinking: null, // {side, report, place} while a player thinks
    hint: null, // {move, cell, value} once asked for
    resigned: null, // {node, side}
    pause: 700, // the least time between two moves of players, in milliseconds
  },

  analysis: {
    opinions: [], // who is asked: {player, kind, amount}
    shown: 0, // whose candidates are on the board
    thinking: true,
    raw: false, // the network's policy instead of the search
    truth: true,
    pointed: null, // the move whose line is shown
    look: [], // moves from the position into the search tree
    lookOpen: false,
    waiting: {}, // the place in the queue by opinion, CUT without a connection
    sweep: null, // {done, total} while the whole game is examined
  },

  runs: {
    list: null,
    lost: null, // since when the server has not answered
    charts: [], // all charts, group by group
    shown: [], // names of the runs in the charts
    details: {}, // the answer of /api/runs/NAME by name, with lines and live kept up to date
    axis: 'games',
    smooth: 'none', // one of SMOOTHING
    games: {}, // a page of the list of games by the run's name: {oldest, newest, games}
  },
};

let redraw = () => {};

/** Sets the function that draws the page. */
export function onChange(f) {
  redraw = f;
}

/** Changes fields of the state, or of one part of it, and redraws the page. */
export function update(changes, part) {
  change(changes, part);
  redraw();
}

const REST = 100; // milliseconds
let drawn = -REST;
let waiting = null;

/** An update without a user's action, such as a search's next report: these redraw the page at most ten times a second. */
export function updateSoon(changes, part) {
  change(changes, part);
  const draw = () => {
    [drawn, waiting] = [performance.now(), null];
    redraw();
  };
  waiting ??= setTimeout(draw, drawn + REST - performance.now());
}

function change(changes, part) {
  if (part) {
    state[part] = { ...state[part], ...changes };
  } else {
    Object.assign(state, changes);
  }
}

/** Shows an error. */
export function trouble(error) {
  if (error?.name !== 'AbortError') update({ trouble: error?.message || String(error), silent: error instanceof Silence });
}

/** Removes the message that the server does not answer. */
export function heard() {
  if (state.silent) update({ trouble: null, silent: false });
}
