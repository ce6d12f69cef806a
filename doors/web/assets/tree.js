// A game as a tree of variations, one node of which is on the board.

/**
 * A position in the tree.
 * @typedef {object} Node
 * @property {?string} move that led here, null at the root
 * @property {?Node} parent
 * @property {Node[]} children the variations, the first one played first
 * @property {?Node} next the child visited last, which continues the line
 * @property {number} ply moves since the start
 * @property {?object} position the server's answer for it, once it has come
 * @property {?object} judged the mistake of the move that led here, null if a sweep found none, undefined before
 */

/** All moves of a game, and the node on the board. */
export class Tree {
  constructor() {
    this.root = makeNode(null, null);
    this.node = this.root;
  }

  /** Goes to a node, and makes the line go through it. */
  go(node) {
    this.node = node;
    for (; node.parent; node = node.parent) node.parent.next = node;
  }

  /** The child of a node after a move, created if absent. */
  add(node, move) {
    let child = node.children.find((c) => c.move === move);
    if (!child) {
      child = makeNode(move, node);
      node.children.push(child);
      node.next ??= child;
    }
    return child;
  }

  /** Adds moves from the root and returns the last node. */
  addLine(moves) {
    return moves.reduce((node, move) => this.add(node, move), this.root);
  }

  /** The nodes from the root through the current one to the end of its line. */
  line() {
    const nodes = path(this.node);
    for (let node = this.node.next; node; node = node.next) nodes.push(node);
    return nodes;
  }

  /** The ends of all lines, in the order in which the lines came. */
  ends(node = this.root) {
    return node.children.length ? node.children.flatMap((c) => this.ends(c)) : [node];
  }
}

function makeNode(move, parent) {
  return { move, parent, children: [], next: null, ply: parent ? parent.ply + 1 : 0, position: null, judged: undefined };
}

/** The nodes from the root to a node, both included. */
export function path(node) {
  const nodes = [];
  for (; node; node = node.parent) nodes.unshift(node);
  return nodes;
}

/** The moves to a node as text: as the server writes them, once it has answered. */
export const notation = (node) => node.position?.moves ?? moves(node).join(' ');

/** The moves that lead to a node. */
export function moves(node) {
  return path(node).slice(1).map((n) => n.move);
}
