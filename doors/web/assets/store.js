// The page's state: one object, from which everything on the screen is drawn. Changes go through update or updateSoon, which redraw.

/** The server's answers and the user's choices. */
export const state = {
  page: 'play', // 'play', 'analyse' or 'runs'
  catalog: null, // the answer to /api/games
  players: {}, // lists of players, by game name
  levels: {}, // lists of {name, seat}, the weakest first, by game name
  trouble: null, // the error message on the page
  loading: null, // {text, share} while the engine is loaded: what, and how much of it has come, from 0 to 1 or null
  silent: false, // whether trouble ends with the server's next answer
  dialog: null, // the open dialog, 'keys' or null
  flipped: false, // whether the user has turned the board

  game: null, // the name of the game on the board
  tree: null, // the game's moves and variations, and the node on the board: a Tree of tree.js
  record: null, // the self-play game on the board, with its searches; null for other games

  play: {
    seats: {}, // {first, second}; a seat is {player, kind, amount}: 'person' or a player's name, and its limit or nulls
    running: false, // whether players other than humans may move
    thinking: null, // while a player thinks: {side or 'hint', report, place in the queue, cut: without a connection}
    said: {}, // by side, its player's last report
    hint: null, // the best move that is known: {move, cell, from, value, proven, player}
    asked: null, // the side that is asked whether it resigns
    resigned: null, // {node, side}: where and by which side
    pause: 700, // the least milliseconds between moves in games without a human
  },

  analysis: {
    opinions: [], // seats of the players asked
    shown: 0, // the index of the opinion on the board
    thinking: true, // whether the players search
    raw: false, // whether to show the network's policy instead of the search
    truth: true, // whether to ask for exact results and show them
    pointed: null, // the move under the pointer; the board shows its line
    look: [], // the moves from the position to the node that the search tree shows
    lookOpen: false, // whether the search tree is open
    waiting: {}, // by opinion, its place in the queue, or CUT without a connection
    retry: null, // {node, tried}: the position where the user looks for a better move, and what was wrong; see retrying
    sweep: null, // {done, total} while all positions of the game are analysed
  },

  runs: {
    list: null, // the runs of /api/runs
    folder: '', // where new runs appear, '' if nowhere
    filter: '', // what the names or games of listed runs contain
    sort: 'newest', // one of SORTS
    lost: null, // the time at which the server stopped answering, null if it answers
    charts: [], // the charts of /api/runs, group by group
    shown: [], // names of the runs in the charts
    details: {}, // answers to /api/runs/NAME by name; streams keep them up to date
    axis: 'games', // one of AXES
    smooth: 'none', // one of SMOOTHING
    games: {}, // by run name, a page of its games: {oldest, newest, games}
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

const REDRAW_INTERVAL = 100; // milliseconds
let lastRedraw = -REDRAW_INTERVAL;
let timer = null; // of the next redraw

/** Like update, for frequent changes such as a search's reports: together, they redraw the page at most once in so many milliseconds. */
export function updateSoon(changes, part, interval = REDRAW_INTERVAL) {
  change(changes, part);
  const draw = () => {
    [lastRedraw, timer] = [performance.now(), null];
    redraw();
  };
  timer ??= setTimeout(draw, lastRedraw + interval - performance.now());
}

function change(changes, part) {
  if (part) {
    state[part] = { ...state[part], ...changes };
  } else {
    Object.assign(state, changes);
  }
}

/** Shows an error, except that of a cancelled request. */
export function trouble(error) {
  if (error?.name !== 'AbortError') update({ trouble: error?.message || String(error), silent: false });
}

/** Says that the server does not answer, or why it refuses for now. */
export function unheard(text = 'The server does not answer. The page continues once it does.') {
  update({ trouble: text, silent: true });
}

/** Removes the message of unheard. */
export function heard() {
  if (state.silent) update({ trouble: null, silent: false });
}
