// The engine of an exported page says the same as a server, byte for byte.

import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';

import { clean, exportPage, go, root, scratch } from './lib.mjs';

/** In a thread of Node, what a Web Worker has: the page's worker.js runs in it. */
const BROWSER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { readFileSync } = require('node:fs');
  const { runInThisContext } = require('node:vm');
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  globalThis.importScripts = (file) => runInThisContext(readFileSync(workerData + '/' + file, 'utf8'));
  parentPort.on('message', (data) => globalThis.onmessage({ data }));
  importScripts('worker.js');`;

/** Starts a page's engine. Returns what asks it, and what ends it. */
async function startEngine(site) {
  const [, inside] = /id="inside">(.*?)<\/script>/s.exec(readFileSync(path.join(site, 'index.html'), 'utf8'));
  const worker = new Worker(BROWSER, { eval: true, workerData: site });
  const calls = new Map();
  const started = new Promise((resolve) => {
    worker.on('message', (data) => {
      if (data.model) worker.postMessage({ model: data.model, data: readFileSync(path.join(site, 'models', `${data.model}.safetensors`)) });
      else if (data.ready) resolve();
      else calls.get(data.id)(data);
    });
  });
  const module = await WebAssembly.compile(gunzipSync(readFileSync(path.join(site, 'tengen.wasm.gz'))));
  worker.postMessage({ module, glue: 'wasm_exec.js', site: JSON.stringify(JSON.parse(inside).engine) });
  await started;
  const ask = (address, method, body) => new Promise((resolve) => {
    const answer = { chunks: [] };
    const id = calls.size + 1;
    calls.set(id, ({ status, headers, body: chunk }) => {
      if (status === undefined) resolve({ ...answer, text: Buffer.concat(answer.chunks).toString() });
      else Object.assign(answer, { status, type: headers['Content-Type'], chunks: [...answer.chunks, chunk] });
    });
    worker.postMessage({ id, method, address, body });
  });
  return [ask, () => worker.terminate()];
}

/** Starts tengen serve, without assembly and with one thread, as in a browser. Returns what asks it, and what ends it. */
async function startServer() {
  const program = path.join(scratch, 'tengen');
  go(root, 'build', '-tags', 'noasm', '-buildvcs=false', '-o', program, './cmd/tengen'); // without a version, as go run builds it for the page
  const server = spawn(program, ['serve', '--http', '127.0.0.1:0', '--runs', ''], { env: { ...process.env, GOMAXPROCS: '1' } });
  const [line] = await new Promise((resolve) => { createInterface(server.stdout).once('line', (...l) => resolve(l)); });
  const [origin] = /http:\/\/[^/\s]+/.exec(line);
  const ask = async (address, method, body) => {
    const response = await fetch(origin + address, { method, body: method === 'POST' ? body : undefined });
    return { status: response.status, type: response.headers.get('Content-Type'), text: await response.text() };
  };
  return [ask, () => server.kill()];
}

/** An answer without times. Of a stream, the last event alone: how many reports come before depends on the time. */
function comparable({ status, type, text }) {
  const last = type === 'text/event-stream' ? text.trim().split('\n\n').at(-1) : text;
  return { status, type, text: last.replace(/"(milliseconds|per_second)":[\d.e+]+/g, '"$1":0') };
}

/** A menu without what differs on purpose: the page's limits, and the order of games, since this page's models were chosen. */
function menu(text) {
  const { games, ...rest } = JSON.parse(text);
  return { ...rest, limits: null, games: games.map((g) => JSON.stringify(g)).sort() };
}

let seed = 1;
const any = (n) => (seed = (seed * 48271) % 2147483647) % n;

/** All built-in models, which a server has. */
const MODELS = ['connect4', 'connect4-quick', 'mnk-6x6x4', 'mnk-8x8x5', 'gomoku', 'othello', 'breakthrough', 'breakthrough-8', 'go-7', 'go-9'];

const GAMES = [ // and for each a model of it on the page, if there is one
  ['connect4', 'connect4-quick'], ['connect4:8,7,4', 'connect4'], ['breakthrough', 'breakthrough-8'], ['breakthrough:6,6', 'breakthrough'], ['othello', 'othello'], ['gomoku', 'gomoku'], ['mnk:6,6,4', 'mnk-6x6x4'],
  ['mnk:8,8,5', 'mnk-8x8x5'], ['tictactoe'], ['go:5', 'go-7'], ['go', 'go-9'], ['othello:6'], ['breakthrough:5,5'],
];

/** Games that a solver does not try from the middle on, so that its time does not matter. */
const LARGE = ['gomoku', 'go', 'breakthrough', 'mnk:8,8,5'];

/** Wrong or unusual questions. */
const ODD = [
  '/api/position', '/api/position?game=chess', '/api/position?game=connect4&moves=9', '/api/position?game=connect4&moves=4444444', '/api/position?game=go:99',
  '/api/position?game=connect4&x=1', '/api/position?game=connect4&game=go', '/api/position?game=othello&moves=%22', '/api/position?game=%FF',
  '/api/players?game=', '/api/truth?game=gomoku&moves=a0', '/api/sgf?game=go&line=zz', '/api/analysis?game=connect4',
  '/api/analysis?game=connect4&player=nobody', '/api/analysis?game=connect4&player=uct&depth=3', '/api/analysis?game=connect4&player=alphabeta&depth=65',
  '/api/analysis?game=connect4&player=uct&simulations=9&milliseconds=9', '/api/analysis?game=connect4&player=uct&milliseconds=0',
  '/api/analysis?game=connect4&moves=1212121&player=uct', '/api/analysis?game=connect4&player=uct&simulations=9&line=8',
  '/api/analysis?game=go:5&player=gomoku&simulations=9', `/api/analysis?game=connect4&player=uct&id=${'x'.repeat(101)}`, '/api/analysis?game=gomoku&player=solver&depth=1',
].map((address) => [address]);

/** Texts of games, for /api/read. */
const TEXTS = ['', '44 55 6', '1. h8 i9 2. j10', '(;GM[1]SZ[9]KM[7];B[ee];W[cc](;B[gg])(;B[cg]))', '(;GM[1]SZ[9]', 'e6 f4 c3', 'hello', '(;GM[2]SZ[8];B[f5];W[d6])'];

/** All questions: addresses, and what is posted there. Positions are on the way of games at random, which ask plays. */
async function questions(ask) {
  const list = [...ODD];
  const add = (what, params, body) => list.push([`/api/${what}?${new URLSearchParams(params)}`, body]);
  for (const [game, model] of GAMES) {
    add('players', { game });
    const moves = [];
    const history = [];
    for (let over = false; !over && moves.length < 300;) {
      const p = JSON.parse((await ask(`/api/position?${new URLSearchParams({ game, moves: moves.join(' ') })}`)).text);
      over = p.over;
      history.push({ moves: p.moves, reply: p.legal[0]?.move });
      if (!over) moves.push(p.legal[any(p.legal.length)].move);
    }
    const at = (share) => history[Math.floor(share * (history.length - 1))];
    for (const share of [0, 0.3, 0.6, 1]) add('position', { game, moves: at(share).moves });
    if (game !== 'go:5') { // which takes a solver long, even near the end
      for (const share of [0.99, 1]) add('truth', { game, moves: at(share).moves });
      add('analysis', { game, moves: at(0.95).moves, player: 'solver' });
    }
    if (LARGE.includes(game)) add('truth', { game, moves: at(0.5).moves });
    add('sgf', { game, ...(any(2) && { resigned: 'second' }) }, at(0.5).moves);
    const limits = [['uct', 'simulations', 60], ['uct', 'simulations', 999], ['random'], ...(model ? [[model, 'simulations', 0], [model, 'simulations', 1], [model, 'simulations', 60]] : [])];
    if (/connect4|othello|breakthrough/.test(game)) limits.push(['alphabeta', 'depth', 3]);
    limits.forEach(([player, limit, amount], i) => { // at places so far apart that no search begins with the tree of another
      const { moves: before, reply } = at((i + 0.5) / (limits.length + 1));
      add('analysis', { game, moves: before, player, id: String(i), ...(limit && { [limit]: amount }), ...(i % 2 && { line: reply }) });
    });
  }
  for (const text of TEXTS) for (const game of ['connect4', 'go', 'othello']) add('read', { game }, text);
  return list;
}

test('a page\'s engine and a server without assembly say the same', async (t) => {
  t.after(clean);
  const [asServer, endServer] = await startServer();
  t.after(endServer);
  const [asEngine, endEngine] = await startEngine(exportPage(...MODELS.flatMap((model) => ['--player', `net:${model}`])));
  t.after(endEngine);
  const [one, other] = await Promise.all([asEngine, asServer].map((ask) => ask('/api/games', 'GET')));
  assert.deepEqual(menu(one.text), menu(other.text));
  const all = await questions(asServer);
  assert.ok(all.length >= 200);
  for (const [address, body] of all) {
    const method = body === undefined ? 'GET' : 'POST';
    const [here, there] = [await asEngine(address, method, body), await asServer(address, method, body)].map(comparable);
    await t.test(`${address} ${body ?? ''}`, () => assert.deepEqual(here, there));
  }
});
