// Tests of the pages' modules that need no browser: node --test.

import test from 'node:test';
import assert from 'node:assert/strict';

import { getFile, onAnswer, stream } from '../assets/api.js';
import { answer, reportOf } from '../assets/analysis.js';
import { formatSeat, link, parseSeat } from '../assets/address.js';
import { csv } from '../assets/download.js';
import { listed } from '../assets/candidates.js';
import { choices, needsMarks } from '../assets/choices.js';
import { tickTexts } from '../assets/charts.js';
import { choice, count, duration, lost, score, signed, whole, worthOf } from '../assets/format.js';
import { GameChoice, numbersOf } from '../assets/gamechoice.js';
import { arrow, cellTowards, figurePlaces, geometry, starPoints, winningLines } from '../assets/geometry.js';
import { outcome, unseenMove } from '../assets/announce.js';
import { refusal } from '../assets/board.js';
import { describe, isJudged, mistake, mistakesOf, moveNumber, readMistakes, writeMistakes } from '../assets/mistakes.js';
import { bestPlayer, findPlayer, levels, modelsOf, seatName, seatOf, spread, steps } from '../assets/players.js';
import { doing, newestPoints, outdated, seriesColour, seriesOf, smoothed, thinned } from '../assets/series.js';
import { sorted } from '../assets/runs.js';
import { openGame } from '../assets/session.js';
import { heard, state, unheard } from '../assets/store.js';
import { Tree, moves, notation } from '../assets/tree.js';

test('a seat survives its way through the address', () => {
  for (const seat of [
    { player: 'person', kind: null, amount: null },
    { player: 'connect4', kind: 'simulations', amount: 400 },
    { player: 'my~run@60', kind: 'milliseconds', amount: 50 },
    { player: 'alphabeta', kind: 'depth', amount: 3 },
  ]) assert.deepEqual(parseSeat(formatSeat(seat)), seat);
  assert.equal(parseSeat(null), null);
});

test('a broken stream is opened again soon, after pauses that grow until an event comes', async (t) => {
  const pauses = [];
  let asked = 0;
  t.mock.method(globalThis, 'setTimeout', (resume, pause) => {
    pauses.push(pause);
    queueMicrotask(resume);
  });
  t.mock.method(globalThis, 'fetch', async () => {
    if (asked++ < 5) throw new TypeError('away');
    return new Response('event: news\ndata: 1\n\n');
  });
  await new Promise((done) => {
    let cuts = 0;
    const close = stream('', () => ({}), {
      cut() {
        if (++cuts <= 6) return;
        close();
        done();
      },
    });
  });
  assert.deepEqual(pauses.slice(0, 6), [500, 1000, 2000, 2500, 2500, 250]);
});

test('the lines of a game are sent as a text to get its file', async (t) => {
  const asked = [];
  const headers = { 'Content-Type': 'application/x-go-sgf', 'Content-Disposition': 'attachment; filename="go.sgf"' };
  t.mock.method(globalThis, 'fetch', async (address, { method, body }) => {
    asked.push([address, method, body]);
    return new Response('(;)', { headers });
  });
  assert.deepEqual(await getFile('sgf', { game: 'go', resigned: null }, 'e5 c3\ne5 c7'), { name: 'go.sgf', type: 'application/x-go-sgf', text: '(;)' });
  assert.deepEqual(asked, [['api/sgf?game=go', 'POST', 'e5 c3\ne5 c7']]);
});

test('a server that is full is not said to be silent, and what it says goes once it has answered', async (t) => {
  const said = [];
  const answers = [() => { throw new TypeError('away'); }, () => Response.json({ error: 'you have 16 streams already' }, { status: 429 }),
    () => new Response('event: done\ndata: {"best": "a"}\n\n')];
  t.mock.method(globalThis, 'setTimeout', (resume) => {
    said.push(state.trouble);
    queueMicrotask(resume);
  });
  t.mock.method(globalThis, 'fetch', async () => answers.shift()());
  onAnswer(heard, unheard);
  const { root } = new Tree();
  await answer(root, { player: 'uct', kind: null, amount: null }, new AbortController().signal);
  assert.deepEqual([...said, state.trouble], ['The server does not answer. The page continues once it does.', 'you have 16 streams already', null]);
  assert.equal(root.reports.uct.best, 'a');
});

test('a game that is opened again has its run\'s new models, and no answers of the old one under the newest one\'s name', async (t) => {
  let iteration = 1;
  t.mock.method(globalThis, 'fetch', async (address) => {
    if (address.startsWith('api/players')) return Response.json({ players: [{ name: 'mine', run: 'mine', iteration }], levels: [] });
    if (address.startsWith('api/position')) return Response.json({ game: 'hex', moves: '', history: [], legal: [], over: true });
    return new Response(`event: done\ndata: {"best": "a${iteration}"}\n\n`);
  });
  const seat = { player: 'mine', kind: 'simulations', amount: 50 };
  const open = async () => {
    await openGame('hex', '', null);
    return reportOf(state.tree.node, seat);
  };
  for (; iteration < 3; iteration++) {
    assert.equal(await open(), null);
    assert.equal(findPlayer('mine').iteration, iteration);
    await answer(state.tree.node, seat, new AbortController().signal);
    assert.equal((await open()).best, `a${iteration}`);
  }
});

test('links leave out what has no value and repeat lists', () => {
  assert.equal(link('runs', { show: ['a', 'b'], axis: null, moves: '' }), '#/runs?show=a&show=b');
});

test('the tree keeps variations, and its line is the one visited last', () => {
  const tree = new Tree();
  tree.go(tree.addLine(['a', 'b', 'c']));
  tree.go(tree.addLine(['a', 'd']));
  assert.deepEqual(tree.line().map((n) => n.move), [null, 'a', 'd']);
  assert.deepEqual(tree.root.children[0].children.map((n) => n.move), ['b', 'd']);
  assert.deepEqual(moves(tree.node), ['a', 'd']);
  assert.equal(tree.addLine(['a', 'b']).next.move, 'c');
  assert.deepEqual(tree.ends().map(moves), [['a', 'b', 'c'], ['a', 'd']]);
});

test('moves are written as the server writes them, and apart until it has answered', () => {
  const node = new Tree().addLine(['e3', 'c2']);
  assert.equal(notation(node), 'e3 c2');
  node.position = { moves: 'e3/c2' };
  assert.equal(notation(node), 'e3/c2');
});

test('both sides\' moves make one number, as in the list of moves', () => {
  assert.deepEqual([1, 2, 3, 4, 5].map((ply) => moveNumber({ ply })), [1, 1, 2, 2, 3]);
});

test('mistakes go by the truth, and where it is unknown by the opinion', () => {
  const tree = new Tree();
  const node = tree.addLine(['a', 'b']);
  const seat = { player: 'uct', kind: null, amount: null };
  assert.equal(mistake(tree.root, seat), null);
  node.parent.truth = { result: 'win', score: 3, best: ['c'], truth: [{ move: 'b', result: 'loss', score: -1 }] };
  assert.deepEqual(mistake(node, seat), { grade: 2, better: ['c'], from: 'win', to: 'loss' });
  node.parent.truth = null;
  node.parent.reports = { uct: { best: 'c', value: 0.2, candidates: [{ move: 'c', value: 0.5 }] } };
  node.reports = { uct: { best: 'x', value: -0.1, candidates: [] } };
  assert.deepEqual(mistakesOf(tree.line(), seat).map((m) => [m.node.move, m.mistake.grade]), [['b', 1]]);
  node.reports.uct.value = 0.4;
  assert.equal(mistake(node, seat).grade, 2);
  node.parent.truth = { result: 'loss', score: -3, best: ['c'], truth: [{ move: 'b', result: 'loss', score: -3 }] };
  assert.equal(mistake(node, seat), null); // nothing was lost, whatever the opinion says
  node.parent.truth = null;
  assert.equal(describe(mistake(node, seat)), 'c was better: +0.50 instead of −0.40');
  node.reports.uct.value = -0.3;
  assert.equal(mistake(node, seat), null);
  node.reports.uct.value = null; // as an external engine gives none
  assert.equal(mistake(node, seat), null);
});

test('mistakes survive their way through the address', () => {
  const made = () => {
    const tree = new Tree();
    tree.go(tree.addLine(['a', 'b', 'c']));
    return tree.line();
  };
  const line = made();
  assert.equal(isJudged(line), false);
  const wrong = { grade: 2, better: ['x', 'y'], from: 'win', to: 'draw' };
  [line[1].judged, line[2].judged, line[3].judged] = [null, wrong, { grade: 1, better: [], from: '+0.45', to: '−0.20' }];
  const again = made();
  readMistakes(writeMistakes(line, null), again.slice(1));
  assert.deepEqual(again.map((n) => n.judged), line.map((n) => n.judged));
  assert.equal(isJudged(again), true);
  line[2].judged = line[3].judged = null;
  readMistakes(writeMistakes(line, null), again.slice(1));
  assert.deepEqual([isJudged(again), mistakesOf(again, null)], [true, []]);
  readMistakes('7,,2 x', again.slice(1)); // no mistakes of this game
  const texts = [['win', 'draw'], ['win', 'win'], ['win', '+0.10'], ['−0.30', 'loss']].map(([from, to]) => describe({ better: ['x'], from, to }));
  assert.deepEqual(texts, ['turns a win into a draw; x would have kept it', 'wins, but later than x', 'overlooks a win by x', 'loses by force; x was better']);
});

test('a result has its score: the stones if they make the margin, else the margin', () => {
  const of = (winner, margin, cells) => outcome({ game: 'othello', columns: 8, rows: 8, winner, margin, cells });
  assert.equal(of('second', -1, [1, 2, 2, 0]), 'white wins, 2 to 1');
  assert.equal(of('first', 3, [1, 2, 2, 0]), 'black wins by 3');
  assert.deepEqual([of('draw', 0, [1, 2]), of('draw', undefined, [1, 2]), of('first', undefined, [1, 2])], ['a draw, 1 to 1', 'a draw', 'black wins']);
});

test('a score with komi is its margin', () => {
  const owners = [1, 1, 1, 2, 0];
  const of = (winner, margin) => outcome({ game: 'go:5x1,1.5', columns: 5, rows: 1, cells: [1, 0, 1, 2, 0], owners, winner, margin });
  assert.deepEqual([of('first', 0.5), of('second', -1), of('draw', 0), of('first', 2)],
    ['black wins by 0.5', 'white wins by 1', 'a draw', 'black wins, 3 to 1']);
});

test('boards of Go have their star points', () => {
  const points = (columns, rows, game = 'go') => starPoints({ columns, rows, game }).map((c) => `${c % columns},${Math.floor(c / columns)}`).join(' ');
  assert.equal(points(9, 9), '2,2 6,2 4,4 2,6 6,6');
  assert.equal(points(13, 13), '3,3 6,3 9,3 3,6 6,6 9,6 3,9 6,9 9,9');
  assert.equal(points(19, 19, 'go:19,6.5'), '3,3 9,3 15,3 3,9 9,9 15,9 3,15 9,15 15,15');
  assert.deepEqual([points(7, 7), points(9, 7), points(9, 9, 'gone'), points(10, 9)], ['', '', '', '2,2 7,2 2,6 7,6']);
});

test('a pass is said, because the board does not show it', () => {
  const after = (...history) => unseenMove({ game: 'othello', columns: 8, rows: 8, history });
  assert.equal(after({ move: 'pass', by: 'second', cell: null }), 'White passed. ');
  assert.equal(after({ move: 'swap', by: 'first', cell: null }), 'Black chose swap. ');
  assert.deepEqual([after(), after({ move: 'a1', by: 'first', cell: 3 }), after({ move: 'a1off', by: 'first', from: 3, cell: null })], ['', '', '']);
});

test('a click that does nothing says why', () => {
  const board = { columns: 2, rows: 1, cells: [1, 0], column_labels: ['a', 'b'], row_labels: ['1'], texts: null };
  const why = (legal, cell, more = {}, selected = null) => refusal({ ...board, legal, ...more }, cell, selected);
  assert.equal(why([{ move: 'a1b1', from: 0, cell: 1 }], 1), 'No piece on b1 can move.');
  assert.equal(why([{ move: 'a1b1', from: 0, cell: 1 }], 1, {}, 0), 'A1 cannot go to b1.');
  assert.equal(why([{ move: 'pass', cell: null }], 1), 'The only legal move is pass.');
  const stones = [{ move: 'x', cell: 3 }, { move: 'y', cell: 4 }];
  assert.deepEqual([why(stones, 0), why(stones, 1), why(stones, 0, { drops: true, row_labels: null })], ['A1 is taken.', 'B1 is not legal.', 'Column a is full.']);
  assert.equal(why(stones, 1, { refusals: { 1: 'repeats an earlier position' } }), 'A stone on b1 repeats an earlier position.');
});

test('legal cells are marked where not every free cell is legal', () => {
  const of = (cells, legal, drops = false) => needsMarks({ cells, drops, legal: legal.map((cell) => ({ cell, cells: [cell] })) });
  assert.deepEqual([of([0, 0, 1], [1]), of([0, 0, 1], [0, 1]), of([0, 0, 1], [1], true), of([0, 1], [])], [true, false, false, false]);
  assert.equal(needsMarks({ cells: [0, 0], refusals: { 0: 'x' }, legal: [{ cell: 1, cells: [1] }] }), false);
  assert.equal(needsMarks({ cells: [0, 0, 0], joins: [[0, 1]], legal: [{ cell: 0, cells: [0] }, { cell: 1, cells: [1] }] }), false);
  assert.equal(needsMarks({ cells: [1, 0, 0], drops: false, legal: [{ from: 0, cell: 1, cells: [1] }] }), false);
});

test('a turned board shows the last cell first', () => {
  const position = { game: 'othello', columns: 3, rows: 2, legal: [], cells: [0, 0, 0, 0, 0, 0] };
  const [as, turned] = [geometry(position, undefined), geometry(position, undefined, true)];
  for (let cell = 0; cell < 6; cell++) assert.deepEqual(turned.at(cell), as.at(5 - cell));
});

test('no figure of an arrow covers another', () => {
  const way = (ax, ay, bx, by) => ({ at: (share) => ({ x: ax + share * (bx - ax), y: ay + share * (by - ay) }) });
  const places = figurePlaces([way(0, 88, 44, 0), way(88, 88, 44, 0), way(44, 88, 44, 0)], 38, 17);
  for (const [i, a] of places.entries()) {
    for (const b of places.slice(i + 1)) assert.ok(Math.abs(a.x - b.x) >= 38 || Math.abs(a.y - b.y) >= 17, `${JSON.stringify(places)}`);
  }
});

test('the table of candidates has the best of each opinion, and no move that nobody considers', () => {
  const candidate = (move, visits, prior = 0, policy = 0) => ({ move, visits, prior, policy, value: visits ? 0 : null, proven: null });
  const first = { candidates: [...'abcdefghijklm'].map((m) => candidate(m, 0, 0.1)), network: { policy: { p: 0.2, q: 0.7, r: 0.0001 } } };
  const second = { candidates: [candidate('x', 9), candidate('y', 1), candidate('z', 0, 0.0004)] };
  const truth = { best: ['t'], truth: [{ move: 'a', result: 'loss' }, { move: 't', result: 'win' }, { move: 'u', result: null }] };
  assert.deepEqual(listed([first, second], truth, false), [...'axtbycdefghi']);
  assert.deepEqual(listed([second], truth, false), [...'xtya']);
  assert.deepEqual(listed([first, second, null], null, true), ['q', 'p']);
  assert.deepEqual(listed([{ candidates: [candidate('only', 0, 0, 0.5)] }], null, false), ['only']);
});

test('a colour says what a candidate gives away against the best', () => {
  const of = (value, proven = null) => ({ value, proven });
  const best = of(-0.2);
  assert.deepEqual([best, of(-0.2), of(-0.45), of(-0.9), of(-0.1), of(null)].map((c) => lost(c, best)), [0, 0, 0.5, 1, 0, 1]);
  assert.deepEqual([of(0.2, 'win'), of(0.9), of(0, 'draw')].map((c) => Number(lost(c, of(0.2, 'win')).toFixed(2))), [0, 0.2, 1]);
  assert.equal(lost(of(null), of(0.3)), 1);
});

test('a report is worth what its best move is', () => {
  const candidates = [{ move: 'a', value: -0.13, proven: null }, { move: 'b', value: 0.2, proven: 'loss' }, { move: 'c', value: null, proven: null }];
  assert.deepEqual(['a', 'b', 'c', 'd'].map((best) => worthOf({ best, candidates, value: -0.16 })), [-0.13, -1, -0.16, -0.16]);
});

test('moves to choose from are a list with or', () => {
  assert.deepEqual([['3'], ['3', '6'], ['1', '2', '3'], ['1', '2', '3', '4']].map((m) => choice(m, 3)), ['3', '3 or 6', '1, 2 or 3', '1, 2, 3 …']);
});

test('no two ticks of an axis have the same text', () => {
  assert.deepEqual(tickTexts([0, 5000, 10000]), ['0', '5k', '10k']);
  assert.deepEqual(tickTexts([10250, 10500, 10750]), ['10250', '10500', '10750']);
  assert.deepEqual(tickTexts([null, -0.5, null, 1]), ['', '−0.5', '', '1']);
});

test('a run is stopped, ended or lost', () => {
  const run = (finished, iteration) => ({ live: { phase: 'train', finished }, iteration, iterations: 150 });
  assert.equal(doing(run(true, 99), {}, null), 'stopped at 99 of 150');
  assert.equal(doing(run(true, 150), {}, null), 'has ended');
  assert.equal(doing(run(false, 9), { train: 'learning' }, null), 'is learning');
  assert.equal(doing(run(false, 9), { train: 'learning' }, new Date()), 'may have stopped');
  assert.equal(doing(run(false, 150), { done: 'between two iterations' }, new Date()), 'has ended'); // the last iteration's line came
});

test('a run is asked for again when it is trained again or was begun anew', () => {
  const known = { iteration: 99, training: false };
  assert.equal(outdated(undefined, known), false);
  assert.equal(outdated(known, { iteration: 99, training: false }), false);
  assert.equal(outdated(known, { iteration: 99, training: true }), true);
  assert.equal(outdated(known, { iteration: 3, training: false }), true);
});

test('series have the points that were measured, and none that a logarithmic axis cannot show', () => {
  const lines = [
    { games: 10, points: { loss: [{ series: 'value', value: 0 }, { series: 'policy', value: 2 }] } },
    { games: 20, points: {} },
    { games: 30, points: { loss: [{ series: 'value', value: 0.5 }] } },
  ];
  const [value, policy] = seriesOf({ id: 'loss', name: 'Loss', axis: 'linear' }, lines, 'games');
  assert.deepEqual([value.x, value.values, policy.x], [[10, 30], [0, 0.5], [10]]);
  assert.deepEqual(seriesOf({ id: 'loss', name: 'Loss', axis: 'logarithmic' }, lines, 'games').map((s) => s.name), ['policy', 'value']);
  assert.equal(newestPoints('loss', lines)[0].value, 0.5);
  assert.deepEqual(newestPoints('score', lines), []);
});

test('a smoothed series begins where its points do and keeps what is constant', () => {
  const series = { name: 'a', x: [1, 2, 3], values: [4, 4, 1], low: null, high: null };
  assert.equal(smoothed(series, 0), series);
  assert.deepEqual(smoothed(series, 0.5).values, [4, 4, 4 - 3 / 1.75]);
  assert.equal(smoothed(series, 0.5).low, null);
});

test('a thinned series is evenly spread and ends with the newest point', () => {
  const series = { x: [...Array(10).keys()], values: [...'abcdefghij'], low: null, high: null };
  assert.deepEqual(thinned(series, 4), { x: [0, 3, 6, 9], values: [...'adgj'], low: null, high: null });
  assert.equal(thinned(series, 10), series);
  assert.equal(thinned({ ...series, x: [], values: [] }, 5).x.length, 0);
});

test('twenty runs have twenty colours', () => {
  assert.equal(new Set(Array.from({ length: 20 }, (_, i) => seriesColour(i))).size, 20);
});

test('runs in training come first, then in the chosen order', () => {
  const run = (name, time, iteration, training = false) => ({ name, time, iteration, training });
  const runs = [run('b10', '2026-01-02', 5), run('b9', null, 7), run('a', '2026-01-01', 6, true), run('c', '2026-01-03', 1)];
  const order = (key) => sorted(runs, key).map((r) => r.name).join();
  assert.deepEqual(['newest', 'name', 'progress'].map(order), ['a,c,b10,b9', 'a,b9,b10,c', 'a,b9,b10,c']);
});

test('the best player has a network, else searches; a strength has a place on its scale', () => {
  const uct = { name: 'uct', kind: 'uct', limits: ['simulations'], simulations: 1000, network: false };
  const net = { name: 'net', kind: 'net', limits: ['simulations'], simulations: 400, network: true, iteration: 60 };
  const random = { name: 'random', kind: 'random', limits: [], network: false };
  assert.equal(bestPlayer([{ ...net, iteration: 0 }, random, uct, net]), net); // iteration 0 has learned nothing
  assert.equal(bestPlayer([{ ...net, iteration: 0 }, uct]), uct);
  assert.equal(bestPlayer([random, uct]), uct);
  assert.deepEqual(seatOf(random), { player: 'random', kind: null, amount: null });
  assert.deepEqual(seatOf(net), { player: 'net', kind: 'simulations', amount: 400 });
  assert.deepEqual(steps('depth', 9).slice(7, 10), [8, 9, 10]);
  assert.deepEqual([steps('simulations', 50, true)[0], steps('simulations', 50, false)[0]], [0, 10]);
});

test('a level is a seat, with its simulations or depth or as strong as its player is by itself', () => {
  const uct = { name: 'uct', kind: 'uct', limits: ['simulations', 'milliseconds'], simulations: 1000, network: false };
  const solver = { name: 'solver', kind: 'solver', limits: ['milliseconds'], milliseconds: null, network: false };
  const listed = [{ name: 'easy', player: 'uct', simulations: 50 }, { name: 'perfect', player: 'solver', simulations: null }];
  assert.deepEqual(levels([{ name: 'easy', player: 'alphabeta', simulations: null, depth: 1 }]), [
    { name: 'easy', seat: { player: 'alphabeta', kind: 'depth', amount: 1 } },
  ]);
  assert.deepEqual(levels(listed, [solver, uct]), [
    { name: 'easy', seat: { player: 'uct', kind: 'simulations', amount: 50 } }, { name: 'perfect', seat: seatOf(solver) },
  ]);
  assert.deepEqual(levels(), []);
});

test('who plays against a player is you', () => {
  const person = { player: 'person', kind: null, amount: null };
  assert.equal(seatName(person, { player: 'uct' }), 'You');
  assert.equal(seatName(person, person), 'A person');
  assert.equal(seatName({ player: 'uct' }, person), 'uct');
});

test('numbers are short', () => {
  assert.deepEqual([950, 1240, 34000, 1.5e6].map(count), ['950', '1.2k', '34k', '1.5M']);
  assert.deepEqual([0.341, -1, 0.001].map((v) => signed(v)), ['+0.34', '−1.00', '±0.00']);
  assert.deepEqual([18, -3, 0].map(score), ['+18', '−3', '0']);
  assert.deepEqual([42, 720, 11100, 187200].map(duration), ['42 s', '12 min', '3 h 5 min', '2 d 4 h']);
  assert.equal(whole(186470), '186\u202f470');
});

test('a winning line goes from end to end', () => {
  const position = { columns: 3, rows: 3, in_a_row: 3, line: [0, 4, 8], last: 4 };
  assert.deepEqual(winningLines(position), [[0, 8]]);
  assert.deepEqual(winningLines({ ...position, line: [] }), []);
});

test('curves are lines of CSV, in quotes where they must', () => {
  const points = { score: [{ series: '', value: 75, interval: [70, 80] }], losses: [{ series: 'a "b", c', value: 0.5 }] };
  const runs = [{ name: 'mine', lines: [{ games: 7, points }] }];
  const charts = [{ id: 'score', name: 'Score', axis: 'linear' }, { id: 'losses', name: 'Losses', axis: 'linear' }];
  assert.equal(csv(charts, runs, 'games'),
    'run,chart,series,games,value,low,high\nmine,score,Score,7,75,70,80\nmine,losses,"a ""b"", c",7,0.5,,\n');
});

test('models of a run come by their iterations, and a few of many with the first and the last', () => {
  const players = [{ run: 'a', iteration: 9 }, { run: null, iteration: null }, { run: 'b', iteration: 1 }, { run: 'a', iteration: 2 }];
  assert.deepEqual(modelsOf(players, 'a').map((p) => p.iteration), [2, 9]);
  assert.deepEqual(modelsOf(players, null), []);
  assert.deepEqual(spread([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 4), [0, 3, 6, 9]);
  assert.deepEqual(spread([1, 2], 4), [1, 2]);
});

test('a click puts a stone, or selects a piece and then plays to its target', () => {
  const stone = { move: 'b1', cell: 1, cells: [1] };
  const step = { move: 'a1b1', from: 0, cell: 1, cells: [1] };
  const other = { move: 'b1c1', from: 1, cell: 2, cells: [2] };
  const list = (legal, selected) => [...choices(legal, selected)].map(([cell, { plays, lifts }]) => [cell, plays.map((l) => l.move).join(), lifts]);
  assert.deepEqual(list([stone, { move: 'pass', cell: null, cells: [] }], null), [[1, 'b1', false]]);
  assert.deepEqual(list([step, other], null), [[0, '', true], [1, '', true]]);
  assert.deepEqual(list([step, other], 0), [[0, '', true], [1, 'a1b1', true]]);
  assert.deepEqual(list([other, stone], null), [[1, '', true]]); // the first click selects
  assert.deepEqual(list([other, stone], 1), [[1, 'b1', true], [2, 'b1c1', false]]);
  assert.deepEqual(list([{ move: 'a1off', from: 0, cell: null, cells: [] }], null), []); // it has a button
  const kinds = ['Q', 'N'].map((word) => ({ ...step, move: `a1b1${word}`, word }));
  assert.deepEqual(list(kinds, 0), [[0, '', true], [1, 'a1b1Q,a1b1N', false]]);
});

test('an arrow leads from cell to cell', () => {
  const g = { at: (cell) => ({ x: 44 * cell, y: 0 }) };
  const { path, at } = arrow(g, { from: 0, cell: 2 }, 6);
  assert.match(path, /^M10\.0 3\.0L.*L88\.0 0\.0L.*Z$/);
  assert.deepEqual(at(0.5), { x: 44, y: 0 });
  for (const still of [{ cell: 2 }, { from: 0, cell: null }, { from: 1, cell: 1 }, { from: null, cell: 1 }]) assert.equal(arrow(g, still, 6), null);
});

test('forms of names say which numbers a game has', () => {
  assert.deepEqual(numbersOf(['connect4 or connect4:COLUMNS,ROWS,K', 'gomoku', 'mnk:COLUMNS,ROWS,K[,exact][,caro]', 'nim:PILE,PILE,...[,misere]', 'othello:SIDE', 'go or go:SIDE[,KOMI] or go:COLUMNSxROWS,KOMI']),
    { connect4: ['COLUMNS', 'ROWS', 'K'], mnk: ['COLUMNS', 'ROWS', 'K'], othello: ['SIDE'], go: ['SIDE'] });
});

/** The elements below one, in order. */
const below = (element) => [element?.props?.children].flat(Infinity).flatMap((child) => (child?.props ? [child, ...below(child)] : []));

test('of a name and numbers for another game, what was entered last counts', () => {
  Object.assign(state, { game: 'gomoku', catalog: { games: [], families: ['mnk:COLUMNS,ROWS,K', 'othello:SIDE'] } });
  const choice = new GameChoice();
  choice.setState = (changes) => Object.assign(choice.state, changes);
  const chosen = [];
  const find = (type, i = 0) => below(choice.render({ choose: (name) => chosen.push(name) }, choice.state)).filter((e) => e.type === type)[i].props;
  const enter = (props, value) => (props.onInput ?? props.onChange)({ target: { value } });
  const setUp = () => find('form').onSubmit({ preventDefault() {} });
  const rename = () => enter(find('input', find('select', 1).value === 'mnk' ? 3 : 1), ' go:7 ');
  choice.setState({ free: true });
  rename();
  enter(find('input'), '7');
  setUp();
  rename();
  enter(find('select', 1), 'othello');
  setUp();
  rename();
  setUp();
  setUp();
  assert.deepEqual(chosen, ['mnk:7,6,6', 'othello:6', 'go:7', 'othello:6']);
});

test('keys lead from point to point', () => {
  const board = { columns: 3, cells: Array(9).fill(0) };
  const ring = { ...board, joins: [[0, 1], [2, 5], [8, 7], [6, 3]] }; // without the middle
  const lead = (position, cell, keys, flipped) => keys.map((key) => cellTowards(position, cell, key, flipped));
  const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
  assert.deepEqual([lead(board, 4, arrows), lead(board, 4, arrows, true), lead(board, 0, arrows)], [[3, 5, 1, 7], [5, 3, 7, 1], [0, 1, 0, 3]]);
  assert.deepEqual([lead(ring, 3, arrows), lead(ring, 1, arrows)], [[3, 5, 0, 6], [0, 2, 1, 3]]);
  assert.deepEqual(lead(ring, 7, ['Home', 'End', 'Tab']), [6, 8, undefined]);
});
