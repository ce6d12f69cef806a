// The keyboard: what each key does on each page, and the list that ? shows.

import { nextMistake, toggleRaw, toggleThinking, toggleTruth, tryMove, visit as visitAnalysed } from './analysis.js';
import { flip, hint, newGame, humanMayMove, personPlays, takeBack, toggleRunning, visit as visitPlayed } from './match.js';
import { recall, remember } from './remember.js';
import { along, beside, position } from './session.js';
import { state, update } from './store.js';

const inPlay = () => state.page === 'play';
const onBoard = () => (state.page === 'play' || state.page === 'analyse') && position();
const go = (node) => (inPlay() ? visitPlayed(node) : visitAnalysed(node));

/** The shortcuts: their keys as in KeyboardEvent.key, their words in the list, when they apply, and what they do. */
export const KEYS = [
  { keys: [...'123456789'], shown: '1 – 9', text: 'drop a disc into a column', when: () => onBoard() && position().drops, does: drop },
  { keys: ['ArrowLeft'], shown: '←', text: 'one move back', when: onBoard, does: () => go(along(-1)) },
  { keys: ['ArrowRight'], shown: '→', text: 'one move on', when: onBoard, does: () => go(along(1)) },
  { keys: ['Home'], shown: 'Home', text: 'to the start', when: onBoard, does: () => go(along(-Infinity)) },
  { keys: ['End'], shown: 'End', text: 'to the end', when: onBoard, does: () => go(along(Infinity)) },
  { keys: ['ArrowUp'], shown: '↑', text: 'previous variation', when: onBoard, does: () => go(beside(-1)) },
  { keys: ['ArrowDown'], shown: '↓', text: 'next variation', when: onBoard, does: () => go(beside(1)) },
  { keys: [' '], shown: 'Space', text: 'think, or stop thinking', when: onBoard, does: () => (inPlay() ? toggleRunning() : toggleThinking()) },
  { keys: ['f'], shown: 'f', text: 'turn the board', when: onBoard, does: flip },
  { keys: ['n'], shown: 'n', text: 'new game', when: () => inPlay() && state.game, does: () => newGame(state.game) },
  { keys: ['u'], shown: 'u', text: 'take a move back', when: () => inPlay() && position(), does: takeBack },
  { keys: ['h'], shown: 'h', text: 'hint', when: () => inPlay() && humanMayMove(), does: hint },
  { keys: ['r'], shown: 'r', text: 'show the raw policy, or the search again', when: () => state.page === 'analyse', does: toggleRaw },
  { keys: ['t'], shown: 't', text: 'show or hide the truth', when: () => state.page === 'analyse', does: toggleTruth },
  { keys: ['m'], shown: 'm', text: 'next mistake', when: () => state.page === 'analyse' && position(), does: nextMistake },
  { keys: ['?'], shown: '?', text: 'show this list', when: () => true, does: () => update({ dialog: 'keys' }) },
];

/** Keys in the list that the browser, the board or a dialog handles. */
export const BOARD_KEYS = [
  { shown: 'Tab', text: 'to the board, and on to the next button' },
  { shown: '← ↑ → ↓', text: 'from cell to cell' },
  { shown: 'Enter', text: 'play there, or select the piece' },
  { shown: 'Esc', text: 'close what is open, or let go of the piece' },
];

function drop(key) {
  const move = position().legal.find((l) => l.move === key);
  if (!move) return;
  if (inPlay()) personPlays(key);
  else tryMove(key);
}

/** Whether the focused element uses the key itself, as text fields, lists and sliders do. */
function taken(event) {
  const { target, key } = event;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return true;
  return key === ' ' && /^(BUTTON|SUMMARY|A)$/.test(target.tagName);
}

let letters = recall('letters') !== 'off';

/** Whether single characters are shortcuts. Users of speech input can turn them off (WCAG 2.1.4). */
export const lettersAreKeys = () => letters;

/** Turns single-character shortcuts on or off, and stores the choice. */
export function switchLetters() {
  letters = !letters;
  remember('letters', letters ? 'on' : 'off');
  update({});
}

/** Listens to the keyboard. */
export function listenToKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || taken(event) || state.dialog) return;
    if (!letters && /^\S$/.test(event.key)) return;
    const entry = KEYS.find((k) => k.keys.includes(event.key) && k.when());
    if (!entry) return;
    event.preventDefault();
    entry.does(event.key);
  });
}
