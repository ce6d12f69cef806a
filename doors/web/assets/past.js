// This position over the iterations: the opinions of a run's models, from the first to the newest.

import { html, Component } from './html.js';
import { answer, reportOf, shownSeat } from './analysis.js';
import { percent, signed } from './format.js';
import { findPlayer, modelsOf, spread } from './players.js';
import { position } from './session.js';
import { state, trouble, update } from './store.js';

const MOST_MODELS = 8;
const LIKELIEST = 3;

/** The seat of a model without a search. */
const bare = (player) => ({ player: player.name, kind: 'simulations', amount: 0 });

/** The card. While it is open, it asks the models about each new position. */
export class Past extends Component {
  componentDidUpdate() {
    if (this.state.open && (this.asked !== state.tree.node || this.run !== this.shownRun())) this.ask();
  }

  componentWillUnmount() {
    this.stop?.abort();
  }

  /** The shown player's run, or the first run if the player belongs to none. */
  shownRun() {
    return findPlayer(shownSeat()?.player)?.run ?? state.players[state.game]?.find((p) => p.run)?.run ?? null;
  }

  /** Some models of the shown run. */
  models() {
    return spread(modelsOf(state.players[state.game] || [], this.shownRun()), MOST_MODELS);
  }

  async ask() {
    this.stop?.abort();
    this.stop = new AbortController();
    const { signal } = this.stop;
    const { node } = state.tree;
    this.asked = node;
    this.run = this.shownRun();
    try {
      for (const model of this.models()) {
        if (signal.aborted || position().over) return;
        if (!reportOf(node, bare(model))) await answer(node, bare(model), signal);
        update({});
      }
    } catch (error) {
      trouble(error);
    }
  }

  toggled(open) {
    this.setState({ open });
    if (open) this.ask();
    else this.stop?.abort();
  }

  render() {
    const models = this.models();
    if (models.length < 2) return null;
    const rows = models.map((model) => ({ model, report: reportOf(state.tree.node, bare(model)) }));
    return html`<details class="card past" onToggle=${(e) => this.toggled(e.target.open)}>
      <summary><h2>This position over the iterations</h2></summary>
      <p class="quiet small">What models of ${models[0].run} think without a search. Values are for the side to move.</p>
      <div class="scroll" tabindex="0" role="group" aria-label="Opinions by iteration"><table><thead><tr><th scope="col">Iteration</th>
        <th scope="col" class="number">Value</th><th scope="col">Likeliest moves</th></tr></thead>
        <tbody>${rows.map(({ model, report }) => html`<tr key=${model.name}><th scope="row">${model.iteration}</th>
          <td class="number">${report?.network ? signed(report.network.value) : '–'}</td>
          <td>${report?.network && likeliest(report.network.policy).map(([move, p]) => html`<span class="likely" key=${move}><b>${move}</b>
            <span class="share-bar" aria-hidden="true"><i style=${{ width: `${100 * p}%` }} /></span> ${percent(p)}</span>`)}</td></tr>`)}</tbody></table></div>
    </details>`;
  }
}

/** @returns {[string, number][]} */
const likeliest = (policy) => Object.entries(policy).sort((a, b) => b[1] - a[1]).slice(0, LIKELIEST);
