// Runs' self-play games on the Analyse page: the choice of a game, and the searches behind its moves.

import { html, Component } from './html.js';
import { recordAt } from './analysis.js';
import { link } from './address.js';
import { outcome } from './announce.js';
import { capital, count, percent, plural, signed, whole } from './format.js';
import { PAGE, loadGames, loadRuns, recordLink } from './runs.js';
import { position } from './session.js';
import { state, trouble } from './store.js';

/** The card with the self-play search at the position on the board. */
export function Record() {
  const { record, tree } = state;
  if (!record) return null;
  const here = recordAt(tree.node);
  const best = Object.entries(here?.policy || {}).sort((a, b) => b[1] - a[1]).slice(0, 6);
  return html`<section class="card record"><h2>Game ${whole(record.id)} of ${record.run}</h2>
    <p class="quiet">${capital(outcome({ ...position(), winner: record.winner }))} after ${plural(record.plies.length, 'move')}. Model ${record.model}, worker ${record.worker}.</p>
    ${!here && html`<p>This is the end of the game, or a position outside it.</p>`}
    ${here?.opening && html`<p>${here.move} was chosen at random for the opening.</p>`}
    ${here && !here.opening && html`<p>Self-play chose <b>${here.move}</b> after ${count(here.simulations)} simulations, value ${signed(here.value)}
      ${here.weight !== null && here.weight !== 1 ? html`, weight ${here.weight.toFixed(2)}` : ''}.</p>
      <ul class="policy-list">${best.map(([move, share]) => html`<li key=${move}><b>${move}</b>
        <span class="share-bar"><i style=${{ width: percent(share).replace('\u202f', '') }} /></span>
        <span class="number">${percent(share, 1)}</span><span class="number quiet">${count(share * here.simulations)}</span></li>`)}</ul>`}
    <a href=${link('runs', { show: record.run })}>Back to the run</a></section>`;
}

/** The choice of a game of any run, by its number. */
export class RecordChoice extends Component {
  async opened() {
    try {
      await loadRuns();
      await this.pick(this.run());
    } catch (error) {
      trouble(error);
    }
  }

  async pick(run) {
    this.setState({ run });
    if (run) await loadGames(run, -PAGE);
  }

  /** The chosen run: at first the run of the game on the board, if any. */
  run() {
    return this.state.run || state.record?.run || readable()[0]?.name;
  }

  render() {
    const { list, games } = state.runs;
    const run = this.run();
    const known = games[run];
    const submit = (e) => {
      e.preventDefault();
      location.hash = recordLink(run, e.target.elements.id.value);
    };
    return html`<details class="card" onToggle=${(e) => e.target.open && this.opened()}><summary><h2>Games of runs</h2></summary>
      ${!list ? html`<p class="quiet">Loading …</p>`
        : !run ? html`<p class="quiet">There are no runs yet. To show one, start the server with <code>--run checkpoints/NAME</code>.</p>`
        : html`<form class="share" onSubmit=${submit}>
          <label class="field grow"><span class="field-name">Run</span><select value=${run} onChange=${(e) => this.pick(e.target.value)}>
            ${readable().map((r) => html`<option key=${r.name} value=${r.name} selected=${r.name === run}>${r.name}</option>`)}</select></label>
          <label class="field"><span class="field-name">Game</span><input name="id" type="number" required disabled=${(known?.newest ?? null) === null} key=${`${run} ${!!known}`}
            min=${known?.oldest} max=${known?.newest} defaultValue=${known?.newest} /></label>
          <button class="button" disabled=${(known?.newest ?? null) === null}>Open</button>
          ${known && html`<p class="quiet small">${known.newest !== null ? `Games ${whole(known.oldest)} to ${whole(known.newest)} are kept.` : 'This run has no games yet.'}</p>`}
        </form>`}
    </details>`;
  }
}

/** The runs that can be read. */
const readable = () => (state.runs.list || []).filter((r) => !r.error);
