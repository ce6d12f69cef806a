// How far values can be trusted: what searches predicted, against how the games ended.

import { html, Component } from './html.js';
import { get } from './api.js';
import { plural, signed, whole } from './format.js';
import { trouble } from './store.js';

const SIZE = 220;
const scale = (v) => (SIZE * (1 + v)) / 2; // from -1…1 to the drawing's units

/** The card. It loads its data when it is opened. props: run (a name) */
export class Calibration extends Component {
  async ask() {
    try {
      this.setState({ found: await get(`runs/${encodeURIComponent(this.props.run)}/calibration`) });
    } catch (error) {
      trouble(error);
    }
  }

  render({ run }, { found }) {
    return html`<details class="card calibration" onToggle=${(e) => e.target.open && this.ask()}>
      <summary><h2>Value calibration of ${run}</h2></summary>
      ${!found ? html`<p class="quiet">Loading …</p>` : !found.bins.length ? html`<p class="quiet">This run has no games yet.</p>` : html`
        <p class="quiet small">The searches' values in the newest ${plural(found.games, 'game')} against the results, both for the
          side to move. Values on the diagonal are right on average.</p>
        <div class="calibrated"><svg viewBox=${`0 0 ${SIZE} ${SIZE}`} width=${SIZE} height=${SIZE} aria-hidden="true">
          <path class="zero" d=${`M0 ${SIZE / 2}H${SIZE}M${SIZE / 2} 0V${SIZE}`} /><path class="zero" d=${`M0 ${SIZE}L${SIZE} 0`} />
          <polyline class="curve" points=${found.bins.map((b) => `${scale(b.predicted)},${scale(-b.actual)}`).join(' ')} />
          ${found.bins.map((b) => html`<circle class="dot" cx=${scale(b.predicted)} cy=${scale(-b.actual)} r="4" />`)}</svg>
        <table><thead><tr><th scope="col" class="number">Predicted</th><th scope="col" class="number">Result</th>
          <th scope="col" class="number">Positions</th></tr></thead>
          <tbody>${found.bins.map((b) => html`<tr><td class="number">${signed(b.predicted)}</td><td class="number">${signed(b.actual)}</td>
            <td class="number">${whole(b.positions)}</td></tr>`)}</tbody></table></div>`}
    </details>`;
  }
}
