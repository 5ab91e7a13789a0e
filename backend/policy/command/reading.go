// Package command reads a bash command before it runs and says what it would do: which programs it starts, which files
// and hosts they use, and what a person should be warned of. The policy decides with it when to ask, and the approval
// shows it.
//
// The contract: Read is a pure function of the text and of where it would run. It looks at the syntax tree, at every
// simple command in it wherever that is (pipelines, lists, substitutions, functions, here-documents, loops, traps, text
// given to eval or sh -c), and through the wrappers that start other programs. What it cannot judge is a warning, never
// silence: a name that is known only when it runs, a program it does not know, text that does not parse. Several
// possible outcomes count as all of them.
//
// It is not the sandbox: a command that deceives this reading still runs confined. It opens no file and follows no
// link; paths are clean and absolute, and where they really lead is for the caller to find out.
//
// Below it, package bash reads words, package programs knows programs by name, package scripts reads the scripts of sed
// and awk, and package pipes what a pipe prints.
package command

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/shared/toolspec"
)

// Bounds of one reading: texts within texts, commands judged, files reported.
const (
	maxDepth    = 10
	maxCommands = 2000
	maxFiles    = 500
)

// Place is where a command would run. Its paths are absolute and clean.
type Place struct {
	// Folder is the working directory, Home what ~ and $HOME stand for.
	Folder, Home string
}

// Command is one simple command.
type Command struct {
	// Program is "git" for /usr/bin/git, "./run.sh" for a path outside of the system's folders, and "" when it is known
	// only when it runs.
	Program string
	// Subcommand is the subcommand of a program that has them: "commit".
	Subcommand string
	// Args are the words after the program, unquoted as far as they are known.
	Args []string
	// Wrappers are the wrappers it was found in, the outermost first.
	Wrappers []string
	// Text is the command as it was written, inside of wrappers without its quotes.
	Text string
	// Harmless is true when it only reads, and all that it reads is known.
	Harmless bool
	// GrantName is how a grant may name it ("git commit"), "" when no name says enough of what it does.
	GrantName string
}

// Reading is what a command would do.
type Reading struct {
	Commands []Command
	// Files are the uses of files that are known, each once, in order of mention. A path with * or ? in its last parts
	// stands for what matches.
	Files []toolspec.FileUse
	// Folders are those it changes to, each once, without the one it starts in. One with * or ? stands for what
	// matches.
	Folders []string
	// Hosts are those it names, in lower case, as host or host:port. Network says that it uses the network, also when
	// it names none.
	Hosts   []string
	Network bool
	// Warnings are sentences for the person.
	Warnings []string
	// Harmless is true when every command of it is.
	Harmless bool
	// Sentence says what it does in a few words: "Delete 3 files in build/".
	Sentence string
}

// Describe fills the description of a call that runs the command: its sentence, and the facts that the policy decides
// by. Links in the paths of files are not followed.
func (r Reading) Describe(d *toolspec.Description) {
	d.Present, d.RunsProgram, d.Network = r.Sentence, true, r.Network
	d.Files, d.Hosts, d.Warnings = r.Files, r.Hosts, r.Warnings
	d.Commands = nil
	for _, c := range r.Commands {
		use := toolspec.CommandUse{
			Program: strings.TrimSpace(c.Program + " " + c.Subcommand), Harmless: c.Harmless,
			Name: c.GrantName,
		}
		if !slices.Contains(d.Commands, use) {
			d.Commands = append(d.Commands, use)
		}
	}
}

// Read reads a command line as bash would at the place at. It always returns a Reading with a sentence.
func Read(command string, at Place) Reading {
	out := &Reading{}
	r := &reader{
		Expander: bash.Expander{Text: command, Home: at.Home, Folders: []string{filepath.Clean(at.Folder)}},
		counters: &counters{remaining: maxCommands}, place: at, reading: out,
	}
	r.readScript(command)
	out.Harmless = len(out.Warnings) == 0 && !out.Network && !changesFiles(out.Files)
	if r.warnings > r.commandWarnings {
		// A warning about the text itself belongs to no command, so no name says enough.
		out.Commands = append(out.Commands, Command{Text: command})
		for i := range out.Commands {
			out.Commands[i].GrantName = ""
		}
	}
	out.Sentence = sentence(*out, at)
	return *out
}

func changesFiles(files []toolspec.FileUse) bool {
	for _, f := range files {
		if f.Use != toolspec.UseRead {
			return true
		}
	}
	return false
}
