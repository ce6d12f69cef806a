// The board: a drawing, and over it a grid of cells that mouse, touch, keyboard and screen reader use.

import { html, classes, Component } from './html.js';
import { sideName } from './format.js';
import { geometry } from './geometry.js';
import { Question } from './question.js';
import { Front, Ground, Marks, Paint, Stone, Stones } from './drawing.js';
import { Line, Ring } from './overlay.js';
import { Tiles, hasTexts, tally } from './tiles.js';

const SMALL_CELL = 34; // pixels; a finger covers several smaller cells, so its move has to be confirmed

/** The name of a cell: "h8", or "column 4, row 2" where moves name columns alone. */
function cellName(position, cell) {
  const { columns, rows, column_labels: letters, row_labels: numbers } = position;
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  return letters && numbers && !hasTexts(position) ? letters[column] + numbers[row]
    : `column ${letters?.[column] ?? column + 1}, row ${numbers?.[row] ?? rows - row}`;
}

/** A cell's description for screen readers. */
function cellLabel(position, cell) {
  const owner = position.cells[cell];
  const text = position.texts?.[cell];
  const what = [text, owner ? sideName(position, owner === 1 ? 'first' : 'second') : !text && 'empty'].filter(Boolean).join(', ');
  const move = text && position.legal.find((l) => l.cell === cell);
  const marks = (cell === position.last ? ', last move' : '') + (move ? `, move ${move.move}` : '') + (position.line.includes(cell) ? ', winning line' : '');
  return `${cellName(position, cell)}, ${what}${marks}`;
}

/** The grid of cells. It is drawn again only when the position or the cell in focus changes. */
class Cells extends Component {
  shouldComponentUpdate(next) {
    return next.position !== this.props.position || next.focus !== this.props.focus || next.moveAt !== this.props.moveAt;
  }

  render({ position, focus, moveAt, label }) {
    const { columns, rows } = position;
    return html`<div class="cells" role="grid" aria-label=${label} aria-rowcount=${rows} aria-colcount=${columns}>
      ${Array.from({ length: rows }, (_, row) => html`<div role="row" class="row" aria-rowindex=${row + 1} key=${row}>
        ${Array.from({ length: columns }, (_, column) => {
          const cell = row * columns + column;
          return html`<div role="gridcell" key=${cell} data-cell=${cell} aria-colindex=${column + 1}
            tabindex=${cell === focus ? 0 : -1} aria-label=${cellLabel(position, cell)}
            class=${classes('cell', moveAt?.has(cell) && 'legal')} />`;
        })}
      </div>`)}
    </div>`;
  }
}

/**
 * The board of a position.
 * @param {object} props
 *   position: the server's answer; play: called with a move, null if no move is allowed; point: called with the move pointed at,
 *   or null; cells: the cells of the line to show; over: draws over the stones, called with the geometry;
 *   truth: as for geometry; label: the board's accessible name
 */
export class Board extends Component {
  constructor() {
    super();
    this.state = { hover: null, focus: null, pending: null };
  }

  componentDidUpdate(before) {
    if (before.position !== this.props.position && (this.state.pending || this.state.hover)) this.setState({ pending: null, hover: null });
    if (this.wantsFocus) {
      this.wantsFocus = false;
      this.place.querySelector('.cell[tabindex="0"]')?.focus();
    }
  }

  /** The legal moves, by the cells that select them. */
  moveAt() {
    const { position, play } = this.props;
    if (this.movesOf !== position || this.playable !== !!play) {
      this.movesOf = position;
      this.playable = !!play;
      this.moves = play ? new Map(position.legal.flatMap((l) => l.cells.map((c) => [c, l]))) : new Map();
    }
    return this.moves;
  }

  cellOf(event) {
    const cell = event.target.closest?.('[data-cell]')?.dataset.cell;
    return cell === undefined ? null : Number(cell);
  }

  hover(cell) {
    if (cell === this.state.hover) return;
    this.setState({ hover: cell });
    this.props.point?.(this.moveAt().get(cell)?.move ?? null);
  }

  choose(cell, byTouch) {
    const move = this.moveAt().get(cell);
    if (!move) return;
    const size = this.place.getBoundingClientRect().width / this.props.position.columns;
    if (byTouch && size < SMALL_CELL && this.state.pending?.move !== move.move) {
      this.setState({ pending: move });
      return;
    }
    this.setState({ pending: null, hover: null });
    this.props.play(move.move);
  }

  onKey(event) {
    const { columns, rows } = this.props.position;
    const focus = this.cellOf(event) ?? this.focused();
    const [row, column] = [Math.floor(focus / columns), focus % columns];
    const to = {
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      Home: [row, 0], End: [row, columns - 1],
    }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') {
      this.setState({ focus });
      this.choose(focus, false);
    } else if (event.key === 'Escape' && this.state.pending) {
      this.setState({ pending: null });
    } else if (to) {
      const [y, x] = [Math.max(0, Math.min(rows - 1, to[0])), Math.max(0, Math.min(columns - 1, to[1]))];
      this.wantsFocus = true;
      this.setState({ focus: y * columns + x, hover: null });
      this.props.point?.(this.moveAt().get(y * columns + x)?.move ?? null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The grid's tab stop: the last focused cell, else the last move, else the middle. */
  focused() {
    const { position } = this.props;
    const { focus } = this.state;
    if (focus !== null && focus < position.cells.length) return focus;
    return position.last !== null && position.last >= 0 ? position.last : Math.floor(position.rows / 2) * position.columns + Math.floor(position.columns / 2);
  }

  render({ position, cells, over, truth, label }, { hover, pending }) {
    const g = geometry(position, truth);
    const moveAt = this.moveAt();
    const percent = (part, whole) => `${(100 * part) / whole}%`;
    const area = {
      left: percent(g.left, g.width), top: percent(g.top, g.height),
      width: percent(position.columns * g.cell, g.width), height: percent(position.rows * g.row, g.height),
    };
    const hand = !cells?.length && moveAt.get(hover);
    return html`<div ref=${(e) => { this.place = e; }} class=${classes('board', `look-${g.look}`, g.fine && 'fine')}
      style=${{ aspectRatio: `${g.width} / ${g.height}`, '--shape': g.width / g.height, '--letters': g.letters }}>
      <svg class="drawing" viewBox=${`0 0 ${g.width} ${g.height}`} aria-hidden="true">
        <${Paint} />
        ${g.look === 'tiles' ? html`<${Tiles} position=${position} geometry=${g} hand=${hand || pending} />`
          : html`<${Placed} position=${position} geometry=${g} hand=${hand} />`}
        ${over?.(g)}
        ${hand && (g.look === 'wood' || g.look === 'marks') && html`<${Preview} move=${hand} position=${position} geometry=${g} />`}
        ${cells?.length > 0 && html`<${Line} position=${position} cells=${cells} geometry=${g} />`}
        ${pending && g.look !== 'tiles' && html`<${Preview} move=${pending} position=${position} geometry=${g} />`}
        ${pending && html`<${Ring} cell=${pending.cell} geometry=${g} kind="pending" />`}
      </svg>
      <div class="cells-area" style=${area}
        onMouseDown=${(e) => e.preventDefault()}
        onPointerMove=${(e) => e.pointerType !== 'touch' && this.hover(this.cellOf(e))}
        onPointerLeave=${() => this.hover(null)}
        onClick=${(e) => this.choose(this.cellOf(e), e.pointerType === 'touch')}
        onKeyDown=${(e) => this.onKey(e)}>
        <${Cells} position=${position} focus=${this.focused()} moveAt=${moveAt} label=${[label, tally(position)].filter(Boolean).join(', ')} />
      </div>
      ${pending && html`<${Question} text=${`Play ${pending.move}?`} name="Confirm the move" yes="Play" act=${() => this.choose(pending.cell, false)}
        cancel=${() => this.setState({ pending: null })} high=${pending.cell >= position.cells.length / 2} />`}
    </div>`;
  }
}

/** A board with stones on it. */
function Placed({ position, geometry: g, hand }) {
  return html`<${Ground} position=${position} geometry=${g} />
    <g><${Stones} position=${position} geometry=${g} />
      ${hand && g.look === 'rack' && html`<${Preview} move=${hand} position=${position} geometry=${g} />`}</g>
    <${Front} position=${position} geometry=${g} />
    <${Marks} position=${position} geometry=${g} />`;
}

/** The stone of a move that is not yet played, translucent on its cell. A rack also shows it above its column, half behind its edge. */
function Preview({ move, position, geometry: g }) {
  if (move.cell === null) return null;
  const { x, y } = g.at(move.cell);
  const stone = html`<${Stone} look=${g.look} side=${position.to_move} />`;
  if (g.look !== 'rack') return html`<g class="preview" transform=${`translate(${x} ${y})`}>${stone}</g>`;
  return html`<g><g class="in-hand" transform=${`translate(${x} 21)`}>${stone}</g>
    <g class="preview" transform=${`translate(${x} ${y})`}>${stone}</g></g>`;
}
