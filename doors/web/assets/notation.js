// Games as others write them: the Smart Game Format, and moves with numbers, commas and marks.

/**
 * The first line of play of a game in the Smart Game Format (https://www.red-bean.com/sgf/).
 * @returns {?{game: ?string, size: ?string, plies: {by: string, point: string}[], resigned: ?string}} game: only of files that tengen
 *   has written; null if the text is not in this format
 * @throws {Error} if the game begins with stones on the board
 */
export function parseSGF(text) {
  if (!/^\s*\(\s*;/.test(text)) return null;
  const found = {};
  const plies = [];
  for (const [all, name, values] of text.matchAll(/([A-Za-z]+)\s*((?:\[(?:\\[^]|[^\]\\])*\]\s*)+)|\)/g)) {
    if (all === ')') break; // other lines of play follow
    const value = values.slice(1, values.lastIndexOf(']'));
    if (/^A[BWE]$/.test(name)) throw new Error('The file begins with stones on the board, and only games from the start can be opened.');
    if (name === 'B' || name === 'W') plies.push({ by: name === 'B' ? 'first' : 'second', point: value });
    else found[name] ??= value;
  }
  return {
    game: found.AP?.startsWith('tengen') && found.GN ? found.GN : null,
    size: found.SZ ?? null,
    plies,
    resigned: { 'B+R': 'second', 'W+R': 'first' }[found.RE?.slice(0, 3)] ?? null,
  };
}

/**
 * The moves of a parsed game on a board, in the board's notation.
 * @param {object} board the server's answer for it
 * @throws {Error} if the game does not fit the board
 */
export function movesOf({ size, plies }, { game, columns, rows, column_labels: across, row_labels: down }) {
  if (!across || !down) throw new Error(`${game} has no points that an SGF file could name: choose its board first.`);
  if (size && size.split(':').join() !== (columns === rows && !size.includes(':') ? `${rows}` : `${columns},${rows}`)) {
    throw new Error(`The file is for a board of size ${size.replace(':', '×')}, but ${game} has ${columns}×${rows}: choose that board first.`);
  }
  const index = (letter) => (letter >= 'a' ? letter.charCodeAt(0) - 97 : letter.charCodeAt(0) - 39); // a to z, A to Z
  return plies.map(({ by, point }, i) => {
    if (by !== (i % 2 ? 'second' : 'first')) throw new Error(`Move ${i + 1} of the file is not by the side to move: only alternating moves can be opened.`);
    const name = point && (across[index(point[0])] ?? '') + (down[index(point[1])] ?? '');
    return point === '' || (point === 'tt' && columns < 20) ? 'pass' : name;
  });
}

/** Moves without numbers such as "12.", commas, and marks such as "?!". */
export const plainMoves = (text) => text.replace(/\b\d+\.+/g, ' ').replace(/[,;?!]/g, ' ').replace(/\s+/g, ' ').trim();
