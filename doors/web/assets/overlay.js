// Drawings over the stones: candidates with their worth, a policy, the numbered line, a hint, the truth, a selected piece. A move
// of a piece is an arrow.

import { html, classes } from './html.js';
import { capital, choice, count, grade, score, sideName, worth } from './format.js';
import { Stone } from './drawing.js';
import { arrow } from './geometry.js';

/** Whether a candidate is a proven win or draw. */
const isSafe = (c) => c.proven === 'win' || c.proven === 'draw';

const NAMED = 3; // how many candidates have figures on a fine board, or where they are arrows
const MOST_ARROWS = 8;
const FIGURE = 0.62; // where figures stand on the way of an arrow: arrows from one cell, and arrows onto one, do not meet there
const NUMBER = 0.29; // where the numbers of a line stand: arrows that cross do not meet there
const BEHIND = 14; // how far behind the beginning of an arrow the truth stands

/** The ground of a figure on an arrow. */
const Pill = () => html`<rect x="-16.5" y="-8" width="33" height="16" rx="8" />`;

const moveTo = ({ x, y }, below = 0) => `translate(${x} ${y + below})`;

/**
 * Candidates on the board: colour and number show their values, sizes their visits. The best has a ring. On a fine board, only a few
 * have figures, which are larger than the others' discs.
 * @param {object} props report, geometry, pointed (a move)
 */
export function Candidates({ report, geometry, pointed }) {
  const [best] = report.candidates;
  const { fine, letters } = geometry;
  const most = Math.max(1, ...report.candidates.map((c) => c.visits));
  const shown = report.candidates.filter((c) => c.cell !== null && (c.visits > 0 || c === best || isSafe(c))).slice(0, 24);
  return shown.map((c, rank) => {
    const share = Math.sqrt(c.visits / most);
    const size = 11 + 7 * share;
    const way = arrow(geometry, c, 2 + 5 * share);
    if (way && rank >= MOST_ARROWS) return null;
    const large = fine || way ? rank < NAMED : c === best || c.visits > most / 50 || isSafe(c);
    const visits = large && !fine && !way && c.visits > 0;
    return html`<g key=${c.move} class=${classes('candidate', grade(c, best), c === best && 'best', c.move === pointed && 'pointed')}>
      ${way && html`<path d=${way.path} />`}
      ${(large || !way) && html`<g transform=${way ? moveTo(way.at(FIGURE)) : moveTo(geometry.at(c.cell), geometry.below)}>
        ${way ? html`<${Pill} />` : html`<circle r=${!large ? (fine ? 0.7 * size : 9) : fine ? 18 * letters : Math.max(size, 16.5)} />`}
        ${large && html`<text class="worth" y=${visits ? -4 : 0}>${worth(c)}</text>`}
        ${visits && html`<text class="visits" y="7.5">${count(c.visits)}</text>`}</g>`}
    </g>`;
  }).reverse();
}

/** A policy on the board: the larger the disc or the arrow, the likelier the move, with its percentage. moveOf gives the legal move of
 * a name. */
export function Policy({ policy, moveOf, geometry }) {
  const moves = Object.entries(policy).filter(([, p]) => p >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 24);
  return moves.map(([name, p], i) => {
    const move = moveOf(name);
    if (!move || move.cell === null) return null;
    const way = arrow(geometry, move, 2 + 5 * Math.sqrt(p));
    if (way && i >= MOST_ARROWS) return null;
    const named = (!geometry.fine && !way) || i < NAMED;
    return html`<g key=${name} class=${classes('candidate policy', i === 0 && 'best')}>${way && html`<path d=${way.path} />`}
      ${(named || !way) && html`<g transform=${way ? moveTo(way.at(FIGURE)) : moveTo(geometry.at(move.cell), geometry.below)}>
        ${way ? html`<${Pill} />` : html`<circle r=${9 + 9 * Math.sqrt(p)} />`}${named && html`<text class="worth">${Math.round(100 * p)}%</text>`}</g>`}</g>`;
  });
}

/** The moves of a line: numbered arrows, or translucent, numbered stones. Moves without a cell are left out. */
export function Line({ position, line, geometry }) {
  return line.map((move, i) => {
    if (move.cell === null) return null;
    const side = (position.to_move === 'first') === (i % 2 === 0) ? 'first' : 'second';
    const way = arrow(geometry, move, 6);
    return html`<g key=${i} class=${`${way ? 'step' : 'ghost'} ${side} on-${geometry.look}`}>${way && html`<path d=${way.path} />`}
      <g transform=${moveTo(way ? way.at(NUMBER) : geometry.at(move.cell))}>
        ${way ? html`<circle r="9" />` : html`<${Stone} look=${geometry.look} side=${side} />`}<text>${i + 1}</text></g></g>`;
  });
}

/** A hint: an arrow, or a ring. */
export function Hint({ move, geometry }) {
  const way = arrow(geometry, move, 7);
  return way ? html`<path class="hint-arrow" d=${way.path} />` : html`<${Ring} cell=${move.cell} geometry=${geometry} kind="hint" />`;
}

/** The selected piece, and the cells where it can go: dots on free ones, rings on others. */
export function Selected({ cell, choices, position, geometry }) {
  const targets = [...choices].filter(([, { plays }]) => plays.some((l) => l.from === cell)).map(([target]) => target);
  return html`<g><${Ring} cell=${cell} geometry=${geometry} kind="selected" />
    ${targets.map((target) => html`<circle key=${target} class=${classes('target', position.cells[target] && 'held')}
      cx=${geometry.at(target).x} cy=${geometry.at(target).y} r=${position.cells[target] ? 19 : 6.5} />`)}</g>`;
}

/** A mark on the cell of a hint, of a selected piece, or of a move that waits to be confirmed. */
export function Ring({ cell, geometry, kind }) {
  if (cell === null || cell === undefined) return null;
  const { x, y } = geometry.at(cell);
  return html`<circle class=${`ring ${kind}`} cx=${x} cy=${y} r="19" />`;
}

const LETTER = { win: 'W', draw: '=', loss: 'L' };

/** The truth about a move in few letters: the solver's score, or W, = and L with the plies to the end. */
function truthText(t) {
  if (!t.result) return '?';
  return t.score !== null ? score(t.score) : LETTER[t.result] + (t.plies && t.result !== 'draw' ? t.plies : '');
}

/**
 * The truth about each move. In a rack, it stands below the columns. On other boards, it stands in the cells, and losing
 * moves have it only if they are among the best. That avoids filling the board. The best moves have a frame. Of moves of pieces, only
 * the best have it, behind their arrows.
 */
export function Truth({ truth, position, geometry }) {
  const best = new Set(truth.best);
  const isShown = (t) => geometry.look === 'rack' || best.has(t.move) || t.result === 'win' || t.result === 'draw';
  return truth.truth.filter(isShown).map((t) => {
    const move = position.legal.find((l) => l.move === t.move);
    if (!move || move.cell === null) return null;
    const way = arrow(geometry, move, 2);
    if (way && !best.has(t.move)) return null;
    const { x, y } = way ? way.at(-BEHIND / way.length) : geometry.at(move.cell);
    const rack = geometry.look === 'rack';
    const text = truthText(t);
    const width = rack ? 36 : 8 + 6 * text.length;
    return html`<g key=${t.move} class=${classes('truth', t.result || 'unknown', best.has(t.move) && 'best')}>
      ${way && html`<path d=${way.path} />`}
      <g transform=${rack ? `translate(${x} ${geometry.height - 15})` : `translate(${x} ${way ? y : y - 18}) scale(${geometry.letters})`}>
        <rect x=${-width / 2} y=${rack ? -11 : -7} width=${width} height=${rack ? 22 : 13} rx="6" /><text>${text}</text></g></g>`;
  });
}

/** The truth in a sentence. */
export function truthSentence(truth, position) {
  if (!truth) return 'Loading the truth …';
  if (!truth.result) return truth.why ? `${capital(truth.why)}.` : 'The truth is not known yet.';
  const mover = sideName(position, position.to_move);
  const result = { win: `${mover} wins`, draw: 'a draw', loss: `${mover} loses` }[truth.result];
  const when = truth.plies && truth.result !== 'draw' ? ` in ${truth.plies} ${truth.plies === 1 ? 'ply' : 'plies'}` : '';
  const by = truth.best.length ? ` by playing ${choice(truth.best, 6)}` : '';
  return `With perfect play: ${result}${when}${truth.result === 'loss' ? '' : by}.`;
}
