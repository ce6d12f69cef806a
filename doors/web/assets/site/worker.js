// The Web Worker of a page's engine. The first message has the program: it takes all that follow. See engine.js.
onmessage = async ({ data }) => {
  onmessage = null;
  globalThis.site = data.site;
  try {
    importScripts(data.glue); // defines Go
    const go = new Go();
    const instance = await WebAssembly.instantiate(data.module, go.importObject);
    await go.run(instance);
  } finally {
    postMessage({ stopped: true }); // the console says why
  }
};
