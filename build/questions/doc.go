// Package questions measures how often the mode Ask asks about commands, and whether its questions are true.
//
// The lists in testdata hold commands of everyday work and of cheat sheets, each with a letter: R reads or computes, W
// creates or changes files, D deletes some. They were written, and run, by somebody who did not know how Sextant
// decides. fixture.sh creates the folder that they run in.
package questions
