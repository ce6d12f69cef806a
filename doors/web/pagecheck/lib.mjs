// What the tests share: exported pages, a web host, browsers, and a person who plays.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import puppeteer from 'puppeteer-core';

/** The folder of the module. */
export const root = path.resolve(import.meta.dirname, '../../..');

/** A temporary folder, which clean removes. */
export const scratch = mkdtempSync(path.join(os.tmpdir(), 'pagecheck-'));
export const clean = () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });

/** Runs Go in a folder, and returns its output. */
export const go = (folder, ...args) => execFileSync('go', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Exports the page of this program, and returns its folder. */
export function exportPage(...flags) {
  const site = mkdtempSync(path.join(scratch, 'site-'));
  go(root, 'run', './cmd/tengen', 'export', 'page', site, ...flags);
  return site;
}

/** Exports the page of a program with a game of its own, and returns its folder. */
export function exportOwnGame() {
  const [module, site] = [path.join(scratch, 'hop'), path.join(scratch, 'hop-site')];
  go(root, 'run', './cmd/tengen', 'game', 'new', module, 'hop', '--source', '.');
  go(module, 'run', '.', 'export', 'page', site);
  return site;
}

const TYPES = {
  html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', json: 'application/json', gz: 'application/gzip', md: 'text/markdown',
};

/** A host of static files, which packs texts. The page is below PATH. */
export class Host {
  static PATH = '/a/b/';

  /**
   * @param {string} site the folder
   * @param {{change?: (name: string, content: Buffer) => Buffer | string, delay?: (name: string) => Promise}} options change returns what the
   *   host has as a file, delay ends when it may send one
   */
  static async start(site, { change = (_, content) => content, delay = async () => {} } = {}) {
    const host = new Host();
    host.asked = []; // paths of requests
    host.server = http.createServer(async (request, response) => {
      const { pathname } = new URL(request.url, 'http://localhost');
      host.asked.push(pathname);
      const name = pathname.startsWith(Host.PATH) ? pathname.slice(Host.PATH.length) || 'index.html' : null;
      await delay(name);
      let content;
      try {
        content = change(name, readFileSync(path.join(site, name)));
      } catch {
        response.writeHead(404).end();
        return;
      }
      const type = TYPES[path.extname(name).slice(1)] ?? 'application/octet-stream';
      const isText = /text|json|svg/.test(type);
      response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'max-age=600', ...(isText && { 'Content-Encoding': 'gzip' }) });
      response.end(isText ? gzipSync(content) : content);
    });
    await new Promise((resolve) => { host.server.listen(0, '127.0.0.1', resolve); });
    return host;
  }

  /** The address of the page, at a name of this machine. */
  at(hash = '', name = 'localhost') {
    return `http://${name}:${this.server.address().port}${Host.PATH}${hash}`;
  }

  /** How many requests there were for files whose paths have a text. */
  count = (text) => this.asked.filter((p) => p.includes(text)).length;

  stop() {
    this.server.closeAllConnections();
    return new Promise((resolve) => { this.server.close(resolve); });
  }
}

/** Another name of this machine, to which browsers do not lend the trust that localhost has. */
export const FOREIGN = 'tengen.test';

/** Starts 'chromium' or 'firefox'. */
export const launch = (name) => puppeteer.launch(name === 'firefox'
  ? {
    browser: 'firefox', executablePath: '/usr/bin/firefox-esr', defaultViewport: null, args: ['--width=1280', '--height=900'],
    extraPrefsFirefox: {
      'network.dns.localDomains': FOREIGN,
      'security.fileuri.strict_origin_policy': true, // as people have it
      // With AVX, Firefox 140 computes networks a hundred times slower on some visits: its code mixes AVX with older instructions.
      'javascript.options.wasm_simd_avx': false,
    },
  }
  : {
    executablePath: '/usr/bin/chromium', defaultViewport: null,
    args: ['--no-sandbox', '--window-size=1280,900', `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1`],
  });

/** Opens an address in a new tab. faults has the errors that the tab's console shows, asked the addresses that it requests. */
export async function open(context, address) {
  const page = await context.newPage();
  const [faults, asked] = [[], []];
  page.on('console', (m) => { if (m.type() === 'error') faults.push(m.text()); });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(address);
  return Object.assign(page, { faults, asked });
}

/** Waits until f, in the page, returns something true, and returns that. */
export async function until(page, f, ...args) {
  for (const end = Date.now() + 60_000; ;) {
    const found = await page.evaluate(f, ...args);
    if (found) return found;
    if (Date.now() > end) assert.fail(`after a minute, the page still lacks: ${f} ${args}: ${await page.evaluate(() => document.body.innerText)}`);
    await sleep(30);
  }
}

/** Waits until the page shows a text in an element. */
export const see = (page, selector, text = '') => until(page,
  (s, t) => [...document.querySelectorAll(s)].some((e) => e.checkVisibility({ visibilityProperty: true }) && e.textContent.includes(t)), selector, text);

/** Waits until the engine has been loaded and the page has a worker for visits without its host. */
export async function ready(page) {
  await see(page, '.board');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => null));
  await until(page, () => !document.querySelector('.loading-bar'));
}

/** What a person sees of a game. */
export const look = (page) => page.evaluate(() => ({
  hash: location.hash,
  ended: !!document.querySelector('.standing.ended'),
  mine: !!document.querySelector('.player.below.turn'),
  cells: [...document.querySelectorAll('.cell')].map((c) => c.getAttribute('aria-label')),
  legal: document.querySelectorAll('.cell.legal').length,
  pieces: document.querySelectorAll('.cell.lifts').length,
  others: document.querySelectorAll('.standing [aria-label="Other moves"] button').length,
  trouble: document.querySelector('.trouble')?.textContent,
  players: [...document.querySelectorAll('.player .who')].map((e) => e.textContent),
}));

/** Waits until it is the person's turn, or the game has ended. */
export const turn = (page) => until(page, () => !!document.querySelector('.standing.ended, .player.below.turn'));

/** Clicks on the nth of the elements that a selector finds. After the last, it counts from the first again. */
export async function click(page, selector, n = 0) {
  const found = await page.$$(selector);
  assert.ok(found.length, `there is no ${selector}`);
  await found[n % found.length].click();
}

/**
 * Plays a person's game to its end by clicks, and returns the heading at the end.
 * @param {(moves: number, seen: object) => number} choose returns which of the cells to click on, -1 for a move without a cell
 */
export async function play(page, choose) {
  for (let moves = 0; moves < 200; moves++) {
    await turn(page);
    const seen = await look(page);
    if (seen.ended) return page.evaluate(() => document.querySelector('.standing span').textContent);
    const n = seen.legal ? choose(moves, seen) : -1;
    if (n < 0) {
      await click(page, '.standing [aria-label="Other moves"] button');
    } else if (seen.pieces) {
      await click(page, '.cell.lifts', n);
      await see(page, '[aria-selected=true]');
      await click(page, '.cell.legal:not(.lifts)', n);
    } else {
      await click(page, '.cell.legal', n);
    }
    await until(page, (hash) => location.hash !== hash, seen.hash);
  }
  return assert.fail('the game does not end');
}

/** Opens an address in a new tab as wide as a phone. Firefox refuses to turn the screen, after it has set its size. */
export async function narrow(context, address) {
  const page = await open(context, 'about:blank');
  await page.setViewport({ width: 390, height: 844 }).catch(() => {});
  await page.goto(address);
  return page;
}
