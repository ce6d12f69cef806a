// Drawings over the stones: candidates with their worth, a policy, the numbered line, a hint, the truth.

import { html, classes } from './html.js';
import { capital, choice, count, grade, score, sideName, worth } from './format.js';
import { Stone } from './drawing.js';

/** Whether a candidate is a proven win or draw. */
const isSafe = (c) => c.proven === 'win' || c.proven === 'draw';

const NAMED = 3; // how many candidates have figures on a fine board

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
    const { x, y } = geometry.at(c.cell);
    const size = 11 + 7 * Math.sqrt(c.visits / most);
    const large = fine ? rank < NAMED : c === best || c.visits > most / 50 || isSafe(c);
    const visits = large && !fine && c.visits > 0;
    return html`<g key=${c.move} class=${classes('candidate', grade(c, best), c === best && 'best', c.move === pointed && 'pointed')}
      transform=${`translate(${x} ${y + geometry.below})`}>
      <circle r=${!large ? (fine ? 0.7 * size : 9) : fine ? 18 * letters : Math.max(size, 16.5)} />
      ${large && html`<text class="worth" y=${visits ? -4 : 0}>${worth(c)}</text>`}
      ${visits && html`<text class="visits" y="7.5">${count(c.visits)}</text>`}
    </g>`;
  }).reverse();
}

/** A policy on the board: the larger the disc, the likelier the move, with its percentage. */
export function Policy({ policy, cellOf, geometry }) {
  const moves = Object.entries(policy).filter(([, p]) => p >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 24);
  return moves.map(([move, p], i) => {
    const cell = cellOf(move);
    if (cell === null || cell === undefined) return null;
    const { x, y } = geometry.at(cell);
    return html`<g key=${move} class=${classes('candidate policy', i === 0 && 'best')} transform=${`translate(${x} ${y + geometry.below})`}>
      <circle r=${9 + 9 * Math.sqrt(p)} />${(!geometry.fine || i < NAMED) && html`<text class="worth">${Math.round(100 * p)}%</text>`}</g>`;
  });
}

/** The moves of a line as translucent, numbered stones. Moves without a cell are left out. */
export function Line({ position, cells, geometry }) {
  return cells.map((cell, i) => {
    if (cell === null) return null;
    const { x, y } = geometry.at(cell);
    const side = (position.to_move === 'first') === (i % 2 === 0) ? 'first' : 'second';
    return html`<g key=${i} class=${`ghost ${side} on-${geometry.look}`} transform=${`translate(${x} ${y})`}>
      <${Stone} look=${geometry.look} side=${side} /><text>${i + 1}</text></g>`;
  });
}

/** A mark on the cell of a hint, or of a move that waits to be confirmed. */
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
 * moves have it only if they are among the best. That avoids filling the board. The best moves have a frame.
 */
export function Truth({ truth, position, geometry }) {
  const best = new Set(truth.best);
  const isShown = (t) => geometry.look === 'rack' || best.has(t.move) || t.result === 'win' || t.result === 'draw';
  return truth.truth.filter(isShown).map((t) => {
    const move = position.legal.find((l) => l.move === t.move);
    if (!move || move.cell === null) return null;
    const { x, y } = geometry.at(move.cell);
    const rack = geometry.look === 'rack';
    const text = truthText(t);
    const width = rack ? 36 : 8 + 6 * text.length;
    return html`<g key=${t.move} class=${classes('truth', t.result || 'unknown', best.has(t.move) && 'best')}
      transform=${rack ? `translate(${x} ${geometry.height - 15})` : `translate(${x} ${y - 18}) scale(${geometry.letters})`}>
      <rect x=${-width / 2} y=${rack ? -11 : -7} width=${width} height=${rack ? 22 : 13} rx="6" /><text>${text}</text></g>`;
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
