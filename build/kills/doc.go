// Package kills ends the program with SIGKILL while it works, starts it again on the same data folder and checks
// that nothing was lost or done twice.
//
// The program is the real one, driven over HTTP and the WebSocket as by the window. It talks to a model service
// that speaks three wire formats and refuses what real services refuse, and to a server that counts the effects
// of calls by an id that is unique to each call. There are three kinds of kills: after a random time (which may
// be during the start); at the n-th write or flush of SQLite (a preloaded library counts them and kills before,
// after or in the middle of one); and right after something observed from outside: a request to the model, an
// effect, an event.
//
// After each kill the tests check that every event sent to the window is stored with the same bytes, that
// everything accepted over HTTP is in the log, that no conversation is refused, that each effect happened at most
// once and was reported to the model as done or as unknown, that every file is complete, and that no process is
// left. The whole data folder is checked every 50 kills.
//
// `make kills` kills the program a thousand times and prints the figures; `go test` kills it less often. A printed seed
// determines the kills; SEXTANT_SEED repeats them.
package kills
