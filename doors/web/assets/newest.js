// A run's newest self-play game, replayed move by move.

import { html, Component } from './html.js';
import { get } from './api.js';
import { forFirst, signed, whole } from './format.js';
import { BoardOrText } from './playpage.js';
import { loadRecord, recordLink } from './runs.js';

const STEP = 700; // milliseconds between two moves
const REST = 3000; // milliseconds at the end of a game, and before another try
const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The card. After the end of a game, it opens the game that is newest then. props: run (a name) */
export class NewestGame extends Component {
  constructor() {
    super();
    this.state = { record: undefined, ply: 0, position: null, playing: !prefersStill() };
  }

  componentDidMount() {
    this.begin();
  }

  componentWillUnmount() {
    this.gone = true;
    clearTimeout(this.timer);
  }

  /** Opens the newest game. If there is none or a request fails, it tries again later. */
  async begin() {
    try {
      const { games } = await get(`runs/${encodeURIComponent(this.props.run)}/games`, { first: -1, count: 1 });
      if (!games.length) this.setState({ record: null });
      else if (!games[0].error) {
        const record = await loadRecord(this.props.run, games[0].id);
        await this.show(record, this.state.playing ? 0 : record.plies.length);
      }
    } catch {
      // The page says elsewhere that the server does not answer.
    }
    this.wait(REST);
  }

  async show(record, ply) {
    const moves = record.plies.slice(0, ply).map((p) => p.move).join(' ');
    const position = await get('position', { game: record.game, moves });
    if (!this.gone) this.setState({ record, ply, position });
  }

  wait(ms) {
    clearTimeout(this.timer);
    if (!this.gone) this.timer = setTimeout(() => this.step(), ms);
  }

  async step() {
    const { record, ply, playing } = this.state;
    if (!playing || document.hidden) return this.wait(REST);
    if (!record || ply >= record.plies.length) return this.begin();
    try {
      await this.show(record, ply + 1);
    } catch {
      return this.wait(REST);
    }
    return this.wait(this.state.ply < record.plies.length ? STEP : REST);
  }

  toggle() {
    this.setState({ playing: !this.state.playing });
    this.wait(STEP);
  }

  render({ run }, { record, ply, position, playing }) {
    const search = record?.plies[ply - 1];
    return html`<section class="card newest-game"><h2>Newest game of ${run}</h2>
      <div class="stage">${position && html`<${BoardOrText} position=${position} play=${null} label=${`Game ${record.id} of ${run}`} />`}</div>
      <p>${record === undefined ? 'Loading …' : !record ? 'This run has no games yet.' : html`<a href=${recordLink(run, record.id)}>Game ${whole(record.id)}</a>, move ${ply} of ${
        record.plies.length}`}${search && search.value !== null ? `, value ${signed(forFirst(search.value, search.by))}` : ''}</p>
      <button type="button" class="button" disabled=${!record} onClick=${() => this.toggle()}>${playing ? 'Pause' : 'Play'}</button>
    </section>`;
  }
}
