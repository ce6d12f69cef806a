// Package cluster lets workers on other machines play the games of a run.
//
// A game follows from its number, its model and the run's seed, so a run produces the same models, byte for byte,
// wherever its games are played. The trainer's Coordinator publishes a model, and gives each worker tasks of its own,
// which are ranges of game numbers. A Worker fetches its tasks, plays, and sends the games.
//
// Only the trainer's list of missing games is authoritative. NATS JetStream keeps its streams in memory, and the
// trainer republishes lost data. The trainer gives a worker at most twice the games that it plays at once, and more
// only when it returns some. When none are left to give, idle players also play what others have held for long, so no
// worker can stop a run while somebody else plays. The first valid record of a game counts.
//
// Workers may only take their own tasks, read settings and models, and send games and status under their own names. The
// trainer checks games against the rules and replays a random share.
package cluster
