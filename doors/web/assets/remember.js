// What the page remembers on this device.

/** Returns the text that was remembered under a name: null if none was, or if the browser has no storage for the page. */
export function recall(name) {
  try {
    return localStorage.getItem(`tengen.${name}`);
  } catch {
    return null;
  }
}

/** Remembers a text under a name. Without storage, a choice lasts until the user leaves the page. */
export function remember(name, text) {
  try {
    localStorage.setItem(`tengen.${name}`, text);
  } catch {
    // The user has forbidden it.
  }
}
