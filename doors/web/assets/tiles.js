// Boards with texts on their free cells, such as numbers to take, and texts on pieces.

import { html, classes } from './html.js';

/** The side that holds a cell, by the cell's number in an answer. */
export const SIDES = [null, 'first', 'second'];

/** The height of a row. A single row has room below its cells if opinions are shown. */
export const rowHeight = ({ rows }, cell, opinions) => (rows === 1 && opinions ? 2 * cell : cell);

/** How far below a tile's centre opinions are drawn. */
export const belowTile = ({ rows }) => (rows === 1 ? 40 : 0);

/** A cell that a side holds, around (0, 0): a square for the first player, a disc for the second. */
export function Held({ side }) {
  return side === 'first' ? html`<rect class="taken first" x="-19" y="-19" width="38" height="38" rx="5" />`
    : html`<circle class="taken second" r="19.5" />`;
}

/** The font size at which a text fits into a cell. */
export const fontSize = (text) => Math.min(20, 52 / text.length);

/** One cell: its text on a tile, or on the square or disc of the side that holds it. */
function Tile({ position, cell, geometry, legal }) {
  const text = position.texts[cell];
  const side = SIDES[position.cells[cell]];
  const { x, y } = geometry.at(cell);
  return html`<g transform=${`translate(${x} ${y})`} class=${classes('tile', side, legal && 'open')}>
    ${side ? html`<${Held} side=${side} />`
      : text ? html`<rect class="plain" x="-19" y="-19" width="38" height="38" rx="9" />`
      : html`<circle class="gone" r="3" />`}
    ${text && html`<text style=${{ fontSize: `${fontSize(text)}px` }}>${text}</text>`}
  </g>`;
}

/**
 * The whole board.
 * @param {object} props position, geometry; found: what clicks do, by cell; hand: the move under the pointer, if there is one
 */
export function Tiles({ position, geometry, found, hand }) {
  const { columns, rows, column_labels: across, row_labels: down, last, last_from: from } = position;
  const ring = (cell, kind) => html`<circle class=${kind} cx=${geometry.at(cell).x} cy=${geometry.at(cell).y} r="21" />`;
  const bottom = geometry.top + rows * geometry.row;
  return html`<g>
    ${position.texts.map((_, cell) => html`<${Tile} key=${cell} position=${position} cell=${cell} geometry=${geometry} legal=${found.has(cell)} />`)}
    ${last !== null && ring(last, 'last on-tiles')}
    ${from !== undefined && ring(from, 'last from on-tiles')}
    ${hand && ring(hand.cell, `picked ${position.to_move}`)}
    ${across?.map((text, i) => html`<text class="label" x=${geometry.at(i).x} y=${bottom + 12}>${text}</text>`)}
    ${down?.map((text, i) => html`<text class="label" x="12" y=${geometry.at(i * columns).y}>${text}</text>`)}
  </g>`;
}
