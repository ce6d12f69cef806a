// Boards of things that are taken away: the piles of Nim, the numbers of Predict the Winner and of Can I Win.

import { html, classes } from './html.js';

const SIDES = [null, 'first', 'second'];

/** Whether a position is one of such a game. */
export const hasThings = (position) => !!position.things;

/** Whether the things are numbers, or all the same. */
const numbered = (position) => position.things.some((t) => t.text);

/** How high a row of the board is drawn: of numbers high enough for what is thought of them to stand below, if that is shown. */
export const rowHeight = (position, cell, thoughts) => (numbered(position) && thoughts ? 2 * cell : cell);

/** How far below a thing there is room for what is thought of it. */
export const belowThing = (position) => (numbered(position) ? 40 : 0);

/** The cells that a move empties: its own, and in a pile all things above. */
function emptied(position, move) {
  const cells = [];
  for (let cell = move.cell; cell >= 0; cell -= position.columns) {
    if (position.things[cell].there) cells.push(cell);
  }
  return cells;
}

/** What a screen reader says of a cell. */
export function thingLabel(position, cell) {
  const { things, cells, columns, rows, last } = position;
  const { text, there } = things[cell];
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  const what = numbered(position) ? text : `pile ${column + 1}, height ${rows - row}`;
  const holder = cells[cell] ? `, ${SIDES_SPOKEN[cells[cell]]}'s` : there ? '' : ', taken';
  const move = position.legal.find((l) => l.cell === cell);
  return what + holder + (cell === last ? ', last move' : '') + (move ? `, move ${move.move}` : '');
}

/** The names of the sides of such games, by which their colours are told apart. */
export const SIDE_NAMES = { first: 'blue', second: 'orange' };
const SIDES_SPOKEN = [null, SIDE_NAMES.first, SIDE_NAMES.second];

/** What the board does not show, with the names of the sides. */
export const tally = (position) =>
  (position.tally || '').replace('first player', SIDE_NAMES.first).replace('second player', SIDE_NAMES.second);

/** What a side has taken, around (0, 0): a square of the first player's, a disc of the second's. */
export function Taken({ side }) {
  return side === 'first' ? html`<rect class="taken first" x="-19" y="-19" width="38" height="38" rx="5" />`
    : html`<circle class="taken second" r="19.5" />`;
}

/** The size of letters in which a text fits into a cell. */
const letters = (text) => Math.min(20, 52 / text.length);

/** One cell: the thing on it, who has taken it, or where it was. */
function Thing({ position, cell, geometry, legal }) {
  const { text, there } = position.things[cell];
  const side = SIDES[position.cells[cell]];
  const { x, y } = geometry.at(cell);
  const label = text && html`<text style=${{ fontSize: `${letters(text)}px` }}>${text}</text>`;
  return html`<g transform=${`translate(${x} ${y})`} class=${classes('thing', side, legal && 'open')}>
    ${side ? html`<${Taken} side=${side} />${label}`
      : !there ? html`<circle class="gone" r="3" />`
      : text ? html`<rect class="tile" x="-19" y="-19" width="38" height="38" rx="9" />${label}`
      : html`<circle class="token" r="17.5" /><circle class="token-groove" r="12" />`}
  </g>`;
}

/**
 * All of the board.
 * @param {object} props position, geometry; hand: the move that is pointed at, if there is one
 */
export function Things({ position, geometry, hand }) {
  const { columns, rows, column_labels: piles, row_labels: left, last } = position;
  const open = new Set(numbered(position) ? position.legal.map((l) => l.cell) : []);
  const ring = (cell, kind) => html`<circle key=${kind + cell} class=${kind} cx=${geometry.at(cell).x} cy=${geometry.at(cell).y} r="21" />`;
  const bottom = geometry.top + rows * geometry.row;
  return html`<g class="things">
    ${position.things.map((_, cell) => html`<${Thing} key=${cell} position=${position} cell=${cell} geometry=${geometry} legal=${open.has(cell)} />`)}
    ${last !== null && ring(last, 'last on-things')}
    ${hand && emptied(position, hand).map((cell) => ring(cell, `picked ${position.to_move}`))}
    ${piles?.map((text, i) => html`<text class="label" x=${geometry.at(i).x} y=${bottom + 12}>${text}</text>`)}
    ${left?.map((text, i) => html`<text class="label" x="12" y=${geometry.at(i * columns).y}>${text}</text>`)}
    <text class="label tally" x=${geometry.width / 2} y=${bottom + 14}>${tally(position)}</text>
  </g>`;
}

/** The cells of moves from a position on, as far as they are moves of this board. */
export function cellsOfThings(position, line) {
  const { things, columns, column_labels: piles, row_labels: left } = position;
  const there = things.map((t) => t.there);
  const cells = [];
  for (const move of line) {
    const [pile, leaves] = move.split(':');
    const cell = leaves !== undefined ? left.indexOf(leaves) * columns + piles.indexOf(pile)
      : move === 'L' ? there.indexOf(true)
      : move === 'R' ? there.lastIndexOf(true)
      : things.findIndex((t) => t.text === move);
    if (!there[cell]) break;
    there[cell] = false;
    cells.push(cell);
  }
  return cells;
}
