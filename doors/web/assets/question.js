// A question before something is done.

import { html, Component } from './html.js';

/**
 * A question. It takes the focus, and gives it back.
 * @param {object} props text; name: for screen readers; answers: [text, function] of each button; no: the one that, like Esc, calls
 *   cancel; high: whether it stands at the top
 */
export class Question extends Component {
  componentDidMount() {
    this.before = /** @type {HTMLElement} */ (document.activeElement);
    this.place.querySelector('button').focus({ preventScroll: true });
  }

  componentWillUnmount() {
    if (this.before.isConnected) this.before.focus({ preventScroll: true });
  }

  render({ text, name = text, answers, no = 'Cancel', cancel, high }) {
    return html`<div class=${high ? 'confirm high' : 'confirm'} role="alertdialog" aria-label=${name} ref=${(e) => { this.place = e; }}
      onKeyDown=${(e) => e.key === 'Escape' && (e.preventDefault(), cancel())}><span>${text}</span>
      ${answers.map(([answer, act]) => html`<button
        type="button" class="button primary" key=${answer} onClick=${act}>${answer}</button>`)}<button type="button" class="button" onClick=${cancel}>${no}</button></div>`;
  }
}
