// The rules of each game in a line.

import { capital } from './format.js';

const NUMBERS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/**
 * The rules of a game in a sentence or two, null for one that the page does not know.
 * @param {{name: string, in_a_row: ?number, drops: boolean, columns: number, rows: number}} game its name, and what is known of its board
 */
export function ruleOf({ name, ...board }) {
  const [family, ...rest] = name.split(':');
  const words = rest.join(':').split(',');
  switch (family) {
    case 'nim': {
      const most = words.find((w) => w.startsWith('max'))?.slice(3);
      const take = most ? `Take one to ${most} things from one pile.` : 'Take any number of things from one pile.';
      return `${take} ${words.includes('misere') ? 'If you take the last thing, you lose.' : 'If you take the last thing, you win.'}`;
    }
    case 'predictwinner':
      return 'Take the number at either end of the row. When all are taken, the larger sum wins.';
    case 'caniwin':
      return `Take a number that is left. If you bring the sum of all numbers taken to ${words[1]} or more, you win.`;
    case 'othello':
      return 'Enclose stones of the other side between two of yours to turn them over. At the end, the side with more stones wins.';
    default:
      return board.in_a_row ? lineRule(board, words) : null;
  }
}

function lineRule({ in_a_row: k, drops, columns, rows }, words) {
  const mark = columns <= 4 && rows <= 4 ? 'your mark' : 'a stone';
  const place = drops ? 'Drop a disc into a column; it falls to the lowest free cell.' : `Put ${mark} on any free cell.`;
  const number = NUMBERS[k] || String(k);
  const orMore = words.includes('caro') || (k >= columns && k >= rows) ? '' : ' or more';
  const row = words.includes('exact') ? `Exactly ${number}` : `${capital(number)}${orMore}`;
  const blocked = words.includes('caro') ? `, unless the other side's stones stand at both ends` : '';
  return `${place} ${row} in a row, horizontally, vertically or diagonally, win${blocked}. A full board is a draw.`;
}
