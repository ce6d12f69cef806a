// The moves of a game with its variations, and a form to copy, paste or download them.

import { getFile } from './api.js';
import { html, classes, Component } from './html.js';
import { say } from './announce.js';
import { save } from './download.js';
import { look } from './format.js';
import { describe, mistake, moveNumber } from './mistakes.js';
import { gameParams, position } from './session.js';
import { state, trouble } from './store.js';
import { notation } from './tree.js';

const MARKS = ['', '?!', '?'];

/** One move as a button. */
function Move({ node, seat, marks, go }) {
  const here = node === state.tree.node;
  const wrong = marks && mistake(node, seat);
  return html`<button type="button" class=${classes('move', here && 'here', wrong && `wrong-${wrong.grade}`)}
    aria-current=${here ? 'step' : undefined} onClick=${() => go(node)} title=${wrong ? describe(wrong) : undefined}>
    <i class=${node.ply % 2 ? 'first' : 'second'} aria-hidden="true"></i>${node.move}${wrong ? html`<b>${MARKS[wrong.grade]}</b>` : ''}
  </button>`;
}

/** A line of moves from a node on: a row for each move of both sides. Other variations are indented below the move that they replace. */
function Line({ node, seat, marks, go }) {
  const parts = [];
  let row = null; // the first side's move and its number, as long as the second side's may follow
  for (let at = node; at; at = at.children[0]) {
    if (at.move) {
      if (!row || at.ply % 2) {
        row = [html`<span class="number">${moveNumber(at)}.</span>`, at.ply % 2 ? null : html`<span class="skipped" aria-hidden="true">…</span>`];
        parts.push(html`<span class="pair">${row}</span>`);
      }
      row.push(html`<${Move} node=${at} seat=${seat} marks=${marks} go=${go} />`);
    }
    const others = at.parent && at.parent.children[0] === at && at !== node ? at.parent.children.slice(1) : [];
    if (others.length) {
      row = null;
      parts.push(html`<div class="variations">${others.map((o) => html`<${Line} node=${o} seat=${seat} marks=${marks} go=${go} />`)}</div>`);
    }
  }
  return html`<div class="line">${parts}</div>`;
}

/**
 * The tree of moves. It keeps the move on the board in view.
 * @param {object} props seat: whose opinion finds mistakes; marks: whether to mark them; go: called with the chosen node
 */
export class Moves extends Component {
  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const here = this.place.querySelector('.here');
    if (!here || state.tree.node === this.seen) return;
    this.seen = state.tree.node;
    const { top, bottom } = this.place.getBoundingClientRect();
    const box = here.getBoundingClientRect();
    if (box.top < top || box.bottom > bottom) this.place.scrollTop += box.top - top - (bottom - top) / 2;
  }

  render({ seat, marks, go }) {
    const { root } = state.tree;
    return html`<div class=${`moves on-${look(position())}`} ref=${(e) => { this.place = e; }} role="group" aria-label="Moves" tabindex="0">
      <button type="button" class=${classes('move', state.tree.node === root && 'here')} onClick=${() => go(root)}>Start</button>
      ${root.children.map((child, i) => html`<div key=${child.move} class=${i ? 'variations' : 'main-line'}><${Line} node=${child} seat=${seat} marks=${marks} go=${go} /></div>`)}
    </div>`;
  }
}

/** Copies a text, also in browsers that copy only selected text. Messages name it by what. Returns whether that worked. */
export async function copy(text, what) {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
    } else {
      const field = Object.assign(document.createElement('textarea'), { value: text });
      document.body.append(field);
      field.select();
      const copied = document.execCommand('copy');
      field.remove();
      if (!copied) throw new Error('not allowed');
    }
    say(`${what} copied.`);
    return true;
  } catch {
    trouble(new Error(`The browser does not let the page copy. The ${what.toLowerCase()}: ${text}`));
    return false;
  }
}

/** A form with the moves as text, and buttons to copy them, to open and download games and to copy a link to this one. open is called
 * with an edited text and with that of a file that is chosen or dropped, and throws what is wrong with it. */
export class Share extends Component {
  componentDidMount() {
    this.drag = (e) => e.dataTransfer?.types.includes('Files') && e.preventDefault();
    this.drop = (e) => {
      this.drag(e);
      this.openFile(e.dataTransfer?.files[0]);
    };
    addEventListener('dragover', this.drag);
    addEventListener('drop', this.drop);
  }

  componentWillUnmount() {
    removeEventListener('dragover', this.drag);
    removeEventListener('drop', this.drop);
  }

  async openFile(file) {
    if (file) await this.open(await file.text());
  }

  async open(text) {
    try {
      await this.props.open(text);
      this.setState({ wrong: null });
    } catch (error) {
      this.setState({ wrong: { node: state.tree.node, text: error.message } });
    }
  }

  async copied(text, what) {
    if (!await copy(text, what)) return;
    this.setState({ copied: what });
    setTimeout(() => this.setState({ copied: null }), 1500);
  }

  render(_, { copied, wrong }) {
    const text = notation(state.tree.node);
    const { game, moves: whole, line, resigned } = gameParams();
    const download = () => {
      const lines = [whole, ...line.filter((other) => other !== whole)].join('\n');
      getFile('sgf', { game, resigned }, lines).then(({ name, type, text: content }) => save(name, type, content)).catch(trouble);
    };
    const fault = wrong?.node === state.tree.node && wrong.text; // on another position, it has been mended
    const paste = (e) => {
      const pasted = e.clipboardData.getData('text');
      if (!/\n/.test(pasted)) return;
      e.preventDefault(); // some browsers drop line ends, which part moves
      e.target.value = pasted.replace(/\s+/g, ' ').trim();
    };
    return html`<form class="share" onSubmit=${(e) => { e.preventDefault(); this.open(e.target.elements.moves.value); }}>
      <label class="field grow"><span class="field-name">Position</span>
        <input key=${text} name="moves" defaultValue=${text} placeholder=${`moves${position().legal.length ? `, such as ${position().legal[0].move}` : ''}`} autocomplete="off"
          autocapitalize="off" spellcheck="false" onPaste=${paste} aria-invalid=${!!fault} /></label>
      <button class="button" type="submit">Go</button>
      ${fault && html`<p class="error" role="alert">${fault}</p>`}
      <div class="buttons">
        <button class="button" type="button" title="All moves of the line on the board" onClick=${() => this.copied(whole, 'Moves')}>${copied === 'Moves' ? 'Copied' : 'Copy all moves'}</button>
        <button class="button" type="button" title="The whole game, with its variations" onClick=${download}>Download game</button>
        <button class="button" type="button" onClick=${() => this.file.click()}>Open file</button>
        <input type="file" hidden ref=${(e) => { this.file = e; }} onChange=${(e) => this.openFile(e.target.files[0])} />
        <button class="button" type="button" onClick=${() => this.copied(location.href, 'Link')}>${copied === 'Link' ? 'Copied' : 'Copy link'}</button>
      </div>
    </form>`;
  }
}
