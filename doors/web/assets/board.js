// The board: a drawing, and over it a grid of cells that mouse, touch, keyboard and screen reader use.

import { html, classes, Component } from './html.js';
import { mustPass, say } from './announce.js';
import { choices, movesPiece, needsMarks } from './choices.js';
import { capital, choice, sideName, tally } from './format.js';
import { cellTowards, geometry, isPoint, onFelt } from './geometry.js';
import { Question } from './question.js';
import { Areas, Changes, Front, Ground, Marks, Paint, Piece, Stones } from './drawing.js';
import { Line, Ring, Selected } from './overlay.js';
import { Tiles } from './tiles.js';

const SMALL_CELL = 34; // pixels; a finger covers several smaller cells, so its move has to be confirmed
const DRAGGED = 8; // pixels from where it was taken, from which on a piece is dragged

/** The name of a cell: "h8", or "column 4, row 2" where moves name columns alone. */
function cellName(position, cell) {
  const { columns, rows, column_labels: letters, row_labels: numbers } = position;
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  return letters && numbers && !position.tiles ? letters[column] + numbers[row]
    : `column ${letters?.[column] ?? column + 1}, row ${numbers?.[row] ?? rows - row}`;
}

/** A cell's description for screen readers. */
function cellLabel(position, cell, { plays = [], lifts = false } = {}, selected = null, marked = false) {
  const owner = position.cells[cell];
  const text = position.texts?.[cell];
  const area = !owner && position.owners?.[cell];
  const what = [text, owner ? sideName(position, owner === 1 ? 'first' : 'second') : !text && 'empty', area && `area of ${sideName(position, area === 1 ? 'first' : 'second')}`].filter(Boolean).join(', ');
  const move = text && position.legal.find((l) => l.cell === cell && !movesPiece(l));
  const targets = plays.filter(movesPiece).map((l) => l.move);
  const marks = [
    cell === position.last && 'last move', cell === position.last_from && 'the last move began here',
    position.changed.includes(cell) && 'changed by the last move', move && `move ${move.move}`, position.line.includes(cell) && 'winning line',
    marked && plays.length && 'legal', cell === selected && 'selected', targets.length && `target of ${choice(targets, 4)}`, lifts && cell !== selected && !targets.length && 'movable piece',
  ].filter(Boolean);
  return [cellName(position, cell), what, ...marks].join(', ');
}

/** Why a click on a cell does nothing. selected is the cell of the piece to move, or null. */
export function refusal(position, cell, selected = null) {
  const name = cellName(position, cell);
  if (mustPass(position)) return 'The only legal move is pass.';
  if (position.drops) return `${capital(name.split(',')[0])} is full.`;
  if (selected !== null) return `${capital(cellName(position, selected))} cannot go to ${name}.`;
  if (position.legal.some(movesPiece)) return `No piece on ${name} can move.`;
  if (position.refusals?.[cell]) return `A stone on ${name} ${position.refusals[cell]}.`;
  return position.cells[cell] ? `${capital(name)} is taken.` : `${capital(name)} is not legal.`;
}

/** The grid of cells. It is drawn again only when the position, the cell in focus, what clicks do or the board's turn changes. */
class Cells extends Component {
  shouldComponentUpdate(next) {
    return ['position', 'focus', 'found', 'selected', 'flipped'].some((name) => next[name] !== this.props[name]);
  }

  render({ position, focus, found, selected, label, flipped }) {
    const { columns, rows } = position;
    const marked = found.size > 0 && needsMarks(position);
    return html`<div class="cells" role="grid" aria-label=${label} aria-rowcount=${rows} aria-colcount=${columns}>
      ${Array.from({ length: rows }, (_, row) => html`<div role="row" class="row" aria-rowindex=${row + 1} key=${row}>
        ${Array.from({ length: columns }, (_, column) => {
          const cell = turned(position, row * columns + column, flipped);
          if (!isPoint(position, cell)) return html`<div key=${cell} aria-hidden="true" />`;
          return html`<div role="gridcell" key=${cell} data-cell=${cell} aria-colindex=${column + 1} aria-selected=${cell === selected ? 'true' : undefined}
            tabindex=${cell === focus ? 0 : -1} aria-label=${cellLabel(position, cell, found.get(cell), selected, marked)}
            class=${classes('cell', found.has(cell) && 'legal', found.get(cell)?.lifts && 'lifts')} />`;
        })}
      </div>`)}
    </div>`;
  }
}

/** Where a cell is shown if the board is turned, and which cell is shown there. */
const turned = (position, cell, flipped) => (flipped ? position.cells.length - 1 - cell : cell);

/**
 * The board of a position.
 * @param {object} props
 *   position: the server's answer; play: called with a move, null if no move is allowed; why: then, why not; flipped: whether the board is
 *   turned by half a turn; point: called with the move pointed at,
 *   or null; line: the moves of the line to show; over: draws over the stones, called with the geometry;
 *   truth: as for geometry; label: the board's accessible name
 */
export class Board extends Component {
  constructor() {
    super();
    // selected is the cell of the piece to move; pending are moves of which the user has yet to confirm or choose one; refused says why
    // a click did nothing; drag is {x, y}, where the selected piece is dragged, in the drawing's units.
    this.state = { hover: null, focus: null, selected: null, pending: [], refused: null, drag: null };
    this.escape = (event) => {
      if (event.key === 'Escape' && !event.defaultPrevented) this.letGo();
    };
  }

  componentDidMount() {
    document.addEventListener('keydown', this.escape);
  }

  componentWillUnmount() {
    document.removeEventListener('keydown', this.escape);
  }

  componentDidUpdate(before) {
    const { hover, pending, selected, refused } = this.state;
    if (before.position !== this.props.position && (pending.length || hover !== null || selected !== null || refused)) {
      this.setState({ pending: [], hover: null, selected: null, refused: null, drag: null });
    } else if (!this.props.play && pending.length) { // the right to move has gone, by resignation
      this.setState({ pending: [] });
    }
    if (this.wantsFocus) {
      this.wantsFocus = false;
      this.place.querySelector('.cell[tabindex="0"]')?.focus();
    }
  }

  /** What clicks do, by cell. */
  choices() {
    const { position, play } = this.props;
    const legal = play ? position.legal : [];
    const { selected } = this.state;
    if (this.known?.legal !== position.legal || this.known.selected !== selected || this.known.play !== !!play) {
      this.known = { legal: position.legal, selected, play: !!play, found: choices(legal, selected) };
    }
    return this.known.found;
  }

  /** The first move that a click on a cell plays. */
  moveAt(cell) {
    return this.choices().get(cell)?.plays[0];
  }

  cellOf(event) {
    const cell = event.target.closest?.('[data-cell]')?.dataset.cell;
    return cell === undefined ? null : Number(cell);
  }

  hover(cell) {
    if (cell === this.state.hover) return;
    this.setState({ hover: cell });
    this.props.point?.(this.moveAt(cell)?.move ?? null);
  }

  /** The cell at a place of the screen, null if there is none. */
  cellAt({ clientX, clientY }) {
    const { columns, rows } = this.props.position;
    const { left, top, width, height } = this.place.querySelector('.cells-area').getBoundingClientRect();
    const [column, row] = [Math.floor(((clientX - left) / width) * columns), Math.floor(((clientY - top) / height) * rows)];
    if (column < 0 || column >= columns || row < 0 || row >= rows) return null;
    const cell = turned(this.props.position, row * columns + column, this.props.flipped);
    return isPoint(this.props.position, cell) ? cell : null;
  }

  /** Takes the piece under the pointer, to drag it. */
  take(event) {
    const cell = this.cellOf(event);
    this.taken = event.button === 0 && this.choices().get(cell)?.lifts ? { cell, x: event.clientX, y: event.clientY } : null;
  }

  /** Moves the taken piece with the pointer. */
  dragTo(event) {
    const { cell, x, y } = this.taken;
    if (!this.state.drag) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < DRAGGED) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      if (cell !== this.state.selected) this.select(cell);
    }
    const box = this.place.querySelector('.drawing').getBoundingClientRect();
    const unit = geometry(this.props.position, this.props.truth).width / box.width;
    this.setState({ drag: { x: (event.clientX - box.left) * unit, y: (event.clientY - box.top) * unit }, hover: null });
  }

  /** Puts the dragged piece down. The click that follows means nothing. */
  drop(event) {
    const { drag } = this.state;
    const from = this.taken?.cell;
    this.taken = null;
    if (!drag) return;
    this.dropped = true;
    setTimeout(() => { this.dropped = false; });
    this.setState({ drag: null });
    const cell = this.cellAt(event);
    if (cell !== null && cell !== from) this.choose(cell, false);
  }

  /** Says why a click on a cell does nothing, on the board too. */
  refuse(cell) {
    const { position, play, why } = this.props;
    const refused = play ? refusal(position, cell, this.state.selected) : why;
    if (!refused) return;
    this.setState({ refused });
    say(refused);
  }

  /** Plays on a cell, selects its piece, or lets go of the selected one. It says why it does nothing else. It asks first if a finger may have missed a small cell,
   * and which move is meant if there are several. */
  choose(cell, byTouch) {
    if (cell === null) return this.letGo();
    const { plays = [], lifts = false } = this.choices().get(cell) ?? {};
    this.setState({ refused: null });
    if (!plays.length && lifts && cell !== this.state.selected) return this.select(cell);
    if (!plays.length) {
      const again = cell === this.state.selected;
      if (!again) this.refuse(cell);
      return this.letGo(again);
    }
    const size = this.place.getBoundingClientRect().width / this.props.position.columns;
    const unsure = byTouch && size < SMALL_CELL && this.state.pending[0] !== plays[0];
    if (plays.length > 1 || unsure) this.setState({ pending: plays });
    else this.play(plays[0]);
  }

  play({ move }) {
    this.setState({ pending: [], hover: null, selected: null });
    this.props.play(move);
  }

  select(cell) {
    const { position } = this.props;
    this.setState({ selected: cell, pending: [], hover: null });
    this.props.point?.(null);
    const targets = position.legal.filter((l) => l.from === cell && l.cell !== null).map((l) => cellName(position, l.cell));
    say(`${cellName(position, cell)} selected. ${targets.length > 1 ? 'Targets' : 'Target'}: ${[...new Set(targets)].join(', ')}.`);
  }

  letGo(aloud = true) {
    const { selected, pending } = this.state;
    if (selected === null && !pending.length) return;
    if (selected !== null && aloud) say(`${cellName(this.props.position, selected)} let go.`);
    this.setState({ selected: null, pending: [] });
    this.props.point?.(null);
  }

  onKey(event) {
    const { position, flipped } = this.props;
    const focus = this.cellOf(event) ?? this.focused();
    const to = cellTowards(position, focus, event.key, flipped);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      this.setState({ focus });
      this.choose(focus, false);
    } else if (to !== undefined) {
      this.wantsFocus = true;
      this.setState({ focus: to, hover: null });
      this.props.point?.(this.moveAt(to)?.move ?? null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The grid's tab stop: the last focused cell, else the last move, else the middle, or the first cell if there is none in the middle. */
  focused() {
    const { position } = this.props;
    const { focus } = this.state;
    if (focus !== null && focus < position.cells.length) return focus;
    const middle = Math.floor(position.rows / 2) * position.columns + Math.floor(position.columns / 2);
    return position.last ?? (isPoint(position, middle) ? middle : position.cells.findIndex((_, cell) => isPoint(position, cell)));
  }

  render({ position, line, over, truth, label, flipped = false }, { hover, pending, selected, refused, drag }) {
    const g = geometry(position, truth, flipped);
    const found = this.choices();
    const share = (length) => `${(100 * length) / g.width}cqw`; // of the board's width
    const area = { left: share(g.left), top: share(g.top), width: share(position.columns * g.cell), height: share(position.rows * g.row) };
    const hand = !line?.length && this.moveAt(hover);
    const [asked] = pending;
    return html`<div ref=${(e) => { this.place = e; }} class=${classes('board', `look-${g.look}`, g.fine && 'fine', onFelt(position) && 'felt')}
      style=${{ '--shape': g.width / g.height, '--letters': g.letters }}>
      <svg class="drawing" viewBox=${`0 0 ${g.width} ${g.height}`} aria-hidden="true">
        <${Paint} />
        ${g.look === 'tiles' ? html`<${Tiles} position=${position} geometry=${g} found=${found} hand=${hand || asked} /><${Changes} position=${position} geometry=${g} />`
          : html`<${Placed} position=${position} geometry=${g} hand=${hand} lifted=${drag ? selected : null} />`}
        ${found.size > 0 && needsMarks(position) && html`<${Legal} found=${found} position=${position} geometry=${g} />`}
        ${selected !== null && html`<${Selected} cell=${selected} choices=${found} position=${position} geometry=${g} />`}
        ${over?.(g)}
        ${hand && (g.look === 'wood' || g.look === 'marks') && html`<${Preview} move=${hand} position=${position} geometry=${g} />`}
        ${line?.length > 0 && html`<${Line} position=${position} line=${line} geometry=${g} />`}
        ${asked && g.look !== 'tiles' && html`<${Preview} move=${asked} position=${position} geometry=${g} />`}
        ${asked && html`<${Ring} cell=${asked.cell} geometry=${g} kind="pending" />`}
        ${drag && html`<g class="dragged" transform=${`translate(${drag.x} ${drag.y})`}>
          <${Piece} look=${g.look} side=${position.to_move} text=${position.texts?.[selected]} /></g>`}
      </svg>
      <div class="cells-area" style=${area}
        onMouseDown=${(e) => e.preventDefault()}
        onPointerDown=${(e) => this.take(e)}
        onPointerMove=${(e) => (this.taken ? this.dragTo(e) : e.pointerType !== 'touch' && this.hover(this.cellOf(e)))}
        onPointerUp=${(e) => this.drop(e)}
        onPointerCancel=${() => { this.taken = null; this.setState({ drag: null }); }}
        onPointerLeave=${() => this.hover(null)}
        onClick=${(e) => !this.dropped && this.choose(this.cellOf(e), e.pointerType === 'touch')}
        onKeyDown=${(e) => this.onKey(e)}>
        <${Cells} position=${position} focus=${this.focused()} found=${found} selected=${selected} flipped=${flipped} label=${[label, tally(position)].filter(Boolean).join(', ')} />
      </div>
      ${position.tally !== undefined && html`<p class="tally" aria-hidden="true">${tally(position)}</p>`}
      ${refused && !asked && html`<p class="refused" aria-hidden="true">${refused}</p>`}
      ${asked && html`<${Question} key=${asked.move} text=${pending.length > 1 ? 'Play which?' : `Play ${asked.move}?`} name=${pending.length > 1 ? 'Choose the move' : 'Confirm the move'}
        answers=${pending.map((l) => [pending.length > 1 ? l.word || l.move : 'Play', () => this.play(l)])} cancel=${() => this.setState({ pending: [] })}
        high=${g.at(asked.cell).y >= g.height / 2} />`}
    </div>`;
  }
}

/** Dots on the cells where a stone may go, rings on held ones. */
const Legal = ({ found, position, geometry: g }) => [...found.keys()].map((cell) => html`<circle key=${cell}
  class=${position.cells[cell] ? 'target held' : 'open-cell'} cx=${g.at(cell).x} cy=${g.at(cell).y} r=${position.cells[cell] ? 19 : 5} />`);

/** A board with stones on it. lifted is the cell of a piece that is in the air, or null. */
function Placed({ position, geometry: g, hand, lifted }) {
  return html`<${Ground} position=${position} geometry=${g} />
    <g><${Stones} position=${position} geometry=${g} lifted=${lifted} />
      ${hand && g.look === 'rack' && html`<${Preview} move=${hand} position=${position} geometry=${g} />`}</g>
    <${Areas} position=${position} geometry=${g} />
    <${Front} position=${position} geometry=${g} />
    <${Marks} position=${position} geometry=${g} />`;
}

/** The stone or piece of a move that is not yet played, translucent on its cell. A rack also shows it above its column, half behind its
 * edge. A move that takes a piece, and brings none there, has no preview. */
function Preview({ move, position, geometry: g }) {
  if (move.cell === null || (position.cells[move.cell] && !movesPiece(move))) return null;
  const { x, y } = g.at(move.cell);
  const stone = html`<${Piece} look=${g.look} side=${position.to_move} text=${movesPiece(move) && position.texts?.[move.from]} />`;
  if (g.look !== 'rack') return html`<g class=${classes('preview', position.cells[move.cell] && 'onto')} transform=${`translate(${x} ${y})`}>${stone}</g>`;
  return html`<g><g class="in-hand" transform=${`translate(${x} 21)`}>${stone}</g>
    <g class="preview" transform=${`translate(${x} ${y})`}>${stone}</g></g>`;
}
