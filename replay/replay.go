// Package replay keeps finished games and serves training positions from them.
//
// A Game is the record of one self-play game: its moves, the visit counts and the value of each search, and how it
// ended. It has a compact binary form that is safe to read from anywhere. A Log keeps records in the order in which they
// arrived; a Window holds the newest positions of the run in memory and draws training batches from them.
//
// No encoded position is ever stored. A sample is rebuilt by replaying its game's moves, which costs nanoseconds a ply,
// and turned by a random symmetry of the board: planes, policy and legal moves together. So the window takes some tens
// of bytes a position, and a bug in an encoder cannot outlive a restart.
//
// The targets are AlphaZero's (Silver et al. 2018, Methods): pi, the visit counts of the search before temperature,
// normalised, and z, the outcome of the game for the side to move.
package replay
