// A run's newest self-play game, replayed move by move.

import { html, Component } from './html.js';
import { get } from './api.js';
import { forFirst, sideName, signed, whole } from './format.js';
import { BoardOrText } from './playpage.js';
import { loadRecord, recordLink } from './runs.js';

const STEP = 700; // milliseconds between two moves
const REST = 3000; // milliseconds at the end of a game, and before another try
const LONGEST = 60000; // milliseconds before another try when several have found no newer game
const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * The card. After the end of a game, it opens the game that is newest then. If the run is done, it rests.
 * @param {object} props run (a name), goesOn (whether more games may come)
 */
export class NewestGame extends Component {
  constructor() {
    super();
    this.state = { record: undefined, ply: 0, position: null, playing: !prefersStill() };
    this.positions = []; // of the record, by ply
    this.pause = REST;
  }

  componentDidMount() {
    this.begin();
  }

  componentDidUpdate({ goesOn }) {
    if (this.props.goesOn !== goesOn) this.begin();
  }

  componentWillUnmount() {
    this.gone = true;
    clearTimeout(this.timer);
  }

  /** Opens the newest game. If that is on the board already, if there is none or if a request fails, it tries again later. */
  async begin() {
    const { run } = this.props;
    this.pause = Math.min(2 * this.pause, LONGEST);
    try {
      const { games: [newest] } = await get(`runs/${encodeURIComponent(run)}/games`, { first: -1, count: 1 });
      if (!newest) this.setState({ record: null });
      else if (!newest.error && newest.id !== this.state.record?.id) {
        const record = await loadRecord(run, newest.id);
        this.positions = [];
        await this.show(record, this.state.playing ? 0 : record.plies.length);
        this.pause = REST;
      }
    } catch {
      // The page says elsewhere that the server does not answer.
    }
    if (!this.rests()) this.wait(this.pause);
  }

  /** Whether the game on the board has ended, and no other comes. */
  rests() {
    const { record, ply } = this.state;
    return !this.props.goesOn && record && ply >= record.plies.length;
  }

  async show(record, ply) {
    const moves = record.plies.slice(0, ply).map((p) => p.move).join(' ');
    const position = this.positions[ply] ??= await get('position', { game: record.game, moves });
    if (!this.gone) this.setState({ record, ply, position });
  }

  wait(ms) {
    clearTimeout(this.timer);
    if (!this.gone) this.timer = setTimeout(() => this.step(), ms);
  }

  async step() {
    const { record, ply, playing } = this.state;
    if (this.rests()) return undefined;
    if (!playing || document.hidden) return this.wait(REST);
    if (!record || ply >= record.plies.length) return this.begin();
    try {
      await this.show(record, ply + 1);
    } catch {
      return this.wait(REST);
    }
    return this.wait(this.state.ply < record.plies.length ? STEP : REST);
  }

  async toggle() {
    const { record, playing } = this.state;
    const again = this.rests();
    this.setState({ playing: again || !playing });
    if (again) await this.show(record, 0);
    this.wait(STEP);
  }

  render({ run }, { record, ply, position, playing }) {
    const search = record?.plies[ply - 1];
    return html`<section class="card newest-game"><h2>Newest game of ${run}</h2>
      <div class="stage">${position && html`<${BoardOrText} position=${position} play=${null} label=${`Game ${record.id} of ${run}`} />`}</div>
      <p>${record === undefined ? 'Loading …' : !record ? 'This run has no games yet.' : html`<a href=${recordLink(run, record.id)}>Game ${whole(record.id)}</a>, move ${ply} of ${
        record.plies.length}`}${search && search.value !== null ? `, value ${signed(forFirst(search.value, search.by))} for ${sideName(position, 'first')}` : ''}</p>
      <button type="button" class="button" disabled=${!record} onClick=${() => this.toggle()}>${playing && !this.rests() ? 'Pause' : 'Play'}</button>
    </section>`;
  }
}
