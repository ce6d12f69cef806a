// A control that chooses a game: one from the list, a board of any size, or any game by its name.

import { html, Component } from './html.js';
import { capital } from './format.js';
import { position } from './session.js';
import { state } from './store.js';

const FREE = 'another';

/** The title of a game, or its name if it is not in the list. */
export const gameTitle = (name) => state.catalog.games.find((g) => g.name === name)?.title || name;

/**
 * The families of games whose names have numbers, by their first word, with the names of the numbers.
 * @param {string[]} families forms of names, such as "connect4 or connect4:COLUMNS,ROWS,K"
 */
export function numbersOf(families) {
  const found = families.map((form) => form.match(/(\w+):([A-Z]+(?:,[A-Z]+)*)(?:\[|$)/)).filter(Boolean);
  return Object.fromEntries(found.map(([, word, numbers]) => [word, numbers.split(',')]));
}

const SIDE = 6; // of a board of which the menu has none

/** The choice of a game. choose is called with its name. */
export class GameChoice extends Component {
  constructor() {
    super();
    this.state = { free: false, family: null, numbers: {}, name: '' };
  }

  render({ choose }, { free, family, numbers, name }) {
    const { games: offered, families } = state.catalog;
    const known = offered.some((g) => g.name === state.game);
    const sized = numbersOf(families);
    const word = family ?? Object.keys(sized)[0];
    const like = offered.find((g) => g.family === word);
    const usual = { COLUMNS: like?.columns, ROWS: like?.rows, K: like?.in_a_row };
    const value = (number) => numbers[number] ?? usual[number] ?? like?.columns ?? SIDE;
    const pick = (game) => {
      this.setState({ free: game === FREE });
      if (game !== FREE) choose(game);
    };
    const apply = (e) => {
      e.preventDefault();
      choose(name.trim() || `${word}:${sized[word].map(value).join()}`);
      this.setState({ name: '' });
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
        ${word && html`<label class="field"><span class="field-name">Kind</span>
          <select value=${word} onChange=${(e) => this.setState({ family: e.target.value, name: '' })}>
            ${Object.keys(sized).map((w) => html`<option key=${w} value=${w} selected=${w === word}>${w}</option>`)}</select></label>
          ${sized[word].map((number) => html`<label class="field" key=${number}><span class="field-name">${capital(number.toLowerCase())}</span>
            <input type="number" min="1" max="20" value=${value(number)}
              onInput=${(e) => this.setState({ numbers: { ...numbers, [number]: Number(e.target.value) }, name: '' })} /></label>`)}`}
        <label class="field name"><span class="field-name">Or a name</span><input value=${name} placeholder=${families[0]} autocomplete="off"
          autocapitalize="off" spellcheck="false" required=${!word} onInput=${(e) => this.setState({ name: e.target.value })} /></label>
        <button class="button">Set up</button></form>`}
    </div>`;
  }
}
