// The Analyse page.

import { html, classes } from './html.js';
import { CUT, MOST_OPINIONS, addOpinion, mistakeAhead, nextMistake, playLine, recordAt, retry, retrying, setOpinions, showAnswer, shownReport, shownSeat,
  startAnalysis, stopSweep, sweep, toggleRaw, toggleThinking, toggleTruth, tryMove, valueAt, visit, writeAnalysisAddress } from './analysis.js';
import { outcome, unseenMove } from './announce.js';
import { formatSeat, link } from './address.js';
import { engine } from './api.js';
import { Candidates as Table } from './candidates.js';
import { movesPiece } from './choices.js';
import { capital, count, lost, milliseconds, plural, sideName, signed, worth, worthOf } from './format.js';
import { GameChoice, gameTitle } from './gamechoice.js';
import { EvaluationBar, Graph } from './graph.js';
import { IconButton } from './icons.js';
import { Look } from './look.js';
import { isFlipped } from './match.js';
import { describe, isJudged, mistakesOf, moveNumber } from './mistakes.js';
import { Moves, Share } from './moves.js';
import { Candidates, Mark, Owners, Policy, Truth, truthSentence } from './overlay.js';
import { BoardOrText, NoBoard, OtherMoves, Walk } from './playpage.js';
import { Past } from './past.js';
import { Record, RecordChoice } from './record.js';
import { SeatChoice } from './seats.js';
import { openGame, openText, position } from './session.js';
import { state, trouble, update } from './store.js';
import { TERMS } from './terms.js';
import { notation } from './tree.js';

const [MOST_LINES, LONGEST_LINE] = [3, 12];

/** Opens a game at the position after some moves, given as text. */
export async function analyseText(game, text) {
  try {
    if (await openGame(game, text, null, { fresh: game !== state.game })) writeAnalysisAddress(true);
  } catch (error) {
    trouble(error);
  }
}

/** The line to show on the board: the shown opinion's for the move under the pointer. */
function pointedLine(p, report) {
  const { pointed, raw } = state.analysis;
  const candidate = !raw && report?.candidates.find((c) => c.move === pointed);
  return candidate ? candidate.pv_cells.slice(0, 12).map((cell, i) => ({ cell, from: candidate.pv_from[i] })) : [];
}

/** The drawings over the stones, as a function of the geometry: a mistake and the better moves, or a policy or candidates; and the truth. */
function over(p, report) {
  const { raw, truth } = state.analysis;
  if (retrying()) return null;
  const node = state.tree.node;
  const recorded = recordAt(node);
  const moveOf = (name) => p.legal.find((l) => l.move === name);
  const line = pointedLine(p, report);
  const wrong = mistakeAhead();
  if (wrong && !line.length) {
    const marked = [[wrong.node.move, 'played'], ...wrong.mistake.better.slice(0, 3).map((move) => [move, 'better'])];
    return (g) => marked.map(([name, kind]) => moveOf(name) && html`<${Mark} key=${name} move=${moveOf(name)} geometry=${g} kind=${kind} />`);
  }
  const exact = (g) => truth && node.truth && !p.over && html`<${Truth} truth=${node.truth} position=${p} geometry=${g} />`;
  const arrows = p.legal.some(movesPiece); // the truth's arrows lie below the candidates' figures
  return (g) => html`<g>
    ${!line.length && report?.owners && html`<${Owners} report=${report} position=${p} geometry=${g} />`}
    ${arrows && exact(g)}
    ${!line.length && raw && report?.network && html`<${Policy} policy=${report.network.policy} moveOf=${moveOf} geometry=${g} />`}
    ${!line.length && !raw && report && html`<${Candidates} report=${report} geometry=${g} />`}
    ${!report && recorded?.policy && html`<${Policy} policy=${recorded.policy} moveOf=${moveOf} geometry=${g} />`}
    ${!arrows && exact(g)}
  </g>`;
}

/** The result that a report expects, such as "black probably wins by 3.5", or nothing. */
function expected(p, { lead, to_move: mover }) {
  if (Math.abs(lead) < 0.05) return 'probably a draw';
  const side = (lead > 0) === (mover === 'first') ? 'first' : 'second';
  return lead !== undefined && `${sideName(p, side)} probably wins by ${Math.abs(lead).toFixed(1)}`;
}

/** A report's cost: "800 simulations, 1.2 s, 605/s". */
function effort({ simulations, milliseconds: ms, per_second: speed }) {
  return [simulations > 1 && plural(simulations, 'simulation'), ms && milliseconds(ms), simulations > 1 && speed && `${count(speed)}/s`].filter(Boolean).join(', ');
}

/** The question for a better move than a mistake. */
function Retry({ asked }) {
  return html`<div class="verdict"><div class="standing"><span>Find a better move than ${mistakeAhead()?.node.move}</span>
    <span class="buttons"><button type="button" class="button" onClick=${showAnswer}>Show the answer</button></span></div>
    <p class="quiet">${asked.tried ? `${asked.tried} is not the best move. Try again.` : 'Play it on the board.'}</p></div>`;
}

/** The shown player's best move and value, its place in the queue or its effort, and the truth. */
function Verdict({ report }) {
  const p = position();
  const { waiting, shown, raw, truth } = state.analysis;
  if (retrying()) return html`<${Retry} asked=${retrying()} />`;
  if (p.over) return html`<div class="verdict"><div class="standing ended">${capital(outcome(p))}</div></div>`;
  const place = waiting[shown];
  const mover = capital(sideName(p, p.to_move));
  const ahead = mistakeAhead();
  return html`<div class="verdict">
    <div class="standing"><span>${unseenMove(p)}${mover} to move${raw && report?.network ? html`: the network alone says ${signed(report.network.value)}`
      : report && html`: <span class="named">${report.best}</span>${
        report.proven ? `, proven ${report.proven}` : worthOf(report) === null ? '' : `, ${signed(worthOf(report))}`}`}</span>
      <${OtherMoves} position=${p} play=${tryMove} /></div>
    <p class="quiet small">${place === CUT ? 'The server does not answer, trying again … ' : place ? `Other searches are running: this one is number ${place} in the queue. ` : ''}
      ${report ? [effort(report), expected(p, report)].filter(Boolean).join(', ') : ''}</p>
    ${ahead ? html`<p class="truth-sentence"><b class=${`wrong-${ahead.mistake.grade}`}>${ahead.node.move}</b> ${describe(ahead.mistake)}.</p>`
      : truth && html`<p class="truth-sentence">${truthSentence(state.tree.node.truth, p)}</p>`}
  </div>`;
}

/** The shown opinion's best lines in words. Pointing at one shows it on the board; a click on a move plays the line to it. */
function Lines({ report }) {
  const point = (move) => update({ pointed: move }, 'analysis');
  const best = report?.candidates.filter((c, rank) => c.value !== null || c.proven || rank === 0).slice(0, MOST_LINES) ?? [];
  return html`<ol class="lines" aria-label="Best lines" onMouseLeave=${() => point(null)}>${best.map((c) => html`<li key=${c.move} onMouseEnter=${() => point(c.move)}>
    <span class="worth" style=${{ '--lost': lost(c, report.candidates[0]) }}>${worth(c)}</span>
    <span class="way">${c.pv.slice(0, LONGEST_LINE).map((move, i) => html`<button type="button" class="move" key=${i}
      onClick=${() => playLine(c.pv.slice(0, i + 1))}>${move}</button>`)}</span></li>`)}</ol>`;
}

/** The choice of players to ask. With several, the user chooses whose candidates are on the board. */
function Opinions() {
  const { opinions, shown } = state.analysis;
  const put = (i, seat) => setOpinions(opinions.map((o, j) => (j === i ? seat : o)));
  return html`<div class="opinions">
    ${opinions.map((seat, i) => html`<div class=${classes('opinion', i === shown && opinions.length > 1 && 'shown')} key=${i}>
      <${SeatChoice} id=${`opinion-${i}`} seat=${seat} label=${i ? `Opinion ${i + 1}` : 'Player'} change=${(s) => put(i, s)} />
      ${opinions.length > 1 && html`<div class="buttons">
        <label class="check"><input type="radio" name="shown" checked=${i === shown}
          onChange=${() => { update({ shown: i }, 'analysis'); startAnalysis(); }} /> on the board</label>
        <${IconButton} icon="close" label=${`Remove ${seat.player}`} onClick=${() => setOpinions(opinions.filter((_, j) => j !== i))} /></div>`}
    </div>`)}
    ${opinions.length < MOST_OPINIONS && html`<${IconButton} icon="plus" label="Another opinion" text="Another opinion" onClick=${addOpinion} />`}
  </div>`;
}

/** How many mistakes each side has made, in words. */
function summary(p, wrong) {
  return ['first', 'second'].map((side) => {
    const own = wrong.filter(({ node }) => (node.ply % 2 ? 'first' : 'second') === side);
    const large = own.filter(({ mistake }) => mistake.grade === 2).length;
    return `${capital(sideName(p, side))}: ${plural(large, 'mistake')}, ${plural(own.length - large, 'weak move')}`;
  });
}

/** The card with the game's values and its mistakes: for each the move, a better one, and a second try. */
function Report() {
  const { sweep: busy } = state.analysis;
  const seat = shownSeat();
  const line = state.tree.line();
  const wrong = mistakesOf(line, seat);
  return html`<section class="card"><h2>Report</h2>
    <${Graph} seat=${seat} />
    <div class="buttons">
      ${busy ? html`<button type="button" class="button" onClick=${stopSweep}>Stop, ${busy.done} of ${busy.total}</button>`
        : html`<button type="button" class="button" onClick=${sweep} disabled=${line.length < 2}>Find mistakes</button>`}
      ${wrong.length > 0 && html`<button type="button" class="button" title="Next mistake (m)" onClick=${nextMistake}>Next mistake</button>`}</div>
    ${isJudged(line) && html`<p>${summary(position(), wrong).join('. ')}.</p>`}
    ${wrong.length > 0 && html`<ul class="mistakes" aria-label="Mistakes">${wrong.map(({ node, mistake }) => html`<li key=${node.ply}>
      <button type="button" class="mistake" onClick=${() => visit(node.parent)}><b class=${`wrong-${mistake.grade}`}>${moveNumber(node)}${
        node.ply % 2 ? '.' : '…'} ${node.move}${mistake.grade === 2 ? '?' : '?!'}</b> <span>${describe(mistake)}</span></button>
      <button type="button" class="button small" aria-label=${`Try again at move ${moveNumber(node)}, ${node.move}`} onClick=${() => retry(node)}>Try again</button></li>`)}</ul>`}
  </section>`;
}

export function AnalysePage() {
  const p = position();
  if (!p) return html`<${NoBoard} page="analyse" />`;
  const { analysis } = state;
  const report = p.over || retrying() ? null : shownReport();
  const value = retrying() ? null : valueAt(state.tree.node, shownSeat());
  return html`<div class="page table analysis"><h1 class="unseen">Analyse ${gameTitle(state.game)}</h1>
    <div class="board-side">
      <div class="board-and-bar"><${EvaluationBar} value=${value} position=${p} flipped=${isFlipped()} />
        <${BoardOrText} position=${p} play=${p.over ? null : tryMove} why="The game is over." flipped=${isFlipped()} point=${(move) => update({ pointed: move }, 'analysis')}
          line=${pointedLine(p, report)} over=${over(p, report)} truth=${analysis.truth} label=${`Board of ${gameTitle(state.game)}`} /></div>
    </div>
    <div class="panels">
      <div class="beside">
        <${Verdict} report=${report} />
        <${Lines} report=${report} />
        <${Moves} seat=${shownSeat()} marks=${true} go=${visit} />
        <div class="controls" role="group" aria-label="Analysis">
          <${IconButton} kind=${analysis.thinking ? '' : 'primary'} icon=${analysis.thinking ? 'pause' : 'play'} text=${analysis.thinking ? 'Stop' : 'Think'}
            label=${analysis.thinking ? 'Stop thinking' : 'Think'} keys="space" onClick=${toggleThinking} />
          <${Walk} go=${visit} />
        </div>
      </div>
      ${!p.over && !retrying() && html`<section class="card"><div class="card-head"><h2>Candidates</h2><span class="buttons">
        <button type="button" class="button small" aria-pressed=${analysis.raw} title=${`${TERMS['raw policy']} (r)`} onClick=${toggleRaw}>Raw policy</button>
        <button type="button" class="button small" aria-pressed=${analysis.truth} title=${`${TERMS.truth} (t)`} onClick=${toggleTruth}>Truth</button></span></div>
        <p class="quiet small">Values are for ${sideName(p, p.to_move)}.</p><${Table} play=${tryMove} /><${Opinions} /></section>`}
      <${Record} />
      <${Report} />
      <${Past} />
      <${Look} start=${startAnalysis} />
      <section class="card"><h2>Position</h2><${GameChoice} choose=${(game) => analyseText(game, '')} />
        <${Share} open=${async (text) => await openText(text) && writeAnalysisAddress(true)} />
        <a class="button wide" href=${link('play', { game: state.game, moves: notation(state.tree.node), first: 'person',
          second: analysis.opinions[0] && formatSeat(analysis.opinions[0]) })}>Play on from here</a></section>
      ${!engine && html`<${RecordChoice} />`}
    </div>
  </div>`;
}
