// Small pictures for buttons, drawn on a square of 24.

import { html } from './html.js';

const PATHS = {
  first: 'M6 5v14M18 5l-8 7 8 7',
  back: 'M15 5l-8 7 8 7',
  forth: 'M9 5l8 7-8 7',
  last: 'M18 5v14M6 5l8 7-8 7',
  play: 'M8 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  undo: 'M9 6 4 11l5 5M4 11h10a6 6 0 0 1 0 12h-3',
  hint: 'M9 18h6M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.7.6 1.1 1.3 1.1 2.2h5c0-.9.4-1.6 1.1-2.2A6 6 0 0 0 12 3z',
  flag: 'M6 21V4M6 4h11l-2 4 2 4H6',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5',
  swap: 'M7 4v16M7 20l-3-3M7 20l3-3M17 20V4M17 4l-3 3M17 4l3 3',
  turn: 'M4 12a8 8 0 0 1 13.7-5.6L20 9M20 4v5h-5M20 12a8 8 0 0 1-13.7 5.6L4 15M4 20v-5h5',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6z',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  sun: 'M12 7.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3 19 19M19 5l-1.7 1.7M6.7 17.3 5 19',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
};

/** The icon with a name. Screen readers skip it and read its button's label. */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

/** A button with an icon. label is its accessible name, text an optional visible text, keys its keyboard shortcut. */
export function IconButton({ icon, label, text, keys, kind, ...rest }) {
  return html`<button type="button" class=${`button ${text ? '' : 'square'} ${kind || ''}`} aria-label=${label}
    title=${keys ? `${label} (${keys})` : label} ...${rest}><${Icon} name=${icon} />${text && html`<span>${text}</span>`}</button>`;
}
