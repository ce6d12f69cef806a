// Controls that choose a player and its strength.

import { html } from './html.js';
import { formatSeat } from './address.js';
import { KINDS, findPlayer, modelsOf, seatOf, steps, strength } from './players.js';
import { state } from './store.js';

/**
 * A list of players, with sliders for a run's models and for the player's limit. A run is one entry of the list.
 * @param {object} props seat: the chosen one; change: called with a new seat; label; human: whether the list offers a human and the
 *   levels; id: of the list
 */
export function SeatChoice({ seat, change, label, human, id }) {
  const players = state.players[state.game] || [];
  const player = findPlayer(seat.player);
  const models = modelsOf(players, player?.run ?? null);
  const listed = models.at(-1)?.name ?? seat.player; // a run's newest model stands for all its models
  const isEarlierModel = (p) => p.run !== null && p !== modelsOf(players, p.run).at(-1);
  const option = (p) => html`<option key=${p.name} value=${p.name} selected=${!level && p.name === listed}>${p.name} – ${p.note}</option>`;
  const levels = (human && state.levels[state.game]) || [];
  const level = levels.find((l) => formatSeat(l.seat) === formatSeat(seat));
  const choose = (name) => {
    const chosenLevel = levels.find((l) => l.name === name);
    if (chosenLevel) {
      change(chosenLevel.seat);
      return;
    }
    const chosenPlayer = findPlayer(name);
    change(chosenPlayer ? seatOf(chosenPlayer) : { player: 'person', kind: null, amount: null });
  };
  return html`<div class="seat">
    <label class="field"><span class="field-name">${label}</span>
      <select id=${id} value=${level ? level.name : listed} onChange=${(e) => choose(e.target.value)}>
        ${human && html`<option value="person" selected=${seat.player === 'person'}>a person</option>`}
        ${levels.length > 0 && html`<optgroup label="Levels">${levels.map((l) => html`<option key=${l.name} value=${l.name}
          selected=${l === level}>${l.name} – ${l.seat.player}${l.seat.kind ? `, ${strength(l.seat)}` : ''}</option>`)}</optgroup>`}
        ${players.filter((p) => !isEarlierModel(p)).map(option)}
      </select></label>
    ${models.length > 1 && html`<${Iteration} models=${models} seat=${seat} change=${change} name=${label} />`}
    ${player?.limits.length > 0 && html`<${Strength} player=${player} seat=${seat} change=${change} name=${label} />`}
  </div>`;
}

/** A slider that chooses a run's model by its iteration. */
function Iteration({ models, seat, change, name }) {
  const at = models.findIndex((p) => p.name === seat.player);
  const text = `iteration ${models[at].iteration} of ${models.at(-1).iteration}`;
  return html`<div class="strength"><input type="range" min="0" max=${models.length - 1} step="1" value=${at} aria-label=${`${name}: iteration`}
      aria-valuetext=${text} onInput=${(e) => change({ ...seat, player: models[Number(e.target.value)].name })} />
    <output class="amount wide">${text}</output></div>`;
}

/** A slider for a player's limit, after a list of its kinds if there are several. */
function Strength({ player, seat, change, name }) {
  const list = steps(seat.kind, seat.amount, player.network);
  return html`<div class="strength">
    ${player.limits.length > 1 && html`<select class="small" aria-label=${`${name}: strength by`} value=${seat.kind}
      onChange=${(e) => change(withKind(player, seat, e.target.value))}>
      ${player.limits.map((k) => html`<option key=${k} value=${k} selected=${k === seat.kind}>by ${KINDS[k]}</option>`)}
    </select>`}
    <input type="range" min="0" max=${list.length - 1} step="1" value=${list.indexOf(seat.amount)} aria-label=${`${name}: strength`}
      aria-valuetext=${strength(seat)} onInput=${(e) => change({ ...seat, amount: list[Number(e.target.value)] })} />
    <output class="amount">${strength(seat)}</output>
  </div>`;
}

// The seat with another kind of limit, and the player's usual amount of it.
function withKind(player, seat, kind) {
  const amount = player[kind] ?? { simulations: 400, milliseconds: 1000, depth: 8 }[kind];
  return { ...seat, kind, amount };
}
