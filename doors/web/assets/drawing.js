// What boards and stones look like: a wooden board with lines, a rack with discs, a sheet with noughts and crosses.

import { html } from './html.js';
import { onFelt, onLines, starPoints, winningLines } from './geometry.js';
import { Held, SIDES, fontSize } from './tiles.js';

/** The gradients that the drawings refer to. Each drawing needs them once. */
export function Paint() {
  return html`<defs>
    <radialGradient id="black" cx=".36" cy=".32" r=".75"><stop offset="0" class="black-shine" /><stop offset=".55" class="black-body" />
      <stop offset="1" class="black-edge" /></radialGradient>
    <radialGradient id="white" cx=".38" cy=".32" r=".78"><stop offset="0" class="white-shine" /><stop offset=".6" class="white-body" />
      <stop offset="1" class="white-edge" /></radialGradient>
    <radialGradient id="red" cx=".4" cy=".34" r=".72"><stop offset="0" class="red-shine" /><stop offset="1" class="red-body" /></radialGradient>
    <radialGradient id="yellow" cx=".4" cy=".34" r=".72"><stop offset="0" class="yellow-shine" /><stop offset="1" class="yellow-body" />
    </radialGradient>
    <linearGradient id="plate" x1="0" y1="0" x2="0" y2="1"><stop offset="0" class="plate-top" /><stop offset="1" class="plate-bottom" />
    </linearGradient>
  </defs>`;
}

/** A side's stone around (0, 0), in the board's look. */
export function Stone({ look, side }) {
  if (look === 'marks') {
    return side === 'first'
      ? html`<path class="mark-x" d="M-11-11 11 11M11-11-11 11" />`
      : html`<circle class="mark-o" r="12" />`;
  }
  if (look === 'tiles') return html`<${Held} side=${side} />`;
  if (look === 'rack') {
    return html`<g class="disc">
      <circle r="19.4" fill=${side === 'first' ? 'url(#red)' : 'url(#yellow)'} />
      <circle r="18.4" class=${`rim ${side}`} />
      ${side === 'first'
        ? html`<circle r="12.2" class="groove first" />`
        : html`<path class="groove second" d="M0-11.5 3.4-4 11.5-3.4 5.3 2.1 7.2 10 0 5.8-7.2 10-5.3 2.1-11.5-3.4-3.4-4Z" />`}
    </g>`;
  }
  return html`<g><circle class="shade" cx="1.6" cy="2.4" r="19.6" />
    <circle r="19.6" fill=${side === 'first' ? 'url(#black)' : 'url(#white)'} class=${`stone-edge ${side}`} /></g>`;
}

/** A text on a side's stone, the kind of a piece, or on a "free" cell. */
const Kind = ({ look, side, text }) => html`<text class=${`kind ${side} on-${look}`} style=${{ fontSize: `${fontSize(text)}px` }}>${text}</text>`;

/** A stone, with its text if it has one. */
export function Piece({ look, side, text }) {
  return html`<g><${Stone} look=${look} side=${side} />${text && html`<${Kind} look=${look} side=${side} text=${text} />`}</g>`;
}

/** All stones on the board, and the texts on free cells. The last stone arrives: it falls in a rack, slides from where it was, or is
 * put down. Those that it has turned turn over. */
export function Stones({ position, geometry, lifted = null }) {
  const { last, last_from: from, changed, texts } = position;
  return position.cells.map((owner, cell) => {
    const { x, y } = geometry.at(cell);
    if (!owner) return texts?.[cell] && html`<g key=${cell} transform=${`translate(${x} ${y})`}><${Kind} look=${geometry.look} side="free" text=${texts[cell]} /></g>`;
    const way = cell === last && from !== undefined && geometry.at(from);
    const style = way ? { '--dx': `${way.x - x}px`, '--dy': `${way.y - y}px` }
      : cell === last ? { '--fall': `${21 - y}px`, '--fall-time': `${160 + 0.9 * y}ms` } : undefined;
    const moved = way ? 'slides' : cell === last ? `arrives on-${geometry.look}` : changed.includes(cell) ? 'turns' : '';
    return html`<g key=${`${cell}.${owner}`} transform=${`translate(${x} ${y})`} class=${cell === lifted ? 'lifted' : undefined}>
      <g class=${moved} style=${style}><${Piece} look=${geometry.look} side=${SIDES[owner]} text=${texts?.[cell]} /></g>
    </g>`;
  });
}

/** The board below the stones. */
export function Ground({ position, geometry }) {
  const { columns, rows, column_labels: letters, row_labels: numbers } = position;
  const { left, top, cell, look, letters: larger } = geometry;
  const right = left + columns * cell;
  const bottom = top + rows * cell;
  if (look === 'rack') {
    return html`<rect class="rack-back" x=${left - 8} y=${top - 8} width=${right - left + 16} height=${bottom - top + 16} rx="12" />`;
  }
  if (look === 'marks') {
    const lines = [];
    for (let i = 1; i < columns; i++) lines.push(`M${left + i * cell} ${top + 4}V${bottom - 4}`);
    for (let i = 1; i < rows; i++) lines.push(`M${left + 4} ${top + i * cell}H${right - 4}`);
    return html`<path class="sheet-lines" d=${lines.join('')} />`;
  }
  const names = html`
    ${letters?.map((text, i) => html`<text class="label" x=${geometry.at(i).x} y=${bottom + 14 * larger}>${text}</text>`)}
    ${numbers?.map((text, i) => html`<text class="label" x=${12 * larger} y=${geometry.at(i * columns).y}>${text}</text>`)}`;
  if (position.joins) {
    const ends = position.joins.map((pair) => pair.map((c) => `${geometry.at(c).x} ${geometry.at(c).y}`).join('L'));
    const points = [...new Set(position.joins.flat())].map(geometry.at);
    return html`<g><path class="grid-edge" d=${`M${ends.join('M')}`} />${points.map(({ x, y }) => html`<circle class="star" cx=${x} cy=${y} r="4" />`)}${names}</g>`;
  }
  const half = cell / 2;
  const edge = onLines(position) ? half : 0; // from the outer line to the edge of the cells
  const lines = [];
  for (let x = left + edge; x <= right - edge; x += cell) lines.push(`M${x} ${top + edge}V${bottom - edge}`);
  for (let y = top + edge; y <= bottom - edge; y += cell) lines.push(`M${left + edge} ${y}H${right - edge}`);
  return html`<g>
    <path class="grid-lines" d=${lines.join('')} />
    <rect class="grid-edge" x=${left + edge} y=${top + edge} width=${right - left - 2 * edge} height=${bottom - top - 2 * edge} />
    ${starPoints(position).map((c) => html`<circle class="star" cx=${geometry.at(c).x} cy=${geometry.at(c).y} r="3.6" />`)}
    ${onFelt(position) && [2, columns - 2].flatMap((i) => [2, rows - 2].map((j) => html`<circle class="star" cx=${left + i * cell} cy=${top + j * cell} r="3" />`))}
    ${names}
  </g>`;
}

/** The front of a rack, whose holes show the discs. Other boards have none. */
export function Front({ position, geometry }) {
  if (geometry.look !== 'rack') return null;
  const { columns, rows, column_labels: names } = position;
  const { left, top, cell } = geometry;
  const [x, y, w, h, r] = [left - 9, top - 9, columns * cell + 18, rows * cell + 18, 13];
  const outline = `M${x + r} ${y}h${w - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${h - 2 * r}a${r} ${r} 0 0 1-${r} ${r}h${2 * r - w}` +
    `a${r} ${r} 0 0 1-${r}-${r}v${2 * r - h}a${r} ${r} 0 0 1 ${r}-${r}z`;
  const centres = Array.from({ length: columns * rows }, (_, i) => geometry.at(i));
  const holes = centres.map((c) => `M${c.x - 17.6} ${c.y}a17.6 17.6 0 1 0 35.2 0a17.6 17.6 0 1 0-35.2 0z`).join('');
  return html`<g>
    <path class="plate-shade" d=${outline + holes} transform="translate(0 3)" />
    <path fill="url(#plate)" fill-rule="evenodd" d=${outline + holes} />
    <path class="plate-light" d=${`M${x + r} ${y + 1}h${w - 2 * r}`} />
    ${centres.map((c) => html`<g><circle class="hole-shade" cx=${c.x} cy=${c.y} r="18.1" />
      <circle class="hole-light" cx=${c.x} cy=${c.y + 0.8} r="18.6" /></g>`)}
    ${names?.map((text, i) => html`<text class="label" x=${left + (i + 0.5) * cell} y=${y + h + 16}>${text}</text>`)}
  </g>`;
}

/** The ring around the last stone and the one where it came from, the cells that it took or turned, and the lines that won. */
export function Marks({ position, geometry }) {
  const { last, last_from: from, texts, line, over } = position;
  const at = geometry.at;
  const lines = winningLines(position);
  const ring = (cell, kind, radius) => html`<circle class=${`${kind} ${SIDES[position.cells[cell]] ?? 'free'} on-${geometry.look}`}
    cx=${at(cell).x} cy=${at(cell).y} r=${texts?.[cell] ? 14.5 : radius} />`;
  return html`<g>
    <${Changes} position=${position} geometry=${geometry} />
    ${from !== undefined && ring(from, 'last from', 8)}
    ${last !== null && !line.length && ring(last, 'last', geometry.look === 'marks' ? 18.5 : 6.5)}
    ${over && line.map((c) => html`<circle class="won" cx=${at(c).x} cy=${at(c).y} r="17" />`)}
    ${over && lines.map(([a, b]) => html`<g><line class="won-under" x1=${at(a).x} y1=${at(a).y} x2=${at(b).x} y2=${at(b).y} />
      <line class="won-line" x1=${at(a).x} y1=${at(a).y} x2=${at(b).x} y2=${at(b).y} /></g>`)}
  </g>`;
}

/** Small squares on the free cells that count for a side at the end. */
export function Areas({ position, geometry }) {
  return position.owners?.map((owner, cell) => owner > 0 && !position.cells[cell] && html`<rect class=${`area ${SIDES[owner]}`} key=${cell}
    x=${geometry.at(cell).x - 6} y=${geometry.at(cell).y - 6} width="12" height="12" />`);
}

/** Marks on the cells that the last move took or turned. */
export function Changes({ position, geometry }) {
  return position.changed.map((c) => html`<circle class=${`changed ${SIDES[position.cells[c]] ?? 'free'}`} key=${c}
    cx=${geometry.at(c).x} cy=${geometry.at(c).y} r="17.3" />`);
}
