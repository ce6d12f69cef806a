// The tools for components: preact renders, and htm parses HTML in template strings.

import { h, render, Component, Fragment } from './lib/preact.js';
import htm from './lib/htm.js';

/** A tagged template that makes preact elements: html`<b>${text}</b>`. */
export const html = htm.bind(h);

export { render, Component, Fragment };

/** Joins class names, leaving out those that are false. */
export const classes = (...names) => names.filter(Boolean).join(' ');
