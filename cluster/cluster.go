// Package cluster lets workers on other machines play the games of a run.
//
// A Worker takes the settings and the newest model from the run's server, plays, and appends its games to the log there; a
// Coordinator is where the run that learns gets them from. Which games come, and in which order, depends on the speed of
// machines and networks, so such a run cannot be repeated from its configuration and seed. What can be repeated: each game
// follows from the run's seed, the worker's name, its number and its model. And the log decides: a run that is stopped or
// killed, and goes on, learns from the same games in the same order as if it had not been, and so comes to the same models (if
// max_model_age was not changed meanwhile).
//
// Workers may send games under their own names, and change nothing else on a run's server. Games are checked against the rules of the
// game, and a share of them is played again, see VerifyConfig. What workers say of themselves helps to deal out the work, as far as
// their games bear it out, and decides nothing else.
package cluster
