package games

import "embed"

// suites holds the built-in exams, published endgames and balanced openings: files GAME.exam.txt.gz,
// GAME.ffo.txt.gz and GAME.openings.txt.gz in the format of grade.ReadSuite. Program lab/gen-suites of commit 875eb49f
// drew the exams and openings.
//
// connect4.exam has 500 positions for each half and part (a stage and a difficulty), from random games, with the score
// of every move. There is a choice of moves, and, as in the sets of Pons ("Solving Connect Four", part 2), neither side
// wins with one of the next two stones under perfect play. No two are equal or mirror images.
//
// gomoku.exam has 500 positions for each half and task, with the right moves. To win, the side to move has a winning
// chain of fours, each of which allows one reply (package forced), and a right move keeps the win provable. To defend,
// the opponent would have such a chain after a pass, and a right move leaves none; at least one move and at most half
// of them are right. The depth is the length of the shortest chain, in plies up to the stone that completes five: short
// 3 or 5, medium 7 or 9, long 11 and more. All proofs may try 100,000 moves.
//
// othello.ffo has the endgames 1 to 49 of the FFO test, in its three groups, with the published margin of every move in
// discs. A margin counts the squares that stay empty for the winner. All belong to the half final.
//
// gomoku.openings has 100 openings for each half, of 3 to 6 stones near the centre. Neither side wins or threatens to
// win by fours, and a quick player won about half of its games with either side.
//
// No gomoku position is a reflection or rotation of another, and no game contributed to both halves.
//
//go:embed *.gz
var suites embed.FS
