// Technical words, and what they mean.

import { html } from './html.js';

/** Explanations of terms, for users who have never trained a network. */
export const TERMS = {
  simulations: 'How many times a search tries a line of moves before it answers. More make a player stronger and slower; 0 asks the ' +
    'network alone.',
  truth: 'What perfect play makes of the move, worked out exactly. A plus wins and a minus loses; the larger the number, the sooner ' +
    'the win or the later the loss. 0 is a draw.',
  value: 'How the side to move stands after the move: +1 is a certain win, 0 is even, −1 is a certain loss. The best move is green; the ' +
    'greyer a move is, the more it gives away.',
  visits: 'How many of the simulations went through the move. The more visits, the better the search likes it.',
  prior: 'The share that the network gives the move before any search.',
  policy: 'The share that the network gives each move. All shares add up to 100 %.',
  'raw policy': 'The first impression of the network, without a search.',
  iteration: 'One round of training: the newest model plays games against itself, then learns from them.',
  Elo: 'A scale of strength. 100 points more win about 64 of 100 games, 400 points more about 91.',
  uct: 'A player that searches with random games and knows nothing but the rules.',
  alphabeta: 'A player that looks ahead, a number of plies or for a time, and estimates who is better.',
  solver: 'A player that plays perfectly, as far as it can solve the position in time.',
};

/**
 * A technical word with its explanation: in a title under the pointer, and in a box after a click.
 * @param {object} props name (a key of TERMS), id (of the box, one on the page), children (the word as it is shown, if another)
 */
export function Term({ name, id, children }) {
  return html`<button type="button" class="term" popovertarget=${id} title=${TERMS[name]}>${children || name}</button>
    <span id=${id} popover="auto" class="explained"><b>${name}</b>: ${TERMS[name]}</span>`;
}
