// Drawings over the stones: candidates with their worth, a policy, the numbered line, a hint, the truth, a selected piece. A move
// of a piece is an arrow.

import { html, classes } from './html.js';
import { capital, choice, lost, score, sideName, worth } from './format.js';
import { Stone } from './drawing.js';
import { SIDES } from './tiles.js';
import { arrow, figurePlaces } from './geometry.js';

/** Whether a candidate is a proven win or draw. */
const isSafe = (c) => c.proven === 'win' || c.proven === 'draw';

const NAMED = 3; // how many candidates have figures on a fine board, and how many are arrows
const UNSURE = 2; // half the side of the smallest square for an owner
const NUMBER = 0.29; // where the numbers of a line stand: arrows that cross do not meet there
const BEHIND = 14; // how far behind the beginning of an arrow the truth stands
const [WIDTH, HEIGHT] = [37, 17]; // of a figure's ground

const moveTo = ({ x, y }, below = 0) => `translate(${x} ${y + below})`;

/** A figure on its ground, which is no disc, so that nobody takes it for a stone. */
const Figure = ({ place, size = 1, children }) => html`<g transform=${`${place} scale(${size})`}>
  <rect x=${-WIDTH / 2} y=${-HEIGHT / 2} width=${WIDTH} height=${HEIGHT} rx="5" /><text class="worth">${children}</text></g>`;

/** A small square, for a candidate without a figure. */
const Spot = ({ place, size }) => html`<rect transform=${place} x=${-size} y=${-size} width=${2 * size} height=${2 * size} rx="2.5" />`;

/**
 * Moves with figures, or as small squares without. Moves of pieces are arrows, of which only the most important are drawn.
 * @param {object} props marks: {move, share, lost, figure, strong} each, the most important first, with share (0 to 1) for the size, lost
 *   (0 to 1) for the colour, and figure null for none; geometry; kind: a class
 */
function Marks({ marks, geometry, kind }) {
  const { fine, letters } = geometry;
  const drawn = marks.map((m) => ({ ...m, way: arrow(geometry, m.move, 3 + 6 * m.share) })).filter((m, rank) => !m.way || rank < NAMED);
  const ways = drawn.filter((m) => m.way);
  const places = figurePlaces(ways.map((m) => m.way), WIDTH, HEIGHT);
  return drawn.map((m) => {
    const place = m.way ? moveTo(places[ways.indexOf(m)]) : moveTo(geometry.at(m.move.cell), geometry.below);
    return html`<g key=${m.move.move} class=${classes('candidate', kind, m.strong && 'best')} style=${{ '--lost': m.lost }}>
      ${m.way && html`<path d=${m.way.path} />`}
      ${m.figure === null ? html`<${Spot} place=${place} size=${(fine ? 5 : 4) + 5 * m.share} />`
        : html`<${Figure} place=${place} size=${fine && !m.way ? 1.1 * letters : 1}>${m.figure}<//>`}</g>`;
  }).reverse();
}

/**
 * Candidates on the board: figures show their values, colours what they give away against the best, sizes their visits. On a fine board,
 * only a few have figures.
 * @param {object} props report, geometry
 */
export function Candidates({ report, geometry }) {
  const [best] = report.candidates;
  const most = Math.max(1, ...report.candidates.map((c) => c.visits));
  const shown = report.candidates.filter((c) => c.cell !== null && (c.visits > 0 || c === best || isSafe(c))).slice(0, 24);
  const marks = shown.map((c, rank) => ({
    move: c, share: Math.sqrt(c.visits / most), lost: lost(c, best), strong: c === best,
    figure: (geometry.fine ? rank < NAMED : c === best || c.visits > most / 50 || isSafe(c)) && (c.proven || c.value !== null) ? worth(c) : null,
  }));
  return html`<${Marks} marks=${marks} geometry=${geometry} />`;
}

/** A policy on the board: the likeliest moves with their percentages. moveOf gives the legal move of a name. */
export function Policy({ policy, moveOf, geometry }) {
  const likely = Object.entries(policy).filter(([, p]) => p >= 0.01).sort((a, b) => b[1] - a[1]).slice(0, 24);
  const marks = likely.map(([name, p], i) => ({
    move: moveOf(name), share: Math.sqrt(p), lost: 0, strong: i === 0, figure: geometry.fine && i >= NAMED ? null : `${Math.round(100 * p)}%`,
  })).filter(({ move }) => move && move.cell !== null);
  return html`<${Marks} marks=${marks} geometry=${geometry} kind="policy" />`;
}

/** Who will probably hold the cells at the end: squares on free cells, and on stones that will not stay, larger where it is surer. */
export function Owners({ report, position, geometry }) {
  return report.owners.map((share, cell) => {
    const owner = (share > 0) === (report.to_move === 'first') ? 1 : 2;
    const half = 7 * Math.sqrt(Math.abs(share));
    if (half < UNSURE || position.cells[cell] === owner) return null;
    const { x, y } = geometry.at(cell);
    return html`<rect class=${`area ${SIDES[owner]}`} key=${cell} x=${x - half} y=${y - half} width=${2 * half} height=${2 * half} />`;
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

/** A move as an arrow or a ring: a "hint", or in a report the move "played" and the "better" one. */
export function Mark({ move, geometry, kind }) {
  const way = arrow(geometry, move, 7);
  return way ? html`<path class=${`mark-arrow ${kind}`} d=${way.path} />` : html`<${Ring} cell=${move.cell} geometry=${geometry} kind=${kind} />`;
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
  return t.score !== null && t.plies !== null ? score(t.score) : LETTER[t.result] + (t.plies && t.result !== 'draw' ? t.plies : '');
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
