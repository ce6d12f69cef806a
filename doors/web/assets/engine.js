// The engine of a page without a server: the program itself, compiled for browsers, in two Web Workers. One thinks. The other, which
// needs no model, answers everything else meanwhile. Package inbrowser describes their messages.

/**
 * What package web has written into the page about its engine. A file's address ends with its tag.
 * @typedef {{build: string, version: string, models: Object<string, string>, program: string, bytes: number, worker: string, glue: string,
 *   files: Object<string, string>}} Site
 */

const DIFFERENT = 'This page and its engine are not of the same build: copy all files to the host again, and reload the page.';
const STOPPED = 'The engine has stopped: reload the page.';

/** The name of the cache for this page's files, which sw.js uses, too. */
const cacheName = (build) => `tengen ${new URL('./', location.href)} ${build}`;

/** A file from the cache or the host. The cache keeps it: without https there is none. */
async function open(address, build) {
  const cache = await globalThis.caches?.open(cacheName(build)).catch(() => null);
  const kept = await cache?.match(address);
  if (kept) return kept;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.split('?')[0]}: the host answers ${response.status}.`);
  cache?.put(address, response.clone()).catch(() => {}); // no space
  return response;
}

/** The bytes of a response. tell is called with how many have come. */
function counted(response, tell) {
  let bytes = 0;
  return response.body.pipeThrough(new TransformStream({
    transform(chunk, controller) {
      tell(bytes += chunk.length);
      controller.enqueue(chunk);
    },
  }));
}

/** Loads the program. Some hosts say that they have packed it, and then the browser has unpacked it. */
async function compile(site, tell) {
  const response = await open(site.program, site.build);
  let program = counted(response, (bytes) => tell('Loading the engine', Math.min(1, bytes / site.bytes)));
  if (!response.headers.get('Content-Encoding')) program = program.pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(program, { headers: { 'Content-Type': 'application/wasm' } }));
}

/** A Web Worker with the program. */
class Thread {
  constructor(site, module, tell) {
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
        else if (data.model) this.send(site, data.model, tell);
        else if (data.ready === undefined) this.calls.get(data.id)?.(data);
        else if (data.ready === site.build) resolve(undefined);
        else fail(DIFFERENT);
      };
      module.then((m) => this.worker.postMessage({ module: m, glue: site.glue, site: JSON.stringify(site) }), reject);
    });
  }

  /** Sends the file of a model, which the program has asked for. */
  async send(site, model, tell) {
    try {
      tell(`Loading ${model.replace('.safetensors', '')}`, null);
      const response = await open(site.files[model], site.build);
      const data = await response.arrayBuffer();
      this.worker.postMessage({ model, data }, [data]);
    } catch (error) {
      this.worker.postMessage({ model, error: error.message });
    }
    tell(null, null);
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
 * @param {(text: ?string, share: ?number) => void} tell is called with what is being loaded, and how much of it has come, from 0 to 1;
 *   with nulls when all has
 */
export function startEngine(site, tell) {
  const module = compile(site, tell);
  const [thinker, other] = [new Thread(site, module, tell), new Thread(site, module, tell)];
  module.then(() => tell('Starting the engine', 1), () => {});
  const ready = Promise.all([thinker.ready, other.ready]);
  ready.then(() => {
    tell(null, null);
    navigator.serviceWorker?.register('sw.js').catch(() => {}); // without it, the page needs the host again
  }, () => {});
  return {
    ready,
    /** Is like fetch. */
    fetch: (address, options) => (/^api\/(analysis|players)/.test(address) ? thinker : other).ask(address, options),
  };
}
