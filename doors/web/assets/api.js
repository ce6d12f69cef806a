// Requests to the server: JSON answers, and streams of server-sent events.

import { startEngine } from './engine.js';

/** An answer whose status is an error. Its message is for the user. */
export class ApiError extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const RETRY = 1000; // milliseconds before a request without an answer is repeated

let answered = () => {};
let unanswered = () => {};

/** Calls heard after each successful answer, and unheard whenever the server does not answer. */
export function onAnswer(heard, unheard) {
  [answered, unanswered] = [heard, unheard];
}

const embedded = globalThis.document?.getElementById('inside'); // tests run without a page

/**
 * The data inside a page without a server, null if there is one. answers are by path. A report has all answers, and the address to open.
 * Other pages have an engine, which answers what they do not.
 */
export const inside = embedded && JSON.parse(embedded.textContent);

/** The engine of a page without a server, null if it has none. */
export const engine = inside?.engine ? startEngine(inside.engine) : null;

const request = (path, options) => (engine ?? globalThis).fetch(path, options);

/** The address of a path below api/. A list repeats its parameter. */
export function address(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null && one !== '') query.append(name, one);
  }
  const text = query.toString();
  return `api/${path}${text ? '?' + text : ''}`;
}

async function errorOf(response) {
  let message = `The server answered ${response.status}.`;
  try {
    message = (await response.json()).error || message;
  } catch {
    // An answer other than JSON has no better message.
  }
  return new ApiError(response.status, message, Number(response.headers.get('Retry-After')) || 0);
}

/** GET of a path below api/. It asks until the server answers or the signal aborts. @throws {ApiError} */
export async function get(path, params, signal) {
  const known = inside?.answers[engine ? address(path, params) : decodeURIComponent(path)];
  if (known || inside && !engine) return known;
  let response;
  while (!response) {
    try {
      response = await request(address(path, params), { signal, headers: { Accept: 'application/json' } });
    } catch (error) {
      if (signal?.aborted || engine) throw error;
      unanswered();
      await new Promise((resume) => setTimeout(resume, RETRY));
    }
  }
  if (!response.ok) throw await errorOf(response);
  answered();
  return response.json();
}

/** POST to a path below api/ whose answer is a file. @throws {Error} */
export async function getFile(path, params, body) {
  const response = await send(path, params, body);
  const [, name] = /filename="(.*)"/.exec(response.headers.get('Content-Disposition'));
  return { name, type: response.headers.get('Content-Type'), text: await response.text() };
}

/** POST to a path below api/, with a text if there is one. Returns the answer. @throws {Error} */
export async function post(path, params = {}, body = undefined) {
  return (await send(path, params, body)).json();
}

async function send(path, params, body) {
  const response = await request(address(path, params), { method: 'POST', body }).catch((error) => {
    throw engine ? error : new Error('The server does not answer: try again once it does.');
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Reads the events of a stream as {type, data}, with data parsed as JSON. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value.replaceAll('\r', '');
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = { type: 'message', data: '' };
      for (const line of text.slice(0, end).split('\n')) {
        if (line.startsWith('event:')) event.type = line.slice(6).trim();
        if (line.startsWith('data:')) event.data += line.slice(5);
      }
      text = text.slice(end + 2);
      if (event.data) yield { type: event.type, data: JSON.parse(event.data) };
    }
  }
}

const LONGEST_WAIT = 2500; // milliseconds before a stream reconnects

/**
 * Opens a stream of events, and reconnects until the last event has come.
 * @param {string} path below api/
 * @param {() => object} params called for each connection, so it can include what has arrived
 * @param {object} handlers a function for each type of event, which returns true if the event is the last; `refused` is called with
 *   a permanent error, `cut` when the connection is lost or the server is full, with the error if there is one
 * @param {number} silence milliseconds without an event after which the connection counts as lost; 0: no limit
 * @returns {() => void} closes the stream
 */
export function stream(path, params, handlers, silence = 0) {
  const stop = new AbortController();
  connect();
  return () => stop.abort();

  async function connect() {
    for (let wait = 500; !stop.signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      let retryAfter = 0;
      let fault;
      const quiet = new AbortController();
      const listen = () => (silence ? setTimeout(() => quiet.abort(), silence) : 0);
      let timer = listen();
      try {
        const options = { signal: AbortSignal.any([stop.signal, quiet.signal]), headers: { Accept: 'text/event-stream' } };
        const response = await request(address(path, params()), options);
        if (!response.ok) throw await errorOf(response);
        answered();
        for await (const event of events(response.body)) {
          if (stop.signal.aborted || handlers[event.type]?.(event.data)) {
            stop.abort();
            return;
          }
          wait = 250;
          clearTimeout(timer);
          timer = listen();
        }
      } catch (error) {
        if (stop.signal.aborted) return;
        if (engine && !(error instanceof ApiError) || error instanceof ApiError && error.status < 500 && error.status !== 429) {
          handlers.refused?.(error);
          return;
        }
        fault = error;
        retryAfter = 1000 * (error.retryAfter || 0);
      } finally {
        clearTimeout(timer);
      }
      handlers.cut?.(fault);
      await new Promise((resume) => setTimeout(resume, Math.max(wait, retryAfter)));
    }
  }
}
