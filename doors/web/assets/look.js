// The search tree: what the search found about the following moves, down to its deepest position.

import { html } from './html.js';
import { lookAt, shownReport } from './analysis.js';
import { count, percent, worth } from './format.js';
import { state, update } from './store.js';

/** The card. A click on a move shows the moves after it. start repeats the question to the players. */
export function Look({ start }) {
  const { look, lookOpen } = state.analysis;
  const report = shownReport();
  const root = report && {
    visits: report.simulations, value: report.value, children: report.candidates.filter((c) => c.visits > 0),
  };
  const node = look.length ? (report?.line?.asked === look.join(' ') ? report.line : null) : root;
  const total = Math.max(1, ...(node?.children || []).map((c) => c.visits));
  return html`<details class="card look" open=${lookOpen} onToggle=${(e) => {
    if (e.target.open !== lookOpen) update({ lookOpen: e.target.open }, 'analysis');
    if (e.target.open && look.length) start();
  }}><summary><h2>Search tree</h2></summary>
    <nav class="crumbs" aria-label="Moves into the tree">
      <button type="button" class="move" onClick=${() => lookAt([])}>here</button>
      ${look.map((move, i) => html`<span aria-hidden="true">›</span>
        <button type="button" class="move" onClick=${() => lookAt(look.slice(0, i + 1))}>${move}</button>`)}
    </nav>
    ${node && html`<p class="quiet">${count(node.visits)} visits, value ${worth(node)} for the side to move there</p>`}
    <ul class="children">${(node?.children || []).slice(0, 16).map((c) => html`<li key=${c.move}>
      <button type="button" class="child" onClick=${() => lookAt([...look, c.move])}>
        <b><span class="unseen">Look at </span>${c.move}</b><span class="share-bar" aria-hidden="true"><i style=${{ width: `${(100 * c.visits) / total}%` }} /></span>
        <span class="number">${count(c.visits)}</span><span class="number">${worth(c)}</span><span class="number quiet">${percent(c.prior)}</span>
      </button></li>`)}</ul>
    ${node?.children.length === 0 && html`<p class="quiet">The search has not looked beyond this move.</p>`}
    ${!node && html`<p class="quiet">${report ? 'Loading …' : 'Nothing has been searched yet.'}</p>`}
  </details>`;
}
