// Light or dark: the system's choice until the user chooses. early.js applies the choice before the first paint.

import { remember } from './remember.js';

/** The current theme, "light" or "dark". */
export function theme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

/** Changes to the other theme and remembers it. Returns the new one. */
export function switchTheme() {
  const next = theme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  remember('theme', next);
  return next;
}

/** Calls f when the system's theme changes, until the returned function is called. */
export function onSystemTheme(f) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', f);
  return () => dark.removeEventListener('change', f);
}
