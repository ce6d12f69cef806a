// The About page: what tengen is, and what its terms mean.

import { html } from './html.js';
import { engine } from './api.js';
import { link } from './address.js';
import { state } from './store.js';
import { TERMS } from './terms.js';

export function AboutPage() {
  const games = state.catalog.games.filter((game) => game.rules);
  return html`<div class="page about"><h1>About tengen</h1>
    <p>Tengen learns board games from their rules alone. A network plays against itself, a search improves its moves, and the network
      learns from both. Here you can play against it, see what it thinks${engine ? '' : ', and watch it learn'}.</p>
    <ul class="plain">
      <li><a href=${link('play')}>Play</a>: you against a player, or two players against each other. You choose how strong they are.</li>
      <li><a href=${link('analyse')}>Analyse</a>: what a player thinks of each move, beside the truth where it can be worked out.</li>
      ${!engine && html`<li><a href=${link('runs')}>Runs</a>: training runs, with their curves and their games.</li>`}
    </ul>
    <section class="card"><h2>Games</h2><dl class="terms">${games.map((game) => html`<div key=${game.name}>
      <dt><a href=${link('play', { game: game.name })}>${game.title}</a></dt><dd>${game.rules}</dd></div>`)}</dl></section>
    <section class="card"><h2>Terms</h2><dl class="terms">${Object.entries(TERMS).map(([term, text]) => html`<div key=${term}>
      <dt>${term}</dt><dd>${text}</dd></div>`)}</dl></section>
    ${state.catalog.version && html`<p class="quiet small">Version ${state.catalog.version}. Nothing you do here leaves ${engine ? 'your browser, in which all of it runs' : 'this server'}.</p>`}
  </div>`;
}
