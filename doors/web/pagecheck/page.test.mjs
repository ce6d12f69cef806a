// What people do on a page without a server, in each browser.

import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { FOREIGN, Host, clean, click, exportOwnGame, exportPage, launch, look, narrow, open, play, ready, root, see, turn, until } from './lib.mjs';

const axe = gunzipSync(readFileSync(path.join(root, 'doors/web/browser/testdata/axe.min.js.gz'))).toString();
const site = exportPage();
const hop = exportOwnGame();
test.after(clean);

/** Numbers that look random. */
let seed = 1;
const any = () => (seed = (seed * 48271) % 2147483647);

/** Whole games: the page that has them, their players, and which of the legal cells the person clicks on. */
const GAMES = [
  [site, 'connect4', 'connect4-quick~20s', any],
  [site, 'othello:6', 'uct~50s', any],
  [site, 'gomoku', 'random', () => 0], // a row along the edge
  [site, 'breakthrough:6,6', 'uct~50s', any],
  [site, 'go:5', 'uct~50s', (moves, seen) => (moves >= 8 && seen.others ? -1 : any())],
  [hop, 'hop', 'uct~50s', any],
];

const against = (game, player) => `#/play?game=${game}&first=person&second=${player}`;

for (const name of ['chromium', 'firefox']) {
  test(name, async (t) => {
    const browser = await launch(name);
    t.after(() => browser.close());

    /** A part of the test, as a visitor who has never been on the page. */
    const visit = (what, options, f) => t.test(what, async (part) => {
      const [host, context] = [await Host.start(options.folder ?? site, options), await browser.createBrowserContext()];
      try {
        await f(host, context, part);
      } finally {
        await context.close();
        await host.stop();
      }
    });

    for (const [folder, game, player, choose] of GAMES) {
      await visit(`a whole game of ${game} by mouse`, { folder }, async (host, context) => {
        const page = await open(context, host.at(against(game, player)));
        assert.match(await play(page, choose), /wins|draw/);
        assert.deepEqual(page.faults, []);
      });
    }

    await visit('a first visit asks the host alone, and once for each large file; the second needs no host', {}, async (host, context) => {
      const page = await open(context, host.at(against('connect4', 'connect4-quick~20s')));
      await ready(page);
      await click(page, '.cell.legal', 3);
      await until(page, () => document.querySelectorAll('.move').length > 2);
      await turn(page);
      assert.deepEqual([host.count('tengen.wasm.gz'), host.count('models/')], [1, 1]);
      assert.deepEqual(host.asked.filter((p) => !p.startsWith(Host.PATH)), []);
      assert.deepEqual(page.asked.filter((a) => a.startsWith('http') && !a.startsWith(host.at())), []);
      assert.deepEqual(page.faults, []);

      const addresses = ['connect4-quick~20s', 'uct~50s'].map((player) => host.at(against('connect4', player)));
      await host.stop();
      for (const address of addresses) {
        await page.goto('about:blank');
        await page.goto(address);
        await turn(page);
        await click(page, '.cell.legal', 3);
        await until(page, () => /moves=4\d/.test(location.hash));
      }
    });

    await visit('a link opens the same game in another tab', {}, async (host, context) => {
      const page = await open(context, host.at(against('othello:6', 'uct~50s')));
      for (let move = 0; move < 3; move++) {
        const { hash } = await look(page);
        await click(page, '.cell.legal');
        await until(page, (h) => location.hash.length >= h.length + 4 && !!document.querySelector('.player.below.turn'), hash);
      }
      const other = await open(context, page.url());
      await turn(other);
      assert.deepEqual(await look(other), await look(page));
    });

    let send;
    const sent = new Promise((resolve) => { send = resolve; });
    await visit('moves wait for the engine', { delay: async (file) => file === 'tengen.wasm.gz' && sent }, async (host, context) => {
      const page = await open(context, host.at(against('connect4', 'uct~50s')));
      await turn(page);
      await until(page, () => !!document.querySelector('.loading-bar'));
      await click(page, '.cell.legal', 3);
      const seen = await look(page);
      assert.deepEqual([seen.trouble, seen.legal], [undefined, 42]);
      send();
      await until(page, () => /moves=4\d/.test(location.hash));
      assert.deepEqual(page.faults, []);
    });

    const another = (file, content) => (file === 'index.html' ? String(content).replace(/"build":"/, '$&another-') : content);
    await visit('an engine of another build', { change: another }, async (host, context) => {
      const page = await open(context, host.at(against('connect4', 'uct~50s')));
      await see(page, '.trouble', 'not of the same build');
      await click(page, '.cell.legal', 3);
      await see(page, '.trouble', 'not of the same build');
      assert.equal((await look(page)).legal, 42);
    });

    let broken = 'wasm_exec.js';
    const damage = (file, content) => {
      if (file !== broken) return content;
      if (file === 'wasm_exec.js') throw new Error('it is missing');
      return content.subarray(content.length / 2);
    };
    await visit('files that are wrong at first are loaded again', { change: damage }, async (host, context) => {
      const question = (amount) => `#/analyse?game=connect4&moves=444&by=connect4-quick~${amount}s`;
      const page = await open(context, host.at(question(100)));
      const fails = (text) => see(page, '.trouble', text).then(() => until(page, () => !document.querySelector('.loading-bar')));
      await fails('has stopped');
      broken = 'tengen.wasm.gz';
      await page.reload();
      await fails('');
      broken = 'models/connect4-quick.safetensors';
      await page.reload();
      await fails('another file than the page');
      broken = '';
      await page.evaluate((hash) => { location.hash = hash; }, question(99));
      await see(page, '.verdict', '99 simulations');
    });

    await visit('a game is downloaded, and there are no runs', {}, async (host, context) => {
      const page = await open(context, host.at('#/analyse?game=connect4&moves=4445&by=uct~50s'));
      await see(page, '.verdict', '50 simulations');
      const saved = await page.evaluate(() => new Promise((resolve) => {
        URL.createObjectURL = (blob) => { blob.text().then(resolve); return '#'; };
        [...document.querySelectorAll('.share button')].find((b) => b.textContent === 'Download game').click();
      }));
      assert.match(saved, /^\(;.*;B\[df\];W\[de\];B\[dd\];W\[ef\]\)/);
      assert.doesNotMatch(await page.evaluate(() => document.body.textContent), /Games of runs/);
      assert.deepEqual(page.faults, []);
    });

    await visit('an analysis grows, ends, and makes room for another', {}, async (host, context, part) => {
      const question = (moves, amount) => `#/analyse?game=connect4&moves=${moves}&by=connect4-quick~${amount}s`;
      const page = await open(context, host.at(question('444', 100)));
      await see(page, '.verdict', '100 simulations');
      assert.equal(await page.evaluate(() => document.querySelectorAll('.candidates tbody tr').length), 7);
      await page.evaluate((hash) => { location.hash = hash; }, question('4444', 10_000_000));
      const effort = (before) => until(page, (b) => {
        const [found] = /\d[\d\s]* simulations/.exec(document.querySelector('.verdict').textContent) ?? [];
        return found !== b && found;
      }, before);
      await effort(await effort(''));
      await page.evaluate((hash) => { location.hash = hash; }, question('445', 99));
      const left = performance.now();
      await see(page, '.verdict', '99 simulations');
      part.diagnostic(`the next question was answered after ${Math.round(performance.now() - left)} ms`);
      assert.deepEqual(page.faults, []);
    });

    await visit('axe-core finds nothing', {}, async (host, context) => {
      for (const hash of [against('connect4', 'uct~50s'), '#/analyse?game=connect4&moves=444&by=connect4-quick~100s']) {
        const page = await open(context, host.at(hash));
        await ready(page);
        if (hash.includes('analyse')) await see(page, '.verdict', '100 simulations');
        await page.evaluate(`${axe}; null`);
        const found = await page.evaluate(() => globalThis.axe.run({ resultTypes: ['violations'] }).then(
          (r) => r.violations.map((v) => [v.id, ...v.nodes.map((n) => n.html)])));
        assert.deepEqual(found, []);
      }
    });

    await visit('on a phone, no page is too wide', {}, async (host, context) => {
      for (const hash of [against('gomoku', 'uct~50s'), '#/analyse?game=connect4&moves=444&by=connect4-quick~100s', '#/about']) {
        const page = await narrow(context, host.at(hash));
        await see(page, hash.includes('about') ? '.terms' : '.cell');
        const [width, content, board] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth, document.querySelector('.board')?.offsetWidth ?? 0]);
        assert.equal(width, 390);
        assert.ok(content <= width && board <= width, `${hash}: the content takes ${content}, the board ${board}`);
      }
    });

    await visit('without https it works, and says what does not', {}, async (host, context) => {
      const page = await open(context, host.at(against('connect4', 'uct~50s'), FOREIGN));
      await see(page, '.trouble', 'not offline');
      await turn(page);
      await click(page, '.cell.legal', 3);
      await until(page, () => /moves=4\d/.test(location.hash));
    });

    await visit('from a file it says what to do', {}, async (host, context) => {
      const page = await open(context, pathToFileURL(path.join(site, 'index.html')).href);
      await see(page, '.late', 'not from a file');
      await page.goto(host.at());
      await ready(page);
      assert.equal(await page.evaluate(() => document.querySelector('.late')), null);
    });
  });
}
