// The entry point. It reads the address, requests data from the server, and draws everything from the state.

import { html, render, classes, Component } from './html.js';
import { AboutPage } from './aboutpage.js';
import { engine, get, inside, onAnswer } from './api.js';
import { link, parseSeat, readAddress } from './address.js';
import { followAnalysis, startAnalysis, stopAnalysis, stopSweep, writeAnalysisAddress } from './analysis.js';
import { AnalysePage } from './analysepage.js';
import { IconButton } from './icons.js';
import { BOARD_KEYS, KEYS, lettersAreKeys, listenToKeys, switchLetters } from './keys.js';
import { gameTitle } from './gamechoice.js';
import { fitLevels } from './levels.js';
import { beginTurn, followPlay, pause, writePlayAddress, yourTurn } from './match.js';
import { PlayPage } from './playpage.js';
import { AXES, followRuns, loadRecord, loadRuns, markLost, watchRuns } from './runs.js';
import { RunsPage } from './runspage.js';
import { SMOOTHING } from './series.js';
import { gameParams, onGame, openGame, position } from './session.js';
import { heard, onChange, state, trouble, unheard, update } from './store.js';
import { onSystemTheme, switchTheme, theme } from './theme.js';
import { moves } from './tree.js';

const BOARDS = { play: ['Play', PlayPage], analyse: ['Analyse', AnalysePage] };
const RUNS = { runs: ['Runs', RunsPage] };
const PAGES = engine ? { ...BOARDS, about: ['About', AboutPage] } : inside ? RUNS : { ...BOARDS, ...RUNS, about: ['About', AboutPage] };
const [HOME] = Object.keys(PAGES);

/** The page to begin with: Runs if this server trains a run. */
const home = () => (state.catalog?.training ? 'runs' : HOME);

let opening = 0; // counts the addresses opened, so that late answers for earlier ones are ignored

/** Opens what the address names. */
async function open() {
  const mine = ++opening;
  const late = () => mine !== opening;
  const { page, params } = readAddress();
  const name = Object.hasOwn(PAGES, page) ? page : home();
  pause();
  stopSweep();
  stopAnalysis();
  update({ page: name, trouble: null });
  try {
    if (name === 'runs') await openRuns(params);
    else if (name !== 'about') await openBoard(name, params, late);
  } catch (error) {
    if (!late()) {
      trouble(error);
      startAnalysis(); // the board is unchanged
    }
  }
  watchRuns();
}

async function openRuns(params) {
  const axis = params.get('axis');
  const shown = params.getAll('show');
  const smooth = params.get('smooth');
  update({
    axis: AXES.includes(axis) ? axis : 'games',
    smooth: Object.hasOwn(SMOOTHING, smooth) ? smooth : 'none',
    shown: shown.length ? shown : state.runs.shown,
  }, 'runs');
  await loadRuns();
}

async function openBoard(page, params, late) {
  const at = params.has('at') ? Number(params.get('at')) : null;
  let game = params.get('game') || state.game || state.catalog.games[0].name;
  let text = params.get('moves');
  if (text === null) text = !params.has('game') && state.tree ? moves(state.tree.line().at(-1)).join(' ') : '';
  let record = null;
  if (params.get('run') && params.get('id')) {
    record = await loadRecord(params.get('run'), params.get('id'));
    [game, text] = [record.game, params.get('moves') ?? record.moves];
  }
  if (late()) return;
  const players = { first: parseSeat(params.get('first')), second: parseSeat(params.get('second')), by: params.getAll('by').map(parseSeat), mistakes: params.get('mistakes') };
  if (!await openGame(game, text, at, { record, players, lines: params.getAll('line'), resigned: params.get('resigned') }) || late()) return;
  if (page !== 'play') return writeAnalysisAddress(false);
  writePlayAddress(false);
  beginTurn();
}

/** A link to a page, with the game on the board or the runs in the charts. */
function pageLink(page) {
  if (page === 'about') return link(page);
  if (page === 'runs' || !state.tree) return link(page, page === 'runs' ? { show: state.runs.shown } : {});
  return link(page, gameParams());
}

/** Name, pages, theme and keys. */
function Header() {
  const skip = (event) => {
    event.preventDefault(); // #main would replace the game's address
    document.getElementById('main').focus();
  };
  return html`<header class="head"><a class="skip" href="#main" onClick=${skip}>To the content</a>
    <a class="logo" href=${pageLink(HOME)}><img src="icon.svg" alt="" width="28" height="28" /><b>tengen</b></a>
    <nav aria-label="Pages">${Object.entries(PAGES).map(([page, [title]]) => html`<a key=${page} href=${pageLink(page)}
      aria-current=${state.page === page ? 'page' : undefined}>${title}</a>`)}</nav>
    <span class="spring"></span>
    <${IconButton} icon=${theme() === 'dark' ? 'sun' : 'moon'} kind="ghost" label=${theme() === 'dark' ? 'Light theme' : 'Dark theme'}
      onClick=${() => { switchTheme(); update({}); }} />
    ${HOME === 'play' && html`<button type="button" class="button ghost square" aria-label="Keys" title="Keys (?)"
      onClick=${() => update({ dialog: 'keys' })}>?</button>`}
  </header>`;
}

/** The list of keys. */
class Keys extends Component {
  componentDidMount() {
    this.place.showModal();
  }

  render() {
    const list = (keys) => html`<dl>${keys.map((k) => html`<div><dt><kbd>${k.shown}</kbd></dt><dd>${k.text}</dd></div>`)}</dl>`;
    return html`<dialog ref=${(e) => { this.place = e; }} aria-labelledby="keys-title" onClose=${() => update({ dialog: null })}
      onClick=${(e) => e.target === e.currentTarget && e.currentTarget.close()}>
      <div class="dialog-head"><h2 id="keys-title">Keys</h2>
        <${IconButton} icon="close" kind="ghost" label="Close" onClick=${() => this.place.close()} /></div>
      ${list(KEYS)}<h3>On the board</h3>${list(BOARD_KEYS)}
      <label class="check"><input type="checkbox" checked=${lettersAreKeys()} onChange=${switchLetters} /> Use letters and digits as shortcuts</label></dialog>`;
  }
}

/** The title of the tab: the game, and whether it waits for the user. */
function title() {
  const [name] = PAGES[state.page];
  if (!position() || state.page === 'runs' || state.page === 'about') return `${name} – tengen`;
  return state.page === 'play' ? `${yourTurn() ? 'Your turn – ' : ''}${gameTitle(state.game)} – tengen` : `Analyse ${gameTitle(state.game)} – tengen`;
}

/** Everything on the screen. */
class App extends Component {
  componentDidMount() {
    onChange(() => this.setState({}));
  }

  render() {
    document.title = title();
    const Page = PAGES[state.page][1];
    return html`<${Header} />
      ${state.loading && html`<div class="loading-bar" role="status"><label for="loaded">${state.loading.text} …</label>
        <progress id="loaded" value=${state.loading.share ?? undefined} max="1"></progress></div>`}
      ${state.trouble && html`<div class="trouble" role="alert"><span>${state.trouble}</span>
        <${IconButton} icon="close" kind="ghost" label="Close the message" onClick=${() => update({ trouble: null })} /></div>`}
      <main id="main" tabindex="-1" class=${classes(`on-${state.page}`)}>${state.catalog && html`<${Page} />`}</main>
      ${state.dialog === 'keys' && html`<${Keys} />`}`;
  }
}

/** Fits the levels to the engine's speed, once it is there. */
function followEngine() {
  engine.ready.then(() => {
    onGame(fitLevels);
    if (state.game) fitLevels();
  }).catch(trouble);
}

async function begin() {
  update({ page: HOME });
  document.querySelector('.late')?.remove(); // it has started
  render(html`<${App} />`, document.getElementById('app'));
  followPlay();
  followAnalysis();
  followRuns();
  onAnswer(heard, () => (state.page === 'runs' && state.runs.list ? markLost() : unheard()));
  if (HOME === 'play') listenToKeys();
  if (engine) followEngine();
  addEventListener('popstate', open);
  onSystemTheme(() => update({}));
  try {
    const known = document.getElementById('games'); // the server's answer, which it has put into the page
    update({ catalog: known ? JSON.parse(known.textContent) : await get('games') });
  } catch (error) {
    trouble(error);
    return;
  }
  await open();
  if (engine && !isSecureContext && !state.trouble) trouble(new Error('This page is not served by https: it works, but not offline.'));
}

begin();
