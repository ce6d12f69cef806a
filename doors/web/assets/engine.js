// The engine of a page without a server: the program itself, compiled for browsers, in two Web Workers. One thinks. The other, which
// needs no model, answers everything else meanwhile. Package inbrowser describes their messages.

import { updateSoon } from './store.js';

/**
 * What package web has written into the page about its engine: siteJSON in site.go. A file's address ends with its tag.
 * @typedef {{build: string, cache: string, version: string, models: Object<string, string>, program: string, bytes: number, worker: string,
 *   glue: string, files: Object<string, string>}} Site
 */

const DIFFERENT = 'This page and its engine are not of the same build: copy all files to the host again, and reload the page.';
const STOPPED = 'The engine has stopped: reload the page.';

/** The cache for this page's files, which sw.js uses, too. There is none without https. */
const cacheOf = async (site) => globalThis.caches?.open(`tengen ${new URL('./', location.href)} ${site.cache}`).catch(() => null);

/** A file from the cache or the host, and what lets the cache keep it: only a file that has proved right, because a host may still be changing. */
async function open(address, site) {
  const cache = await cacheOf(site);
  const kept = await cache?.match(address);
  if (kept) return { response: kept, keep() {} };
  const response = await fetch(address, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${address.split('?')[0]}: the host answers ${response.status}.`);
  const copy = cache && response.clone();
  return { response, keep: () => cache?.put(address, copy).catch(() => {}) }; // there may be no space
}

/** Shows what is being loaded, and how much of it has come, from 0 to 1 or null; nothing without a text. */
const show = (text, share) => updateSoon({ loading: text && { text, share } });

/** Shows how many bytes of a stream have come, of as many as there are. */
function counted(stream, all) {
  let bytes = 0;
  return stream.pipeThrough(new TransformStream({
    transform(chunk, controller) {
      show('Loading the engine', Math.min(1, (bytes += chunk.length) / all));
      controller.enqueue(chunk);
    },
  }));
}

/** Whether a stream is packed by gzip, and the same stream. */
async function peek(stream) {
  const [start, whole] = stream.tee();
  const reader = start.getReader();
  const { value } = await reader.read();
  reader.cancel();
  return [value?.[0] === 0x1f, whole];
}

/** Loads the program. Some hosts say that they have packed it, and then the browser has unpacked it. */
async function compile(site) {
  const { response, keep } = await open(site.program, site);
  const [packed, program] = await peek(counted(response.body, site.bytes));
  const plain = packed ? program.pipeThrough(new DecompressionStream('gzip')) : program;
  const module = await WebAssembly.compileStreaming(new Response(plain, { headers: { 'Content-Type': 'application/wasm' } }));
  show('Starting the engine', 1);
  return { module, keep };
}

/** Loads a model. */
async function loadModel(name, site) {
  const address = site.files[name];
  const { response, keep } = await open(address, site);
  const data = await response.arrayBuffer();
  const digest = await globalThis.crypto.subtle?.digest('SHA-256', data);
  const tag = digest && Array.from(new Uint8Array(digest, 0, 12), (b) => b.toString(16).padStart(2, '0')).join('');
  if (tag && !address.endsWith(tag)) throw new Error('the host has another file than the page: reload the page, and copy all files again if that does not help');
  keep();
  return data;
}

/** A Web Worker with the program. */
class Thread {
  constructor(site, program) {
    this.calls = new Map(); // by number, what hears the parts of the answer
    this.last = 0;
    this.worker = new Worker(site.worker);
    this.ready = new Promise((resolve, reject) => {
      const fail = (message) => {
        const failed = new Error(message);
        reject(failed);
        for (const call of this.calls.values()) call({ failed });
        this.ask = () => Promise.reject(failed); // from now on
      };
      this.worker.onerror = () => fail(STOPPED);
      this.worker.onmessage = ({ data }) => {
        if (data.stopped) fail(STOPPED);
        else if (data.model) this.send(site, data.model);
        else if (data.ready === undefined) this.calls.get(data.id)?.(data);
        else if (data.ready === site.build) resolve(undefined);
        else fail(DIFFERENT);
      };
      program.then(({ module }) => this.worker.postMessage({ module, glue: site.glue, site: JSON.stringify(site) }), reject);
    });
  }

  /** Sends the file of a model, which the program has asked for. */
  async send(site, model) {
    show(`Loading ${model}`, null);
    try {
      const data = await loadModel(model, site);
      this.worker.postMessage({ model, data }, [data]);
    } catch (error) {
      this.worker.postMessage({ model, error: error.message });
    }
    show(null, null);
  }

  /** Is like fetch. */
  async ask(address, { method = 'GET', body = '', signal = undefined } = {}) {
    await this.ready;
    signal?.throwIfAborted();
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      let parts = null; // the controller of the response's body
      const end = () => {
        this.calls.delete(id);
        signal?.removeEventListener('abort', stop);
      };
      const fail = (error) => {
        end();
        reject(error);
        parts?.error(error);
      };
      const stop = () => {
        this.worker.postMessage({ id });
        fail(signal.reason);
      };
      signal?.addEventListener('abort', stop);
      this.calls.set(id, (part) => {
        if (part.failed) {
          fail(part.failed);
        } else if (part.status === undefined) {
          end();
          parts.close();
        } else {
          if (!parts) resolve(new Response(new ReadableStream({ start: (c) => { parts = c; } }), part));
          if (part.body.length) parts.enqueue(part.body);
        }
      });
      this.worker.postMessage({ id, method, address: `/${address}`, body });
    });
  }
}

/**
 * Starts the engine.
 * @param {Site} site
 */
export function startEngine(site) {
  show('Loading the engine', 0);
  const program = compile(site);
  const [thinker, other] = [new Thread(site, program), new Thread(site, program)];
  const ready = Promise.all([thinker.ready, other.ready]);
  ready.then(async () => {
    (await program).keep();
    navigator.serviceWorker?.register('sw.js').catch(() => {}); // without it, the page needs the host again
  }).catch(() => {}).then(() => show(null, null));
  return {
    ready,
    /** Is like fetch. */
    fetch: (address, options) => (/^api\/(analysis|players)/.test(address) ? thinker : other).ask(address, options),
  };
}
