// The Play page.

import { html, classes } from './html.js';
import { onlyMove } from './announce.js';
import { Board } from './board.js';
import { capital, count, milliseconds, other, sideName, signed, worth, worthOf } from './format.js';
import { IconButton } from './icons.js';
import { beginTurn, ended, hint, newGame, pause, humanMayMove, personPlays, resign, seatToMove, setSeats, standing, takeBack,
  toggleRunning, visit, writePlayAddress } from './match.js';
import { GameChoice, gameTitle } from './gamechoice.js';
import { Moves, Share } from './moves.js';
import { Hint } from './overlay.js';
import { seatName, strength } from './players.js';
import { Question } from './question.js';
import { SeatChoice } from './seats.js';
import { along, gameParams, openText, position, resignation } from './session.js';
import { state, update } from './store.js';
import { link } from './address.js';

/** A bar with a side's player, whether it is to move or has won, and what it thinks. */
function Player({ side }) {
  const p = position();
  const seat = state.play.seats[side];
  const { thinking, said } = state.play;
  const turn = p.to_move === side && !ended();
  const won = p.over ? p.winner === side : resignation() === other(side);
  return html`<div class=${classes('player', turn && 'turn')}>
    <i class=${`chip ${side} is-${sideName(p, side)}`} aria-hidden="true"></i>
    <div class="who"><b>${seatName(seat, state.play.seats[other(side)])}</b><small>${capital(sideName(p, side))}${seat?.kind ? ` · ${strength(seat)}` : ''}</small></div>
    <div class="thought">${won ? html`<b class="badge">wins</b>`
      : thinking && thinking.side === side ? html`<${Thought} thinking=${thinking} />`
      : turn ? html`<span class="badge quiet">to move</span>` : said[side] ? html`<${Thought} thinking=${{ report: said[side] }} />` : ''}</div>
  </div>`;
}

/** The best move and value that a thinking player has found so far, or why there is none. */
function Thought({ thinking: { report, place, cut } }) {
  if (cut) return html`<span class="quiet">reconnecting …</span>`;
  if (place) return html`<span class="quiet">number ${place} in the queue</span>`;
  if (!report) return html`<span class="dots" aria-label="thinking"><i></i><i></i><i></i></span>`;
  return html`<span class="quiet">${report.best} <b>${report.proven || signed(worthOf(report))}</b> ${count(report.simulations)}</span>`;
}

/** The buttons below the board. */
function Controls() {
  const { play, tree } = state;
  const hasComputer = Object.values(play.seats).some((s) => s.player !== 'person');
  const computerMoves = hasComputer && !ended() && seatToMove()?.player !== 'person';
  return html`<div class="controls" role="group" aria-label="Game">
    ${computerMoves && html`<${IconButton} kind="primary" icon=${play.running ? 'pause' : 'play'} text=${play.running ? 'Stop' : 'Continue'}
      label=${play.running ? 'Stop the players' : 'Let the players continue'} keys="space" onClick=${toggleRunning} />`}
    <${IconButton} icon="undo" label="Take back" keys="u" text="Take back" disabled=${!tree.node.parent} onClick=${takeBack} />
    <${IconButton} icon="hint" label="Hint" keys="h" text="Hint" disabled=${!humanMayMove()} onClick=${hint} />
    <${IconButton} icon="flag" label="Resign" text="Resign" disabled=${!humanMayMove() || !tree.node.parent} 
      onClick=${() => update({ asked: position().to_move }, 'play')} />
    <span class="spring"></span>
    <${Walk} go=${visit} />
    ${play.asked && html`<${Question} text="Do you resign?" answers=${[['Yes, resign', () => resign(play.asked)]]} no="No, play on"
      cancel=${() => update({ asked: null }, 'play')} />`}
  </div>`;
}

/** Shown instead of the board while it loads, and if it cannot be loaded. */
export function NoBoard({ page }) {
  return html`${state.trouble && html`<h1 class="unseen">${page === 'play' ? 'Play' : 'Analyse'}</h1>`}
    <p class="loading">${state.trouble ? html`<a href=${link(page, { game: state.catalog.games[0].name })}>Set up a new board</a>`
    : 'Setting up the board …'}</p>`;
}

/** Four buttons that step through a game. They call go with a node of its tree. */
export function Walk({ go }) {
  const { tree } = state;
  return html`<div class="walk" role="group" aria-label="Steps through the game">
    <${IconButton} icon="first" label="To the start" keys="Home" disabled=${!tree.node.parent} onClick=${() => go(along(-Infinity))} />
    <${IconButton} icon="back" label="One move back" keys="←" disabled=${!tree.node.parent} onClick=${() => go(along(-1))} />
    <${IconButton} icon="forth" label="One move on" keys="→" disabled=${!tree.node.next} onClick=${() => go(along(1))} />
    <${IconButton} icon="last" label="To the end" keys="End" disabled=${!tree.node.next} onClick=${() => go(along(Infinity))} />
  </div>`;
}

const PAUSES = [0, 300, 700, 1500, 3000];

/** The card that chooses the game, its players and, without a human, the pause between moves. */
function Setup() {
  const { seats, pause: pauseTime } = state.play;
  const change = (side, seat) => setSeats({ ...state.play.seats, [side]: seat });
  const swap = () => setSeats({ first: seats.second, second: seats.first });
  const noHuman = seats.first?.player !== 'person' && seats.second?.player !== 'person';
  return html`<section class="card"><h2>Game</h2>
    <${GameChoice} choose=${newGame} />
    ${['first', 'second'].map((side) => html`<${SeatChoice} key=${side} id=${`seat-${side}`} seat=${seats[side]} human=${true}
      label=${capital(sideName(position(), side)) + (side === 'first' ? ', moves first' : '')} change=${(seat) => change(side, seat)} />`)}
    ${noHuman && html`<label class="field"><span class="field-name">Pause between moves</span>
      <span class="strength"><input type="range" min="0" max=${PAUSES.length - 1} value=${PAUSES.indexOf(pauseTime)}
        aria-valuetext=${milliseconds(pauseTime)} onInput=${(e) => update({ pause: PAUSES[Number(e.target.value)] }, 'play')} />
      <output class="amount">${pauseTime ? milliseconds(pauseTime) : 'none'}</output></span></label>`}
    <div class="buttons"><button class="button primary" onClick=${() => newGame(state.game)} title="New game (n)">New game</button>
      <${IconButton} icon="swap" label="Swap sides" text="Swap sides" onClick=${swap} /></div>
  </section>`;
}

/** The board, or its position in words if the game has no drawing. */
export function BoardOrText({ position: p, ...rest }) {
  return p.columns ? html`<${Board} position=${p} ...${rest} />` : html`<pre class="text-board">${p.text}</pre>`;
}

/** Buttons for moves without a cell, such as a pass, and why there is nothing else to click. */
export function OtherMoves({ position, play }) {
  const others = play ? position.legal.filter((l) => l.cell === null) : [];
  return others.length > 0 && html`<div class="buttons others" role="group" aria-label="Other moves">
    ${others.map((l) => html`<button class="button" key=${l.move} onClick=${() => play(l.move)}>${l.move}</button>`)}
    ${onlyMove(position) && html`<span class="quiet">No other move is legal.</span>`}</div>`;
}

/** Opens the game that the user has typed, pasted or dropped. */
async function playText(text) {
  pause();
  if (!await openText(text)) return;
  writePlayAddress(true);
  beginTurn();
}

export function PlayPage() {
  const p = position();
  if (!p) return html`<${NoBoard} page="play" />`;
  const { hint: found, thinking } = state.play;
  return html`<div class="page table"><h1 class="unseen">Play ${gameTitle(state.game)}</h1>
    <div class="board-side">
      <${Player} side="second" />
      <${BoardOrText} position=${p} play=${humanMayMove() ? personPlays : null} label=${`Board, ${standing()}`}
        over=${found && ((g) => html`<${Hint} move=${found} geometry=${g} />`)} />
      <${OtherMoves} position=${p} play=${humanMayMove() ? personPlays : null} />
      <${Player} side="first" />
      <${Controls} />
    </div>
    <div class="panels">
      <p class=${classes('standing', ended() && 'ended')}>${standing()}
        ${thinking?.side === 'hint' && html`<small>Looking for a move …</small>`}
        ${found && html`<small>${found.player} would play <b>${found.move}</b>, ${worth(found)}</small>`}
        ${ended() && html`<button class="button primary" onClick=${() => newGame(state.game)}>Play again</button>`}</p>
      <${Setup} />
      <section class="card"><h2>Moves</h2><${Moves} marks=${false} go=${visit} />
        <${Share} open=${playText} />
        <a class="button wide" href=${link('analyse', { ...gameParams(), at: null })}>Analyse this game</a></section>
    </div>
  </div>`;
}
