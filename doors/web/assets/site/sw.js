// The service worker: with it, the page works without its host from the second visit on. The first line defines version and files. The page
// itself keeps the engine and the models, in the same cache, see engine.js.
const prefix = `tengen ${registration.scope} `;
const opened = () => caches.open(prefix + version);

addEventListener('install', (event) => {
  event.waitUntil(opened().then((cache) => cache.addAll(files.map((file) => new Request(file, { cache: 'no-cache' })))).then(() => skipWaiting()));
});

addEventListener('activate', (event) => {
  const old = (name) => name.startsWith(prefix) && name !== prefix + version;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

addEventListener('fetch', (event) => {
  const { request } = event;
  const kept = async (what) => (await opened()).match(what);
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => kept('./')));
  else if (request.method === 'GET') event.respondWith(kept(request).then((response) => response ?? fetch(request)));
});
