// The values of a game as a graph: up is good for the first player. A click goes to the move.

import { html, classes } from './html.js';
import { valueAt, visit } from './analysis.js';
import { RESULTS, capital, look, sideName, signed } from './format.js';
import { mistakesOf } from './mistakes.js';
import { position } from './session.js';
import { state } from './store.js';

const WIDTH = 400;
const HEIGHT = 110;
const MIDDLE = HEIGHT / 2;
const MARGIN = 6; // left and right

const y = (value) => MIDDLE - value * (MIDDLE - 6);

/** The points of the known values, in pieces. An unknown value ends a piece. */
function pieces(values, x) {
  const all = [];
  let piece = [];
  values.forEach((v, i) => {
    if (v === null) {
      piece = [];
      return;
    }
    if (!piece.length) all.push(piece);
    piece.push([x(i), y(v)]);
  });
  return all;
}

/** The truth's result at a node for the first player: 1, 0, -1, or null. */
function truthAt(node) {
  const result = node.truth?.result;
  if (!result) return null;
  return RESULTS[result] * (node.ply % 2 ? -1 : 1);
}

/** The graph of the values along the line on the board, in the opinion of seat. */
export function Graph({ seat }) {
  const line = state.tree.line();
  const values = line.map((node) => valueAt(node, seat));
  const here = line.indexOf(state.tree.node);
  const step = (WIDTH - 2 * MARGIN) / Math.max(10, line.length - 1);
  const x = (i) => MARGIN + i * step;
  const wrong = mistakesOf(line, seat);
  const label = (i) => `${i ? `move ${i}, ${line[i].move}` : 'the start'}, value ${signed(values[i])} for ${sideName(position(), 'first')}`;
  const go = (i) => visit(line[Math.max(0, Math.min(line.length - 1, i))]);
  const at = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.round((((event.clientX - box.left) / box.width) * WIDTH - MARGIN) / step);
  };
  const onKey = (event) => {
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, ArrowDown: here - 1, ArrowUp: here + 1, Home: 0, End: line.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(to);
  };
  return html`<div class="graph" role="slider" tabindex="0" aria-label="Values of the game" aria-valuemin="0" aria-valuemax=${line.length - 1}
    aria-valuenow=${here} aria-valuetext=${label(here)} onClick=${(e) => go(at(e))} onKeyDown=${onKey}>
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="upper" width=${WIDTH} height=${MIDDLE} /><rect class="lower" y=${MIDDLE} width=${WIDTH} height=${MIDDLE} />
      ${line.map((node, i) => {
        const t = truthAt(node);
        return t === null ? null : html`<rect class=${`truth-strip ${t > 0 ? 'first' : t < 0 ? 'second' : 'even'}`}
          x=${x(i) - step / 2} width=${step + 0.3} y=${t > 0 ? 0 : t < 0 ? HEIGHT - 5 : MIDDLE - 2.5} height="5" />`;
      })}
      <path class="zero" d=${`M0 ${MIDDLE}H${WIDTH}`} />
      ${pieces(values, x).map((p) => p.length === 1
        ? html`<path class="curve dot" d=${`M${p[0][0]} ${p[0][1]}h.01`} />`
        : html`<path class="curve" d=${`M${p.map((q) => q.map((n) => n.toFixed(1)).join(' ')).join('L')}`} />`)}
      ${wrong.map(({ node, mistake }) => html`<path class=${`wrong wrong-${mistake.grade}`}
        d=${`M${x(node.ply)} ${y(values[node.ply] ?? 0)}h.01`} />`)}
      <path class="cursor" d=${`M${x(here)} 0V${HEIGHT}`} />
    </svg>
    <span class="graph-label top">${capital(sideName(position(), 'first'))} wins</span>
    <span class="graph-label bottom">${capital(sideName(position(), 'second'))} wins</span>
  </div>`;
}

/** The bar beside the board. The first player's expected score fills it from below, or from above if the board is turned. It names that player
 * beside the value. */
export function EvaluationBar({ value, position: p, flipped }) {
  const share = value === null ? 0.5 : (value + 1) / 2;
  const side = capital(sideName(p, 'first'));
  return html`<div class=${classes('evaluation', `on-${look(p)}`, flipped && 'flipped')} role="meter" aria-label=${`Value for ${side}`} aria-valuemin="-1" aria-valuemax="1"
    aria-valuenow=${value === null ? 0 : value.toFixed(2)} aria-valuetext=${value === null ? 'unknown' : `${side} ${signed(value)}`}>
    <i style=${{ '--share': `${100 * share}%` }}></i><span class=${(share > 0.5) !== flipped ? 'low' : 'high'}>${
      value !== null && !p.over && html`<b>${side}</b> ${signed(value)}`}</span></div>`;
}
