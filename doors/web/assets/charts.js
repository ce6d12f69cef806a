// Charts of series over the games, positions, steps or hours of runs, drawn by uPlot.

import { html, Component } from './html.js';
import { seriesColour, seriesOf, smoothed, thinned } from './series.js';
import { trouble } from './store.js';
import { onSystemTheme } from './theme.js';
import { count, whole } from './format.js';

const HEIGHT = 210;
const MOST_BANDS = 3; // runs with intervals: more cover each other
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [1, 4]];

let loading = null;

/** uPlot, loaded when the first chart is drawn: the Play page does not need it. */
function plot() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = 'lib/uplot.js';
    script.onload = () => resolve(window.uPlot);
    script.onerror = () => {
      loading = null; // so that the next chart tries again
      reject(new Error('The charts could not be loaded.'));
    };
    document.head.append(script);
  });
  return loading;
}

/** A CSS colour at an element, computed because a canvas knows no properties. */
function colour(element, css, alpha = 1) {
  const probe = document.createElement('i');
  probe.style.color = `color-mix(in srgb, ${css} ${100 * alpha}%, transparent)`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * A chart's curves. With several runs, each run has its colour and each series its dashes. With one run, each series has both.
 * @returns {{label: string, colour: string, dash: number[], series: object}[]}
 */
function curves(chart, runs, axis, smooth) {
  const bands = runs.length <= MOST_BANDS ? {} : { low: null, high: null };
  return runs.flatMap((run, r) => seriesOf(chart, run.lines, axis).map((series, s, { length }) => ({
    label: runs.length === 1 ? series.name : length === 1 ? run.name : `${run.name}, ${series.name}`,
    colour: seriesColour(runs.length > 1 ? r : s),
    dash: DASHES[s % DASHES.length],
    series: { ...smoothed(series, smooth), ...bands },
  })));
}

/** A number in few letters: three significant digits, or an abbreviated count from 1000 on. */
const short = (v) => (v === null || v === undefined ? '' : Math.abs(v) >= 1000 ? count(v) : precise(v, 3));

const precise = (v, digits) => String(Number(v.toPrecision(digits))).replace('-', '−');

/** The texts of an axis's ticks: short ones if no two are the same. */
export function tickTexts(ticks) {
  const texts = ticks.map(short);
  const isTold = (t, i) => t === '' || texts.indexOf(t) === i;
  return texts.every(isTold) ? texts : ticks.map((v) => precise(v, 6));
}

/**
 * A chart with a legend. The legend's values are those under the pointer, or the newest.
 * @param {object} props chart (of those that /api/runs lists), runs ({name, lines}), axis (one of AXES), smooth (see smoothed)
 */
export class Chart extends Component {
  constructor() {
    super();
    this.state = { at: null, table: false, zoomed: false, log: false };
  }

  componentDidMount() {
    this.observer = new ResizeObserver(() => this.u?.setSize({ width: this.place.clientWidth, height: HEIGHT }));
    this.observer.observe(this.place);
    this.seen = new IntersectionObserver(([entry]) => {
      this.inView = entry.isIntersecting;
      if (!this.inView || !this.late) return;
      this.setState({});
      this.draw();
    });
    this.seen.observe(this.place);
    plot().catch(() => {}); // draw reports it
    this.themed = new MutationObserver(() => this.draw(true));
    this.themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.stopListening = onSystemTheme(() => this.draw(true));
    this.draw();
  }

  // Out of view, new data wait.
  shouldComponentUpdate(next, state) {
    const { axis, smooth } = this.props;
    const waits = !this.inView && this.u && state === this.state && next.axis === axis && next.smooth === smooth;
    this.late ||= waits;
    return !waits;
  }

  componentDidUpdate(before, { log }) {
    const now = this.props;
    if (before.runs !== now.runs || before.axis !== now.axis || before.smooth !== now.smooth || log !== this.state.log) this.draw();
  }

  componentWillUnmount() {
    this.observer.disconnect();
    this.seen.disconnect();
    this.themed.disconnect();
    this.stopListening();
    this.u?.destroy();
    this.u = this.place = null;
  }

  /** The chart, with a logarithmic axis if the user has chosen it. */
  chart() {
    return this.state.log ? { ...this.props.chart, axis: 'logarithmic' } : this.props.chart;
  }

  /** Draws the newest data, once the chart is in view. If axes or series have changed or fromScratch is true, it makes a new plot, and the zoom is lost. */
  async draw(fromScratch = false) {
    this.late = !this.inView;
    if (this.late) {
      this.shape = fromScratch ? null : this.shape;
      return;
    }
    let uPlot;
    try {
      uPlot = await plot();
    } catch (error) {
      trouble(error);
    }
    if (!uPlot || !this.place) return;
    const { runs, axis, smooth } = this.props;
    const chart = this.chart();
    const all = curves(chart, runs, axis, smooth);
    if (!all.length) return;
    const { data, series, bands } = layout(uPlot, all.map((c) => ({ ...c, series: thinned(c.series, this.place.clientWidth) })), this.place);
    const shape = JSON.stringify([axis, chart.axis, all.map((c) => [c.label, c.colour, Boolean(c.series.low)])]);
    if (this.u && shape === this.shape && !fromScratch) {
      const { min, max } = this.u.scales.x;
      this.u.batch(() => {
        this.u.setData(data, !this.state.zoomed);
        if (this.state.zoomed) this.u.setScale('x', { min, max });
      });
      this.setState({});
      return;
    }
    this.shape = shape;
    const grid = { stroke: colour(this.place, 'var(--line)', 0.7), width: 1 };
    const ink = { stroke: colour(this.place, 'var(--quiet)'), font: '12px system-ui, sans-serif', grid, ticks: { show: false } };
    this.u?.destroy();
    this.u = new uPlot({
      width: this.place.clientWidth, height: HEIGHT, series, bands,
      legend: { show: false },
      cursor: { y: false, sync: { key: 'runs' }, points: { size: 7 } },
      scales: { x: { time: false }, y: scale(uPlot, chart) },
      axes: [
        { ...ink, values: (u, ticks) => ticks.map((t) => (axis === 'hours' ? short(t) : count(t))), size: 28, label: axis, labelSize: 18, labelFont: ink.font },
        { ...ink, values: (u, ticks) => tickTexts(ticks), size: (u, texts) => Math.max(46, ...(texts || []).map((t) => 10 + 7 * t.length)) },
      ],
      hooks: {
        draw: [(u) => loneIntervals(u, all, this.place)],
        setCursor: [(u) => u.cursor.idx !== this.state.at && this.setState({ at: u.cursor.idx ?? null })],
        setScale: [(u, key) => key === 'x' && this.zoom(u)],
      },
    }, data, this.place);
    this.setState({});
  }

  /** Notes whether the chart is zoomed. */
  zoom(u) {
    const [x] = u.data;
    const zoomed = x.length > 1 && (u.scales.x.min > x[0] || u.scales.x.max < x.at(-1));
    if (zoomed !== this.state.zoomed) this.setState({ zoomed });
  }

  /** Shows the whole run again, in all charts: they are zoomed together. */
  whole() {
    for (const u of window.uPlot.sync('runs').plots) u.setData(u.data, true);
  }

  render({ runs, axis, smooth }, { at, table, zoomed, log }) {
    const chart = this.chart();
    const all = curves(chart, runs, axis, smooth);
    if (!all.length) return null;
    const offersLog = this.props.chart.axis !== 'logarithmic' && chart.unit !== 'Elo' && all.every((c) => c.series.values.some((v) => v > 0));
    const x = this.u && at !== null ? this.u.data[0][at] : Infinity; // at the cursor
    const legend = all.map((c) => {
      const i = c.series.x.findLastIndex((v) => v <= x);
      return { ...c, i, value: i < 0 ? '–' : short(c.series.values[i]) };
    });
    const newest = all.map((c) => `${c.label} ${short(c.series.values.at(-1))}`).join(', ');
    return html`<figure class="card chart" id=${`chart-${chart.id}`}>
      <figcaption><h3>${chart.name}${chart.unit && html` <small>${chart.unit}</small>`}</h3>
        <p class="quiet small">${chart.about}</p></figcaption>
      <div class="chart-tools"><span class="quiet small at">${at !== null && this.u ? `${axis === 'hours' ? short(x) : whole(x)} ${axis}` : ''}</span>
        ${offersLog && html`<button type="button" class="button small" aria-pressed=${log}
          onClick=${() => this.setState({ log: !log })} title="A logarithmic axis shows small values beside large ones">Log axis</button>`}
        ${zoomed ? html`<button type="button" class="button small" onClick=${() => this.whole()}>Whole run</button>`
          : html`<span class="quiet small">Drag to zoom</span>`}</div>
      <ul class="legend">${legend.map((c) => html`<li key=${c.label}>
        <svg width="26" height="8" aria-hidden="true"><path d="M1 4h24" style=${{ stroke: c.colour, strokeDasharray: c.dash.join(' ') }} /></svg>
        <span>${c.label}</span> <b>${c.value}</b>
        ${c.series.low && c.i >= 0 && html`<small>${short(c.series.low[c.i])} to ${short(c.series.high[c.i])}</small>`}
      </li>`)}</ul>
      <div class="plot" role="img" aria-label=${`${chart.name} over ${axis}. Newest: ${newest}.`} ref=${(e) => { if (e) this.place = e; }}></div>
      <details onToggle=${(e) => this.setState({ table: e.target.open })}><summary class="quiet small">Numbers</summary>
        ${table && html`<${Numbers} all=${all} axis=${axis} />`}</details>
    </figure>`;
  }
}

/** Draws the intervals of series with one point, which have no width. */
function loneIntervals(u, all, place) {
  for (const { series: { x, low, high }, colour: css } of all) {
    if (!low || x.length !== 1) continue;
    const at = u.valToPos(x[0], 'x', true);
    u.ctx.strokeStyle = colour(place, css);
    u.ctx.lineWidth = 2 * devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(at, u.valToPos(low[0], 'y', true));
    u.ctx.lineTo(at, u.valToPos(high[0], 'y', true));
    u.ctx.stroke();
  }
}

/** The vertical axis. A linear one begins at 0 if the smallest value is between 0 and half the largest. Percentages end at 100 at the latest. */
function scale(uPlot, chart) {
  if (chart.axis === 'logarithmic') return { distr: 3, range: (u, low, high) => uPlot.rangeLog(low, high, 10, false) };
  return {
    range(u, low, high) {
      if (low === null) return [0, 1];
      const margin = (high - low || Math.abs(high) || 1) * 0.08;
      return [low >= 0 && low <= high / 2 ? 0 : low - margin, chart.unit === '%' ? Math.min(high + margin, 100) : high + margin];
    },
  };
}

/** Data, series and bands for uPlot. A band lies between two invisible series. */
function layout(uPlot, all, place) {
  const series = [{}];
  const bands = [];
  const tables = all.map((c) => {
    const columns = [c.series.x, c.series.values];
    const stroke = colour(place, c.colour);
    series.push({ stroke, width: 2, dash: c.dash, spanGaps: true, points: { show: (u, s) => u.data[s].length <= 40, size: 5, fill: stroke } });
    if (c.series.low) {
      columns.push(c.series.high, c.series.low);
      bands.push({ series: [series.length, series.length + 1], fill: colour(place, c.colour, 0.16) });
      series.push({ stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } });
      series.push({ stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } });
    }
    return columns;
  });
  return { data: tables.length > 1 ? uPlot.join(tables) : tables[0], series, bands };
}

/** The values in a table, the newest first. */
function Numbers({ all, axis }) {
  return html`<div class="scroll numbers" tabindex="0" role="group" aria-label="Numbers">${all.map((c) => html`<table>
    <thead><tr><th scope="col">${axis}</th><th scope="col">${c.label}</th>${c.series.low && html`<th scope="col">95 %</th>`}</tr></thead>
    <tbody>${c.series.x.map((x, i) => html`<tr><td>${short(x)}</td><td>${short(c.series.values[i])}</td>
      ${c.series.low && html`<td>${short(c.series.low[i])} to ${short(c.series.high[i])}</td>`}</tr>`).reverse()}</tbody></table>`)}</div>`;
}
