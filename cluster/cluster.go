// Package cluster keeps finished games and models in NATS JetStream, so that a run outlives the process and can be spread
// over several machines.
//
// A Server is a NATS server inside the process, which stores everything in a folder and opens no port unless told to;
// Dial connects to one elsewhere, or to a cluster of three. The rest is the same for both: a Log holds one message for
// each finished game, Models the newest models.
//
// Workers play the games of a run on other machines: a Worker takes the settings and the newest model from the server, plays,
// and appends its games to the log; a Coordinator is where the run that learns gets them from. Which games come, and in which
// order, depends then on the speed of machines and networks, so such a run cannot be repeated from its configuration and
// seed. What can be repeated: each game follows from the run's seed, the worker's name, its number and its model. And the log
// decides: a run that is stopped or killed, and goes on, learns from the same games in the same order as if it had not been,
// and so comes to the same models (if max_model_age was not changed meanwhile).
//
// Whoever has the token may do everything on a run's server; games are checked against the rules of the game, and no more.
//
// What an acknowledged game is worth: Append returns after the server has written the message, and synced the file, and
// has noted the sequence number in a second place. From then on the game survives the death of every process and a
// loss of power. A disk that loses or changes bytes later is found out by checksums: of the server's records, of the
// envelope, of the game's record. A Server repairs its files when it starts, so that one bad byte costs one game, and
// the Log reports every lost game by its sequence number. An external server that is not replicated gives up the rest of
// the file behind a bad byte (up to 8 MB), which is reported in the same way; with three replicas it gets it back.
package cluster
