// The Runs page.

import { html, classes, Component } from './html.js';
import { inside } from './api.js';
import { Calibration } from './calibration.js';
import { Chart } from './charts.js';
import { csv, save } from './download.js';
import { duration, fixed, plural, whole } from './format.js';
import { gameTitle } from './gamechoice.js';
import { NewestGame } from './newest.js';
import { recall, remember } from './remember.js';
import { AXES, MOST_RUNS, PAGE, SORTS, loadGames, mayContinue, recordLink, setView, showRuns, sorted, stopRun } from './runs.js';
import { SMOOTHING, doing, newestPoints, seriesColour } from './series.js';
import { state, update } from './store.js';

/** A notice that the server does not answer, and since when. */
const Lost = ({ since }) => html`<p class="lost" role="status">No connection since ${since.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })} – ${''}
  trying again. This page shows the last known state.</p>`;

// The phases of training, in words that follow "RUN is".
const PHASES = {
  starting: 'starting', selfplay: 'playing against itself', train: 'learning', evaluate: 'being evaluated',
  publish: 'publishing a model', done: 'between two iterations',
};

const FEW = 5; // runs that need no filter

/** The list of runs: a line for each, with a checkbox that shows it in the charts. Many can be filtered and sorted. */
function RunList() {
  const { list, shown, filter, sort } = state.runs;
  const wanted = filter.toLowerCase();
  const listed = sorted(list.filter((run) => `${run.name} ${gameTitle(run.game)}`.toLowerCase().includes(wanted)), sort);
  const readable = listed.filter((run) => !run.error).map((run) => run.name);
  const count = `${plural(listed.length, 'run')}${listed.length < list.length ? ` of ${whole(list.length)}` : ''}, ${shown.length} shown`;
  const most = readable.length > MOST_RUNS || shown.length >= MOST_RUNS ? `, at most ${MOST_RUNS} at once` : '';
  return html`<details class="card run-list" open><summary><h2>Runs <small role="status">${count}${most}</small></h2></summary>
    ${list.length > FEW && html`<div class="run-tools">
      <label class="field grow"><span class="field-name">Filter</span><input value=${filter} placeholder="name or game" autocomplete="off" spellcheck="false"
        onInput=${(e) => update({ filter: e.target.value }, 'runs')} /></label>
      <label class="field"><span class="field-name">Order</span><select value=${sort} onChange=${(e) => update({ sort: e.target.value }, 'runs')}>
        ${Object.keys(SORTS).map((key) => html`<option key=${key} value=${key} selected=${key === sort}>${key}</option>`)}</select></label>
      <button type="button" class="button" onClick=${() => showRuns(readable)}>Show these</button>
      <button type="button" class="button" disabled=${!shown.length} onClick=${() => showRuns([])}>Hide all</button></div>`}
    <ul>${listed.map((run) => html`<${Entry} key=${run.name} run=${run} />`)}</ul></details>`;
}

/** A run in the list. */
function Entry({ run }) {
  const { shown, lost } = state.runs;
  const isShown = shown.includes(run.name);
  const details = state.runs.details[run.name];
  const newest = details?.iteration >= run.iteration ? details : run; // details without a stream may be older than the list
  const training = run.training && newest.training !== false && !(lost && newest.iteration >= run.iterations);
  const toggle = () => showRuns(isShown ? shown.filter((name) => name !== run.name) : [...shown, run.name]);
  return html`<li class=${classes('run', isShown && 'shown')}>
    <label><input type="checkbox" checked=${isShown} disabled=${!!run.error || (!isShown && shown.length >= MOST_RUNS)} onChange=${toggle} />
      <i class="swatch" style=${{ background: isShown && shown.length > 1 ? seriesColour(shown.indexOf(run.name)) : undefined }}></i>
      <b>${run.name}</b></label>
    ${run.error ? html`<span class="error">${run.error}</span>` : html`
      ${training && html`<span class=${classes('badge', lost && 'quiet')}>${lost ? 'no connection' : 'training'}</span>`}
      <span class="quiet small">${gameTitle(run.game)} · iteration ${newest.iteration} of ${run.iterations} · ${plural(newest.games, 'game')}${
        newest.time ? html` · <time datetime=${newest.time}>${when(newest.time)}</time>` : ''}</span>
      <${Progress} done=${newest.iteration} total=${run.iterations} label=${`${run.name}: iterations`} />`}
  </li>`;
}

/** A time as people write it: of today without the date. */
function when(time) {
  const [date, today] = [new Date(time), new Date()];
  return date.toDateString() === today.toDateString() ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short', year: date.getFullYear() === today.getFullYear() ? undefined : 'numeric' });
}

/** A progress bar. While work with an unknown total is active, the bar moves. */
function Progress({ done, total, label, active = false }) {
  if (!total && active) return html`<div class="progress moving" role="progressbar" aria-label=${label}><i /></div>`;
  const share = total ? Math.min(1, done / total) : 0;
  return html`<div class="progress" role="progressbar" aria-label=${label} aria-valuemin="0" aria-valuemax=${total} aria-valuenow=${done}>
    <i style=${{ width: `${100 * share}%` }} /></div>`;
}

/** A value below its name, with a note in small print. */
const Figure = ({ name, value, note }) => html`<div class="figure"><dt>${name}</dt>
  <dd>${value}${note && html`<small>${note}</small>`}</dd></div>`;

/** The card of a run that this server trains or has trained: its phase, its progress and its workers. */
function Live({ run }) {
  const { live } = run;
  if (!live) return null;
  return html`<section class="card live" aria-label=${`${run.name} live`}><h2>${run.name} <small>${doing(run, PHASES, state.runs.lost)}</small></h2>
    ${live.finished && run.iteration < run.iterations && html`<p class="quiet">To continue the run, start the same command again. This page then follows it.</p>`}
    <${Progress} done=${live.done} total=${live.total} label=${`${run.name}: ${live.phase}`} active=${!live.finished && !state.runs.lost} />
    <dl class="figures">
      <${Figure} name="Iteration" value=${live.iteration} note=${` of ${live.iterations}`} />
      ${live.total > 0 && html`<${Figure} name="This phase" value=${whole(live.done)} note=${` of ${whole(live.total)}`} />`}
      ${live.games_per_second !== null && html`<${Figure} name="Games per second" value=${live.games_per_second.toFixed(1)} />`}
      <${Figure} name="Time left" value=${duration(live.seconds_left)} />
    </dl>
    ${live.stopping ? html`<p class="quiet">It stops after this iteration.</p>` : live.stoppable && !live.finished
      && html`<button type="button" class="button" onClick=${() => stopRun(run.name)}>Stop after this iteration</button>`}
    ${live.workers.length > 0 && html`<div class="scroll"><table class="workers"><thead><tr><th scope="col">Worker</th>
      <th scope="col" class="number">Games</th><th scope="col" class="number">Games per second</th><th scope="col">State</th></tr></thead>
      <tbody>${live.workers.map((w) => html`<tr key=${w.worker}><th scope="row">${w.worker}</th><td class="number">${whole(w.games)}</td>
        <td class="number">${w.games_per_second?.toFixed(1) ?? '–'}</td>
        <td>${w.state}</td></tr>`)}</tbody></table></div>`}
    ${live.waiting && html`<p class="quiet">${live.waiting}</p>`}
  </section>`;
}

/** A run's newest measurements, with 95 % intervals, and its numbers of games and positions. */
function Newest({ run }) {
  const figure = ([point], name, unit, digits) => point && html`<${Figure} name=${name} value=${fixed(point.value, digits) + unit}
    note=${` ${point.interval.map((x) => fixed(x, digits)).join(' to ')}`} />`;
  const [score, best] = ['score', 'best'].map((id) => newestPoints(id, run.lines));
  return html`<dl class="figures newest" aria-label=${`Newest figures of ${run.name}`}>
    ${figure(score, `Against ${score[0]?.series}`, '\u202f%', 1)}${figure(best, 'Best moves', '\u202f%', 1)}
    <${Figure} name="Games" value=${whole(run.games)} /><${Figure} name="Positions" value=${whole(run.positions)} />
  </dl>`;
}

/** A table of a run's games, loaded when it is opened. Each game has a link to the Analyse page. */
function Games({ run }) {
  const page = state.runs.games[run.name];
  const first = page?.games[0]?.id;
  const turn = (step) => loadGames(run.name, Math.max(page.oldest, Math.min(page.newest - PAGE + 1, first + step)));
  return html`<details class="card games" onToggle=${(e) => e.target.open && loadGames(run.name, -PAGE)}>
    <summary><h2>Games of ${run.name}</h2></summary>
    ${!page ? html`<p class="quiet">Loading …</p>` : html`
      <div class="buttons"><button class="button" disabled=${!(first > page.oldest)} onClick=${() => turn(-PAGE)}>Earlier</button>
        <button class="button" disabled=${!page.games.length || page.games.at(-1).id >= page.newest} onClick=${() => turn(PAGE)}>Later</button>
        <form onSubmit=${(e) => { e.preventDefault(); location.hash = recordLink(run.name, e.target.elements.id.value); }} class="inline">
          <label class="field"><span class="field-name">Game number</span>
            <input name="id" type="number" min=${page.oldest} max=${page.newest} defaultValue=${page.newest} /></label>
          <button class="button">Open</button></form>
        <span class="quiet small">${page.newest === null ? 'This run has no games yet.' : `Games ${whole(page.oldest)} to ${whole(page.newest)} are kept.`}</span></div>
      <div class="scroll"><table><thead><tr><th scope="col">Game</th><th scope="col">Won by</th><th scope="col" class="number">Moves</th>
        <th scope="col" class="number">Model</th><th scope="col">Worker</th><th scope="col">First moves</th></tr></thead>
        <tbody>${[...page.games].reverse().map((g) => html`<tr key=${g.id}>
          <th scope="row">${g.error ? g.id : html`<a href=${recordLink(run.name, g.id)}>${whole(g.id)}</a>`}</th>
          <td>${g.error || g.winner}</td><td class="number">${g.plies}</td><td class="number">${g.model}</td>
          <td>${g.worker}</td><td class="quiet">${(g.moves || '').slice(0, 24)}${g.moves?.length > 24 ? '…' : ''}</td></tr>`)}</tbody></table></div>`}
  </details>`;
}

/** A setting's value as text. */
const settingText = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** The settings of a run that differ from their defaults. */
function Changes({ run }) {
  const keys = Object.keys(run.defaults);
  return html`<details class="card"><summary><h2>Changed settings of ${run.name}</h2></summary>
    ${keys.length === 0 ? html`<p class="quiet">All settings have their default values.</p>` : html`<div class="scroll"><table class="configuration">
      <thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">Default</th></tr></thead>
      <tbody>${keys.map((key) => html`<tr key=${key}><th scope="row">${key}</th><td>${settingText(run.config[key])}</td>
        <td class="quiet">${settingText(run.defaults[key])}</td></tr>`)}</tbody></table></div>`}</details>`;
}

/** The configuration of a run. */
function Configuration({ run }) {
  return html`<details class="card"><summary><h2>Configuration of ${run.name}</h2></summary>
    <div class="scroll"><table class="configuration"><tbody>${Object.entries(run.config).map(([key, value]) => html`<tr key=${key}>
      <th scope="row">${key}</th><td>${settingText(value)}</td></tr>`)}</tbody></table></div></details>`;
}

/** The charts of the shown runs, in groups that the user opens and closes. It skips updates that do not change its data. */
class Charts extends Component {
  constructor() {
    super();
    this.state = { open: recall('charts')?.split(',') ?? ['Strength', 'Losses'] };
  }

  shouldComponentUpdate(next, { open }) {
    const { runs, axis, smooth } = this.props;
    const changed = (run, i) => run.name !== runs[i].name || run.lines !== runs[i].lines;
    return open !== this.state.open || next.axis !== axis || next.smooth !== smooth || next.runs.length !== runs.length || next.runs.some(changed);
  }

  toggled(group, isOpen) {
    const others = this.state.open.filter((g) => g !== group);
    const open = isOpen ? [...others, group] : others;
    if (open.length === this.state.open.length) return; // the page has opened it
    remember('charts', open.join());
    this.setState({ open });
  }

  render({ runs, axis, smooth }, { open }) {
    const charts = state.runs.charts.filter((c) => runs.some((r) => r.lines.some((line) => line.points[c.id])));
    const groups = [...new Set(charts.map((c) => c.group))];
    return groups.map((group) => {
      const own = charts.filter((c) => c.group === group);
      return html`<details key=${group} class="chart-group" open=${open.includes(group)} onToggle=${(e) => this.toggled(group, e.target.open)}>
        <summary><h2>${group} <small>${plural(own.length, 'chart')}</small></h2></summary>
        ${open.includes(group) && html`<div class="charts">${own.map((c) => html`<${Chart} key=${c.id} chart=${c} runs=${runs} axis=${axis}
          smooth=${SMOOTHING[smooth]} />`)}</div>`}
      </details>`;
    });
  }
}

/** A row of buttons, one for each option. The chosen one is pressed. */
const Choice = ({ name, label, options, chosen, choose }) => html`<div class="axis" role="group" aria-label=${name}><span class="quiet">${label}</span>
  <div class="segments">${options.map((key) => html`<button type="button" key=${key} aria-pressed=${key === chosen}
    onClick=${() => choose(key)}>${key}</button>`)}</div></div>`;

/** Buttons that save all curves as CSV and each run's report as HTML. */
function Downloads({ runs, axis }) {
  const file = (run, name) => `api/runs/${encodeURIComponent(run.name)}/${name}`;
  return html`<div class="buttons downloads" role="group" aria-label="Downloads"><span class="quiet">Download</span>
    <button type="button" class="button" onClick=${() => save('curves.csv', 'text/csv', csv(state.runs.charts, runs, axis))}>Curves (CSV)</button>
    ${!inside && runs.length <= FEW && runs.map((run) => html`<a class="button" key=${run.name} href=${file(run, `report?axis=${axis}`)} download>Report${
      runs.length > 1 ? ` of ${run.name}` : ''} (HTML)</a>`)}</div>`;
}

export function RunsPage() {
  const { list, folder, shown, details, axis, smooth, lost } = state.runs;
  if (!list) return html`<p class="loading">Loading the runs …</p>`;
  if (!list.length) {
    return html`<div class="page empty"><h1>No runs yet</h1>${lost && html`<${Lost} since=${lost} />`}
      ${folder ? html`<p>New runs in the folder <code>${folder}</code> appear here. To train one there, start a training with <code>--run ${folder.replace(/\/$/, '')}/mine</code>.</p>`
        : html`<p>This server shows no folder of runs.</p>`}</div>`;
  }
  const runs = shown.map((name) => details[name]).filter(Boolean);
  const measured = runs.filter((r) => r.lines.length);
  return html`<div class="page runs"><h1 class="unseen">Runs</h1>
    ${lost && html`<${Lost} since=${lost} />`}
    <div class="overview"><div class="now"><${RunList} />
      ${runs.map((run) => html`<${Live} key=${run.name} run=${run} />`)}
      ${measured.length === 1 && html`<${Newest} run=${measured[0]} />`}
      ${measured.length > 0 && html`<div class="views"><${Choice} name="Horizontal axis" label="Over" options=${AXES} chosen=${axis}
          choose=${(key) => setView({ axis: key })} />
        <${Choice} name="Smoothing" label="Smoothing" options=${Object.keys(SMOOTHING)} chosen=${smooth} choose=${(key) => setView({ smooth: key })} /></div>
        <${Downloads} runs=${measured} axis=${axis} />`}</div>
      ${!inside && runs.length === 1 && html`<${NewestGame} key=${runs[0].name} run=${runs[0].name} goesOn=${mayContinue(runs[0].name)} />`}</div>
    ${measured.length > 0 && html`<${Charts} runs=${measured} axis=${axis} smooth=${smooth} />`}
    ${runs.length > 0 && !measured.length && html`<p class="quiet">The first iteration has not ended yet.</p>`}
    ${runs.map((run) => html`${!inside && html`<${Calibration} key=${`${run.name}.values`} run=${run.name} />
      <${Games} key=${run.name} run=${run} />`}<${Changes} key=${`${run.name}.changes`} run=${run} /><${Configuration} key=${`${run.name}.config`} run=${run} />`)}
  </div>`;
}
