// Choosing who plays, and how strong.

import { html } from './html.js';
import { formatSeat } from './address.js';
import { KINDS, findPlayer, modelsOf, seatOf, steps, strength } from './players.js';
import { state } from './store.js';

/**
 * A choice of player and strength.
 * @param {object} props seat, change (called with the new seat), label, human (whether to offer a human), id
 */
export function SeatChoice({ seat, change, label, human, id }) {
  const players = state.players[state.game] || [];
  const player = findPlayer(seat.player);
  const models = modelsOf(players, player?.run ?? null);
  const newest = models.at(-1)?.name ?? seat.player; // stands for all models of its run
  const earlier = (p) => p.run !== null && p !== modelsOf(players, p.run).at(-1);
  const option = (p) => html`<option key=${p.name} value=${p.name} selected=${!level && p.name === newest}>${p.name} – ${p.note}</option>`;
  const offered = (human && state.levels[state.game]) || [];
  const level = offered.find((l) => formatSeat(l.seat) === formatSeat(seat));
  const choose = (name) => {
    const named = offered.find((l) => l.name === name);
    if (named) {
      change(named.seat);
      return;
    }
    const chosen = findPlayer(name);
    change(chosen ? seatOf(chosen) : { player: 'person', kind: null, amount: null });
  };
  return html`<div class="seat">
    <label class="field"><span class="field-name">${label}</span>
      <select id=${id} value=${level ? level.name : newest} onChange=${(e) => choose(e.target.value)}>
        ${human && html`<option value="person" selected=${seat.player === 'person'}>a person</option>`}
        ${offered.length > 0 && html`<optgroup label="Levels">${offered.map((l) => html`<option key=${l.name} value=${l.name}
          selected=${l === level}>${l.name} – ${l.seat.player}${l.seat.kind ? `, ${strength(l.seat)}` : ''}</option>`)}</optgroup>`}
        ${players.filter((p) => !earlier(p)).map(option)}
      </select></label>
    ${models.length > 1 && html`<${Iteration} models=${models} seat=${seat} change=${change} of=${label} />`}
    ${player?.limits.length > 0 && html`<${Strength} player=${player} seat=${seat} change=${change} of=${label} />`}
  </div>`;
}

/** Which model of a run it is. */
function Iteration({ models, seat, change, of }) {
  const at = models.findIndex((p) => p.name === seat.player);
  const text = `iteration ${models[at].iteration} of ${models.at(-1).iteration}`;
  return html`<div class="strength"><input type="range" min="0" max=${models.length - 1} step="1" value=${at} aria-label=${`${of}: iteration`}
      aria-valuetext=${text} onInput=${(e) => change({ ...seat, player: models[Number(e.target.value)].name })} />
    <output class="amount wide">${text}</output></div>`;
}

/** A player's limit: its kind, and its amount on a scale whose steps grow with strength. */
function Strength({ player, seat, change, of }) {
  const list = steps(seat.kind, seat.amount);
  return html`<div class="strength">
    ${player.limits.length > 1 && html`<select class="small" aria-label=${`${of}: strength by`} value=${seat.kind}
      onChange=${(e) => change(limited(player, seat, e.target.value))}>
      ${player.limits.map((k) => html`<option key=${k} value=${k} selected=${k === seat.kind}>by ${KINDS[k]}</option>`)}
    </select>`}
    <input type="range" min="0" max=${list.length - 1} step="1" value=${list.indexOf(seat.amount)} aria-label=${`${of}: strength`}
      aria-valuetext=${strength(seat)} onInput=${(e) => change({ ...seat, amount: list[Number(e.target.value)] })} />
    <output class="amount">${strength(seat)}</output>
  </div>`;
}

// The seat with another kind of limit.
function limited(player, seat, kind) {
  const amount = player[kind] ?? { simulations: 400, milliseconds: 1000, depth: 8 }[kind];
  return { ...seat, kind, amount };
}
