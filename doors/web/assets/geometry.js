// Where the cells of a board are on its drawing, in the drawing's units.

import { look } from './format.js';
import { belowTile, rowHeight } from './tiles.js';

const CELL = 44;
const FINE_COLUMNS = 15; // more columns make a drawing smaller on the screen, so letters have to be larger in it

/**
 * The drawing's measures.
 * @typedef {object} Geometry
 * @property {string} look 'rack', 'marks', 'tiles' or 'wood'
 * @property {boolean} fine whether cells are small on the screen
 * @property {number} letters how much larger letters are than on a board of 15 columns
 * @property {number} width of the drawing
 * @property {number} height
 * @property {number} cell the width of a cell
 * @property {number} row the height of a row
 * @property {number} below how far below a cell's centre the players' opinions are drawn
 * @property {number} left the left edge of the first column's cells
 * @property {number} top the upper edge of the first row's cells
 * @property {boolean} flipped whether the board is turned by half a turn
 * @property {(cell: number) => {x: number, y: number}} at the centre of a cell
 */

/** The measures of a position's board. A rack has room above it for the upper half of the stone in hand. If truth is true, it has room below for
 * the truth. A single row of tiles has room for opinions unless truth is undefined. */
export function geometry(position, truth, flipped = false) {
  const { columns, rows } = position;
  const kind = look(position);
  const letters = Math.max(1, columns / FINE_COLUMNS);
  const margin = { rack: { left: 14, right: 14, top: 32, bottom: truth ? 64 : 34 }, marks: { left: 10, right: 10, top: 10, bottom: 10 },
    wood: { left: 26 * letters, right: 12, top: 12, bottom: 26 * letters }, tiles: { left: 26, right: 26, top: 12, bottom: position.column_labels ? 28 : 12 } }[kind];
  const row = kind === 'tiles' ? rowHeight(position, CELL, truth !== undefined) : CELL;
  return {
    look: kind,
    fine: columns > 10,
    letters,
    cell: CELL,
    row,
    below: kind === 'tiles' ? belowTile(position) : 0,
    left: margin.left,
    top: margin.top,
    width: margin.left + columns * CELL + margin.right,
    height: margin.top + rows * row + margin.bottom,
    flipped,
    at(cell) {
      const shown = flipped ? columns * rows - 1 - cell : cell;
      return { x: margin.left + ((shown % columns) + 0.5) * CELL, y: margin.top + Math.floor(shown / columns) * row + 0.5 * CELL };
    },
  };
}

const BEGIN = 10; // how far from the centre of its cell an arrow begins

const PLACES = [0.86, 0.6, 0.4, 0.24, 1]; // on the way of an arrow where its figure can stand: near the head, if no other stands there

/**
 * Where the figures of arrows stand, so that none covers another one.
 * @param {{at: (share: number) => {x: number, y: number}}[]} arrows the most important first
 * @param {number} width of a figure
 * @param {number} height
 * @returns {{x: number, y: number}[]}
 */
export function figurePlaces(arrows, width, height) {
  const taken = [];
  for (const { at } of arrows) {
    const free = PLACES.map(at).find(({ x, y }) => taken.every((t) => Math.abs(t.x - x) >= width || Math.abs(t.y - y) >= height));
    taken.push(free ?? at(PLACES[0]));
  }
  return taken;
}

/**
 * The arrow of a move that takes a piece from a cell to another one, null for other moves.
 * @param {Geometry} g
 * @param {{from?: ?number, cell: ?number}} move
 * @param {number} width of the shaft
 * @returns {?{path: string, length: number, at: (share: number) => {x: number, y: number}}} its outline, how far the cells are apart,
 *   and a point of its way
 */
export function arrow(g, { from, cell }, width) {
  if (from === undefined || from === null || cell === null || from === cell) return null;
  const [a, b] = [g.at(from), g.at(cell)];
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const point = (along, aside) => `${(a.x + along * dx - aside * dy).toFixed(1)} ${(a.y + along * dy + aside * dx).toFixed(1)}`;
  const [half, wing] = [width / 2, width / 2 + 5];
  const head = length - wing * 1.6;
  return {
    path: `M${point(BEGIN, half)}L${point(head, half)}L${point(head, wing)}L${point(length, 0)}L${point(head, -wing)}L${point(head, -half)}L${point(BEGIN, -half)}Z`,
    length,
    at: (share) => ({ x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y) }),
  };
}

/** The winning lines through the last stone, at most one in each of four directions. Each is its pair of end cells. */
export function winningLines(position) {
  const { columns, rows, last, line, in_a_row: k } = position;
  const won = new Set(line);
  if (!won.size || last === null || last < 0) return [];
  const ends = [];
  for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
    const reach = (sign) => {
      let [x, y, n] = [last % columns, Math.floor(last / columns), 0];
      for (;;) {
        const [nx, ny] = [x + sign * dx, y + sign * dy];
        if (nx < 0 || nx >= columns || ny < 0 || ny >= rows || !won.has(ny * columns + nx)) break;
        [x, y, n] = [nx, ny, n + 1];
      }
      return { cell: y * columns + x, n };
    };
    const [from, to] = [reach(-1), reach(1)];
    if (from.n + to.n + 1 >= (k || 2)) ends.push([from.cell, to.cell]);
  }
  return ends;
}

/** Whether stones lie on the lines of a grid, in Go and where rows of them win. Elsewhere, they stand on squares, or on the points that
 * joins names. */
export const onLines = ({ game, in_a_row: k }) => !!k || /^go(:|$)/.test(game);

/** Whether a cell is a point of the board. Where lines join points, the other cells are none. */
export const isPoint = ({ joins }, cell) => !joins || joins.some((ends) => ends.includes(cell));

/** The cell that an arrow key, Home or End leads to from another one: the next point of its row, or in the next row the nearest. At the
 * edge it stays; undefined for other keys. */
export function cellTowards(position, cell, key, flipped) {
  const { cells, columns } = position;
  const turn = (c) => (flipped ? cells.length - 1 - c : c);
  const [from, row] = [turn(cell), (c) => Math.floor(c / columns)];
  const points = [...cells.keys()].filter((c) => isPoint(position, turn(c)));
  const beside = points.filter((c) => row(c) === row(from));
  const distance = (c) => Math.abs((c % columns) - (from % columns));
  const nearest = (other) => points.filter((c) => row(c) === row(other)).sort((a, b) => distance(a) - distance(b))[0];
  const leads = {
    ArrowLeft: () => beside.findLast((c) => c < from), ArrowRight: () => beside.find((c) => c > from), Home: () => beside[0], End: () => beside.at(-1),
    ArrowUp: () => nearest(points.findLast((c) => row(c) < row(from))), ArrowDown: () => nearest(points.find((c) => row(c) > row(from))),
  }[key];
  return leads && turn(leads() ?? from);
}

/** Whether a board is green felt, as players of Othello know it. */
export const onFelt = ({ game }) => game.startsWith('othello');

/** The star points of a wooden board. Small boards have none at the sides. */
export function starPoints(position) {
  const { columns, rows } = position;
  if (columns < 9 || rows < 9 || !onLines(position)) return [];
  const marks = (n) => {
    const d = n >= 13 ? 3 : 2;
    return n % 2 ? [d, (n - 1) / 2, n - 1 - d] : [d, n - 1 - d];
  };
  const central = (at, n) => 2 * at === n - 1;
  const shown = (row, column) => Math.min(rows, columns) >= 13 || central(row, rows) === central(column, columns);
  return marks(rows).flatMap((row) => marks(columns).filter((column) => shown(row, column)).map((column) => row * columns + column));
}
