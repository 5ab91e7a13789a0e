// Package command reads a bash command before it runs and describes what it would do: which programs it starts, which
// files and hosts they use, and what the person should be warned of. The policy uses the description to decide whether
// to ask, and the approval shows it.
//
// Analyze is a pure function of the command and the place where it would run. It reads the whole syntax tree, text that
// is passed to eval or sh -c, and the operands of programs that start other programs. What it cannot judge causes a
// warning.
//
// It is not the sandbox: a command that deceives it still runs confined, and without a sandbox the policy asks about
// every command. It opens no file and follows no link. The
// paths that it returns are clean and absolute; the caller must resolve links.
package command

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/shared/toolspec"
)

const (
	maxDepth    = 10
	maxCommands = 2000
	maxFiles    = 500
)

// Location is where a command would run. Its paths are absolute and clean.
type Location struct {
	// Folder is the working directory. Home is the value of ~ and $HOME, "" if it is unknown.
	Folder, Home string
}

// Command is one simple command.
type Command struct {
	// Program is "git" for /usr/bin/git, "./run.sh" for a path outside the system's folders, and "" if it is known only
	// at run time.
	Program string
	// Subcommand is the subcommand, such as "commit", "" if there is none.
	Subcommand string
	// Args are the words after the program, without quotes as far as they are known.
	Args []string
	// Wrappers are the programs that start this command, outermost first.
	Wrappers []string
	// Text is the command as it was written. Inside a wrapper, it has no quotes.
	Text string
	// Harmless is true if the command only reads, and everything that it reads is known.
	Harmless bool
	// GrantName is the name of the command in a grant, such as "git commit". It is "" for a harmless command, inside a
	// wrapper, and if no name describes well enough what the command does.
	GrantName string
}

// Analysis describes what a command line would do.
type Analysis struct {
	Commands []Command
	// Files are the known uses of files. A path with * or ? in its last parts refers to every file that matches.
	Files []toolspec.FileUse
	// Folders are the working directories that the command changes to, without the first one. A path with * or ? refers
	// to every folder that matches.
	Folders []string
	// Hosts are the hosts that the command names, in lower case, as host or host:port. Network is true if the command
	// uses the network, even if it names no host.
	Hosts   []string
	Network bool
	// Warnings are sentences for the person.
	Warnings []string
	// Harmless is true if there is no warning, no file is changed and the network is not used.
	Harmless bool
	// Sentence summarizes the command in a few words: "Delete 3 files in build/". Question asks a person about it.
	Sentence, Question string
}

// Describe fills d with the sentence and with the facts that the policy uses. Links in file paths are not resolved.
func (r Analysis) Describe(d *toolspec.Description) {
	d.Sentence, d.Question, d.RunsProgram, d.Network = r.Sentence, r.Question, true, r.Network
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

// Analyze reads a command line as bash would. The result always has a sentence, even if the command does not parse.
func Analyze(command string, at Location) Analysis {
	out := &Analysis{}
	r := &reader{
		Expander: bash.Expander{Text: command, Home: at.Home, Folders: []string{filepath.Clean(at.Folder)}},
		counters: &counters{remaining: maxCommands}, place: at, reading: out,
	}
	r.readScript(command)
	out.Harmless = len(out.Warnings) == 0 && !out.Network && !changesFiles(out.Files)
	if r.warnings > r.commandWarnings {
		// A warning about the script belongs to no command, so no command's name describes enough for a grant.
		out.Commands = append(out.Commands, Command{Text: command})
		for i := range out.Commands {
			out.Commands[i].GrantName = ""
		}
	}
	out.Sentence = sentence(*out, command, at)
	out.Question = question(*out, command, at)
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
