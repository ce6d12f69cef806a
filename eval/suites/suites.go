// Package suites is the exams and the balanced openings that come with the program: files GAME.exam.txt.gz and
// GAME.openings.txt.gz, as grade.ReadSuite reads them. cmd/gen-suites makes them.
//
// connect4.exam has 500 positions for each half and part, a stage of the game and a difficulty, with the score of every move. They
// are of random games. There is a choice of moves, and, as in the sets that Pons published for solvers ("Solving Connect Four",
// part 2), neither side wins with one of the next two stones under perfect play. No two are the same or mirror images.
//
// gomoku.exam has 500 positions for each half and task, with the right moves. Where the task is to win, the side to move has a
// chain of fours that wins, each of which leaves one reply (package forced), and a move is right if the win can still be proven
// after it. Where it is to defend, the opponent would have such a chain if the side to move passed, and a move is right if the
// opponent then has none: at least one is, at most half of them are. The depth is the length of the shortest chain, in plies up
// to the stone that completes five: short 3 or 5, medium 7 or 9, long 11 and more. All proofs may try 100,000 moves.
//
// gomoku.openings has 100 openings for each half, of 3 to 6 stones near the centre. Neither side wins or threatens to by fours,
// and a quick player won about half of its games with either side.
//
// No two positions of gomoku are the same, turned or reflected, and no game gave positions to both halves.
package suites

import "embed"

// Files are the suites.
//
//go:embed *.gz
var Files embed.FS
