// Package kills ends the program with SIGKILL in the middle of its work, starts it again on the
// same data folder and looks whether anything was lost or done twice.
//
// The program is the real one, built as it is shipped and driven over HTTP and the WebSocket as a
// window drives it. Around it stand a model service that speaks three wire formats and refuses
// what real ones refuse, and a server that counts the effects of calls, each by an id that only
// one call was given. Three kinds of moment are met: any (by the clock, starting included), the
// n-th time SQLite writes or flushes (a small library that is loaded before the program counts
// them and kills before, after or in the middle of one), and right after something that is known
// from outside: a question to the model, an effect, an event.
//
// After each kill: every event that was handed to the window is there with the same bytes; what
// was accepted over HTTP is in the log; no conversation is refused; each effect happened at most
// once and the model was told how it ended, or that nobody knows; every file is whole; nothing of
// the program or its browser is left. Now and then the data folder is read whole.
//
// `make kills` kills a thousand times and prints the figures; `go test` does a part. Which kills
// are made follows from a number that is printed (SEXTANT_SEED repeats it).
package kills
