// What a run has measured, as series for charts.

const Z = 1.959963984540054; // standard deviations to either side that hold 95 % of a normal distribution

/** The 95 % interval of Wilson (1927) of a share p of n trials: [low, high]. */
export function wilson(p, n) {
  if (!n) return [0, 1];
  const centre = p + (Z * Z) / (2 * n);
  const spread = Z * Math.sqrt((p * (1 - p)) / n + (Z * Z) / (4 * n * n));
  const whole = 1 + (Z * Z) / n;
  return [Math.max(0, (centre - spread) / whole), Math.min(1, (centre + spread) / whole)];
}

/** The time of each line's end since the run began, in hours. */
function hours(metrics) {
  let sum = 0;
  return metrics.map(({ seconds: s }) => {
    sum += Math.max(s.total || 0, s.selfplay + (s.wait || 0) + (s.verify || 0) + s.train + s.evaluate);
    return sum / 3600;
  });
}

/** The horizontal axis: a number for each line of the metrics. */
export function axisOf(metrics, axis) {
  return axis === 'hours' ? hours(metrics) : metrics.map((m) => m[axis]);
}

/** A series: name, and for each line of the metrics a value and maybe its 95 % interval; null where nothing was measured. */
function series(name, metrics, pick) {
  const points = metrics.map(pick);
  if (!points.some((p) => p !== null && p !== undefined)) return null;
  const part = (i) => points.map((p) => (p === null || p === undefined ? null : Array.isArray(p) ? p[i] ?? null : i ? null : p));
  const band = points.some(Array.isArray);
  return { name, values: part(0), low: band ? part(1) : null, high: band ? part(2) : null };
}

const names = (metrics, pick) => [...new Set(metrics.flatMap((m) => Object.keys(pick(m) || {})))];

/** A share of a number of trials, in percent with its interval. */
const share = (p, n) => [100 * p, ...wilson(p, n).map((x) => 100 * x)];

/** The fixed opponents of a run's evaluations; its own earlier models are in the Elo. */
export function opponents(metrics) {
  const all = names(metrics, (m) => m.evaluation);
  const fixed = all.filter((name) => !/^model-\d+/.test(name));
  return fixed.length ? fixed : all;
}

function scores(metrics) {
  return opponents(metrics).map((opponent) => series(`against ${opponent}`, metrics, (m) => {
    const t = m.evaluation?.[opponent];
    return t?.games ? share(t.score, t.games) : null;
  }));
}

function mistakes(metrics) {
  const exam = names(metrics, (m) => Object.fromEntries((m.exam || []).map((e) => [e.part, e])));
  if (exam.length) {
    return exam.map((part) => series(part, metrics, (m) => {
      const e = m.exam?.find((x) => x.part === part);
      return e ? [100 * (1 - e.search.share), 100 * (1 - e.search.high), 100 * (1 - e.search.low)] : null;
    }));
  }
  const stages = names(metrics, (m) => m.grade?.search.mistakes);
  const order = ['beginning', 'middle', 'end'];
  stages.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  // The stages are thirds of the positions.
  return stages.map((stage) => series(stage, metrics, (m) => {
    const p = m.grade?.search.mistakes[stage];
    return p === undefined ? null : share(p, m.grade.positions / stages.length);
  }));
}

function losses(metrics) {
  const terms = names(metrics, (m) => m).filter((k) => k.endsWith('_loss') && k !== 'l2_loss');
  return terms.map((key) => series(key.replace('_loss', ''), metrics, (m) => m[key] ?? null));
}

const plain = (fields) => (metrics) => Object.entries(fields).map(([key, name]) => series(name, metrics, (m) => m[key] ?? null));
const percents = (fields) => (metrics) =>
  Object.entries(fields).map(([key, name]) => series(name, metrics, (m) => (m[key] === undefined ? null : 100 * m[key])));

/** The charts: title, unit, what is said about them, and series of a run's metrics. */
export const CHARTS = [
  { id: 'score', title: 'Score', unit: '%', range: [0, 100], about: 'Points against a fixed opponent, with the 95 % interval.', series: scores },
  { id: 'elo', title: 'Elo', unit: '', about: 'Above the opponent of the evaluations, with the 95 % interval.',
    series: (metrics) => [series('Elo', metrics, (m) => (m.rating ? [m.rating.elo, m.rating.low, m.rating.high] : null))] },
  { id: 'mistakes', title: 'Mistakes', unit: '%', floor: 0, about: 'Moves that perfect play would not make, by stage, with the 95 % interval.',
    series: mistakes },
  { id: 'losses', title: 'Losses', unit: '', floor: 0, about: 'What the network still gets wrong, in natural units.', series: losses },
  { id: 'results', title: 'Results', unit: '%', range: [0, 100], about: 'How games of self-play end.',
    series: percents({ first_player_share: 'first wins', draw_share: 'draw', second_player_share: 'second wins' }) },
  { id: 'length', title: 'Length of games', unit: 'moves', floor: 0, about: 'Mean of the games of self-play.', series: plain({ game_length: 'moves' }) },
  { id: 'speed', title: 'Speed', unit: 'games/s', floor: 0, about: 'Of self-play.', series: plain({ games_per_second: 'games a second' }) },
  { id: 'rate', title: 'Learning rate', unit: '', floor: 0, about: 'Of the last step of each iteration.', series: plain({ learning_rate: 'learning rate' }) },
];

/** A chart's series of one run: those that have something to show. */
export const seriesOf = (chart, metrics) => chart.series(metrics).filter(Boolean);
