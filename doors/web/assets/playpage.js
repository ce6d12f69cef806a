// The Play page.

import { html, classes } from './html.js';
import { mustPass } from './announce.js';
import { Board } from './board.js';
import { capital, count, milliseconds, other, sideName, signed, worth, worthOf } from './format.js';
import { IconButton } from './icons.js';
import { beginTurn, ended, flip, hint, humanMayMove, isFlipped, levelsBeside, newGame, pause, personPlays, playAgainst, resign, seatToMove, setSeats,
  sideBelow, standing, takeBack, toggleRunning, visit, whyNot, writePlayAddress } from './match.js';
import { GameChoice, gameTitle } from './gamechoice.js';
import { Moves, Share } from './moves.js';
import { Mark } from './overlay.js';
import { seatName, strength } from './players.js';
import { Question } from './question.js';
import { SeatChoice } from './seats.js';
import { along, gameParams, openText, position, resignation } from './session.js';
import { state, update } from './store.js';
import { link } from './address.js';

/** A bar with a side's player, whether it is to move or has won, and what it thinks. */
function Player({ side, place }) {
  const p = position();
  const seat = state.play.seats[side];
  const { thinking, said } = state.play;
  const turn = p.to_move === side && !ended();
  const won = p.over ? p.winner === side : resignation() === other(side);
  return html`<div class=${classes('player', place, turn && 'turn')}>
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
  const value = report.proven || worthOf(report) !== null ? html` <b>${report.proven || signed(worthOf(report))}</b>` : '';
  const cost = report.simulations ? html`${value} <small>${count(report.simulations)} sims</small>` : '';
  return html`<span class="quiet">${report.best}${cost}</span>`;
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
    <${IconButton} icon="plus" label="New game" keys="n" onClick=${() => newGame(state.game)} />
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

/** A button that turns the board, and four that step through a game. They call go with a node of its tree. */
export function Walk({ go }) {
  const { tree } = state;
  return html`<div class="walk" role="group" aria-label="Steps through the game">
    <${IconButton} icon="turn" label="Turn the board" keys="f" onClick=${flip} />
    <${IconButton} icon="first" label="To the start" keys="Home" disabled=${!tree.node.parent} onClick=${() => go(along(-Infinity))} />
    <${IconButton} icon="back" label="One move back" keys="←" disabled=${!tree.node.parent} onClick=${() => go(along(-1))} />
    <${IconButton} icon="forth" label="One move on" keys="→" disabled=${!tree.node.next} onClick=${() => go(along(1))} />
    <${IconButton} icon="last" label="To the end" keys="End" disabled=${!tree.node.next} onClick=${() => go(along(Infinity))} />
  </div>`;
}

const PAUSES = [0, 300, 700, 1500, 3000];

/** The heading: how the game stands, moves without a cell, and after the end what one may do next. */
function Standing() {
  const p = position();
  const { hint: found, thinking } = state.play;
  return html`<div class=${classes('standing', ended() && 'ended')}><span>${standing()}</span>
    <${OtherMoves} position=${p} play=${humanMayMove() ? personPlays : null} />
    ${ended() && html`<span class="buttons"><button type="button" class="button primary" onClick=${() => newGame(state.game)}>Play again</button>
      ${levelsBeside().map(({ name, seat }) => html`<button type="button" class="button" key=${name} onClick=${() => playAgainst(seat)}>${name}</button>`)}</span>`}
    ${thinking?.side === 'hint' && html`<small>Looking for a move …</small>`}
    ${found && html`<small>${found.player} would play <b>${found.move}</b>, ${worth(found)}</small>`}
  </div>`;
}

/** The card that chooses the game, its players and, without a human, the pause between moves. Once a game has begun, it is one line, unless the
 * user is busy in it. */
function Setup() {
  const { seats, pause: pauseTime } = state.play;
  const change = (side, seat) => setSeats({ ...state.play.seats, [side]: seat });
  const swap = () => setSeats({ first: seats.second, second: seats.first });
  const noHuman = seats.first?.player !== 'person' && seats.second?.player !== 'person';
  const names = [seatName(seats.first, seats.second), seatName(seats.second, seats.first)].join(' – ');
  const isBusy = document.activeElement?.matches('.setup :not(summary)');
  return html`<details class="card setup" open=${!state.tree.root.next || isBusy}><summary><h2>Game <small>${gameTitle(state.game)}, ${names}</small></h2></summary>
    <${GameChoice} choose=${newGame} />
    ${['first', 'second'].map((side) => html`<${SeatChoice} key=${side} id=${`seat-${side}`} seat=${seats[side]} human=${true}
      label=${capital(sideName(position(), side)) + (side === 'first' ? ', moves first' : '')} change=${(seat) => change(side, seat)} />`)}
    ${noHuman && html`<label class="field"><span class="field-name">Pause between moves</span>
      <span class="strength"><input type="range" min="0" max=${PAUSES.length - 1} value=${PAUSES.indexOf(pauseTime)}
        aria-valuetext=${milliseconds(pauseTime)} onInput=${(e) => update({ pause: PAUSES[Number(e.target.value)] }, 'play')} />
      <output class="amount">${pauseTime ? milliseconds(pauseTime) : 'none'}</output></span></label>`}
    <div class="buttons"><${IconButton} icon="swap" label="Swap sides" text="Swap sides" onClick=${swap} /></div>
  </details>`;
}

/** The board, or its position in words if the game has no drawing. */
export function BoardOrText({ position: p, ...rest }) {
  return p.columns ? html`<${Board} position=${p} ...${rest} />` : html`<pre class="text-board">${p.text}</pre>`;
}

/** Buttons for moves without a cell, such as a pass. The focus goes to the board, because the button vanishes. */
export function OtherMoves({ position, play }) {
  const others = play ? position.legal.filter((l) => l.cell === null) : [];
  const choose = async (move) => {
    await play(move);
    /** @type {HTMLElement} */ (document.querySelector('.cell[tabindex="0"]'))?.focus({ preventScroll: true });
  };
  return others.length > 0 && html`<span class="buttons" role="group" aria-label="Other moves">
    ${others.map((l) => html`<button type="button" class=${classes('button', mustPass(position) && 'primary')} key=${l.move}
      onClick=${() => choose(l.move)}>${capital(l.word || l.move)}</button>`)}</span>`;
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
  const { hint: found } = state.play;
  const below = sideBelow();
  return html`<div class="page table playing"><h1 class="unseen">Play ${gameTitle(state.game)}</h1>
    <div class="board-side">
      <${BoardOrText} position=${p} play=${humanMayMove() ? personPlays : null} why=${whyNot()} flipped=${isFlipped()} label=${`Board, ${standing()}`}
        over=${found && ((g) => html`<${Mark} move=${found} geometry=${g} kind="hint" />`)} />
    </div>
    <div class="panels"><div class="beside">
        <${Player} side=${other(below)} place="above" />
        <${Standing} />
        <${Moves} marks=${false} go=${visit} />
        <${Controls} />
        <${Player} side=${below} place="below" />
      </div>
      <${Setup} />
      <section class="card"><h2>This game</h2><${Share} open=${playText} />
        <a class="button wide" href=${link('analyse', { ...gameParams(), at: null })}>Analyse this game</a></section>
    </div>
  </div>`;
}
