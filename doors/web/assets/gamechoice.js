// A control that chooses a game: one from the list, a board of any size, or any game by its name.

import { html, Component } from './html.js';
import { position } from './session.js';
import { state } from './store.js';

const FREE = 'another';

/** The title of a game, or its name if it is not in the list. */
export const gameTitle = (name) => state.catalog.games.find((g) => g.name === name)?.title || name;

/** The choice of a game. choose is called with its name. */
export class GameChoice extends Component {
  constructor() {
    super();
    this.state = { free: false, drops: false, columns: 9, rows: 9, k: 5, name: '' };
  }

  render({ choose }, { free, drops, columns, rows, k, name }) {
    const offered = state.catalog.games;
    const known = offered.some((g) => g.name === state.game);
    const pick = (game) => {
      this.setState({ free: game === FREE });
      if (game !== FREE) choose(game);
    };
    const number = (key, label, value, max) => html`<label class="field"><span class="field-name">${label}</span>
      <input type="number" min="1" max=${max} value=${value} onInput=${(e) => this.setState({ [key]: Number(e.target.value) })} /></label>`;
    const apply = (e) => {
      e.preventDefault();
      choose(name.trim() || `${drops ? 'connect4' : 'mnk'}:${columns},${rows},${k}`);
    };
    const rules = position()?.rules;
    return html`<div class="game-choice">
      <label class="field"><span class="field-name">Board</span>
        <select id="game" value=${free ? FREE : state.game} onChange=${(e) => pick(e.target.value)}>
          ${!known && html`<option value=${state.game} selected>${state.game}</option>`}
          ${offered.map((g) => html`<option key=${g.name} value=${g.name} selected=${!free && g.name === state.game}>${g.title}</option>`)}
          <option value=${FREE} selected=${free}>another size …</option>
        </select></label>
      ${rules && html`<p class="quiet small rule">${rules}</p>`}
      ${free && html`<form class="sizes" onSubmit=${apply}>
        <label class="field"><span class="field-name">Stones</span>
          <select value=${drops ? 'drop' : 'lie'} onChange=${(e) => this.setState({ drops: e.target.value === 'drop' })}>
            <option value="lie" selected=${!drops}>lie anywhere</option><option value="drop" selected=${drops}>drop down</option></select></label>
        ${number('columns', 'Columns', columns, 20)}${number('rows', 'Rows', rows, 20)}${number('k', 'In a row', k, 20)}
        <label class="field name"><span class="field-name">Or a name</span><input value=${name} placeholder="mnk:4,4,3" autocomplete="off"
          autocapitalize="off" spellcheck="false" onInput=${(e) => this.setState({ name: e.target.value })} /></label>
        <button class="button">Set up</button></form>`}
    </div>`;
  }
}
