// A table of moves, with a column for each player's opinion and one for the truth.

import { html, classes } from './html.js';
import { reportOf } from './analysis.js';
import { count, lost, percent, score, worth } from './format.js';
import { findPlayer } from './players.js';
import { position } from './session.js';
import { state, update } from './store.js';
import { Term } from './terms.js';

const MOST_ROWS = 12;

const UNLIKELY = 0.0005; // shares below it are written as 0.0 %

/** The moves that a report is about, the best first: without those that the search did not try and the network finds unlikely. */
function ranked(report, raw) {
  if (raw) return Object.entries(report?.network?.policy || {}).filter(([, p]) => p >= UNLIKELY).sort((a, b) => b[1] - a[1]).map(([move]) => move);
  return (report?.candidates || []).filter((c) => c.visits > 0 || c.proven || c.policy > 0 || c.prior >= UNLIKELY).map((c) => c.move);
}

/** The moves to list: the best of each opinion and of the truth, then the second best of each, and so on; the truth's other moves last. */
export function listed(reports, truth, raw) {
  const lists = [...reports.map((report) => ranked(report, raw)), truth?.best || []];
  const moves = new Set();
  for (let rank = 0; lists.some((list) => rank < list.length); rank++) {
    for (const list of lists) if (rank < list.length) moves.add(list[rank]);
  }
  for (const t of truth?.truth || []) if (t.result) moves.add(t.move);
  return [...moves].slice(0, MOST_ROWS);
}

const point = (move) => update({ pointed: move }, 'analysis');

/** A move's truth: the exact score, or the result in a word. */
function Exact({ truth, move }) {
  const t = truth?.truth.find((x) => x.move === move);
  const best = truth?.best.includes(move);
  if (!t?.result) return html`<td class="number quiet">–</td>`;
  const text = t.score !== null ? score(t.score) : t.result;
  return html`<td class="number"><span class=${classes('tag', t.result, best && 'best')} title=${t.result + (t.plies ? ` in ${t.plies} plies` : '')}>
    ${text}</span></td>`;
}

/** One opinion's cells in a row: the move's value, its visits and, if it is the only opinion, its prior, if the player has any. If raw,
 * its share of the policy. A player that counts no visits has no column for them. */
function Opinion({ report, move, raw, only }) {
  const c = report?.candidates.find((x) => x.move === move);
  if (raw) {
    const p = report?.network?.policy[move];
    return html`<td class="number">${percent(p, 1)}</td><td class="bar-cell"><${Share} of=${p || 0} /></td>`;
  }
  const visited = counts(report);
  if (!c) return html`<td class="number quiet">–</td>${visited && html`<td class="bar-cell"></td>`}${only && visited && html`<td class="number quiet">–</td>`}`;
  const most = Math.max(1, ...report.candidates.map((x) => x.visits));
  return html`<td class="number"><span class="worth" style=${{ '--lost': lost(c, report.candidates[0]) }}>${worth(c)}</span></td>
    ${visited && html`<td class="bar-cell"><${Share} of=${c.visits / most} /><span>${count(c.visits)}</span></td>`}
    ${only && visited && html`<td class="number quiet">${percent(report.candidates.some((x) => x.prior > 0) ? c.prior : null, 1)}</td>`}`;
}

/** Whether a report's player counts visits, as one that has not answered yet may. */
const counts = (report) => !report || report.candidates.some((c) => c.visits > 0 || c.prior > 0);

/** A share as a bar. */
const Share = ({ of }) => html`<span class="share-bar" aria-hidden="true"><i style=${{ width: `${100 * of}%` }} /></span>`;

/** The table of candidates. Pointing at a row, or focusing it, shows its line on the board; choosing it plays the move. */
export function Candidates({ play }) {
  const { tree, analysis } = state;
  const { raw, pointed } = analysis;
  const opinions = raw ? analysis.opinions.filter((seat) => findPlayer(seat.player)?.network) : analysis.opinions;
  const reports = opinions.map((seat) => reportOf(tree.node, seat));
  const truth = analysis.truth && tree.node.truth?.truth.some((t) => t.result) ? tree.node.truth : null;
  const rows = listed(reports, truth, raw);
  const only = opinions.length === 1;
  if (position().over) return null;
  return html`<div class=${classes('scroll', !only && 'shaded')} tabindex=${only ? undefined : 0} role=${only ? undefined : 'group'} aria-label=${only ? undefined : 'Opinions'}>
    <table class=${classes('candidates', !only && `opinions-${opinions.length}`, raw && 'raw')} aria-label="Candidates" onMouseLeave=${() => point(null)}>
    <thead>${opinions.length > 1 && html`<tr><td></td>${truth && html`<td></td>`}
        ${opinions.map((o, i) => html`<th colspan=${raw || counts(reports[i]) ? 2 : 1} scope="colgroup" class="opinion-name" title=${o.player}>${o.player}</th>`)}</tr>`}
      <tr><th scope="col">Move</th>${truth && html`<th scope="col" class="number"><${Term} name="truth" id="what-truth">Truth<//></th>`}
        ${opinions.map((_, i) => html`<th scope="col" class="number"><${Term} name=${raw ? 'policy' : 'value'} id=${`what-value-${i}`}>${
          raw ? 'Policy' : 'Value'}<//></th>
          ${(raw || counts(reports[i])) && html`<th scope="col">${raw ? '' : html`<${Term} name="visits" id=${`what-visits-${i}`}>Visits<//>`}</th>`}${only && !raw
            && counts(reports[i]) && html`<th scope="col" class="number"><${Term} name="prior" id=${`what-prior-${i}`}>Prior<//></th>`}`)}</tr></thead>
    <tbody>${rows.map((move) => html`<tr key=${move} class=${classes(move === pointed && 'pointed')} onMouseEnter=${() => point(move)}>
      <th scope="row"><button type="button" class="move" onFocus=${() => point(move)} onBlur=${() => point(null)}
        onClick=${() => play(move)}>${move}</button></th>
      ${truth && html`<${Exact} truth=${truth} move=${move} />`}
      ${reports.map((report) => html`<${Opinion} report=${report} move=${move} raw=${raw} only=${only} />`)}
    </tr>`)}
    ${rows.length === 0 && html`<tr><td colspan="9" class="quiet">
      ${state.analysis.thinking ? 'Thinking …' : 'Nothing is known yet: press space to think.'}</td></tr>`}
    </tbody></table></div>`;
}
