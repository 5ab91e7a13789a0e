// Package shell reads a bash command before it runs and says what it would do: which
// programs, on which files, with which hosts, and what a person should be warned of. The
// policy decides with it when to ask, and the approval shows it.
//
// The contract: Read is a pure function of the text and of where it would run. It looks at
// the syntax tree, at every simple command of it wherever that stands (pipelines, lists,
// substitutions, functions, here-documents, loops, traps, text given to eval or sh -c), and
// through the wrappers that start other programs. What it cannot judge is a warning, never
// silence: a name that is only known when it runs, a program it does not know, text that
// does not parse. Several possible outcomes count as all of them.
//
// It is not the sandbox: a command that deceives this reading still runs confined. It opens
// no file and follows no link; paths are clean and absolute, and what they really lead to is
// for the caller to find out.
package command

import (
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/shared/toolspec"
)

// Bounds of one reading: bytes of text, texts within texts, commands judged, brackets within
// brackets, files told.
const (
	maxText     = 64 << 10
	maxDepth    = 10
	maxCommands = 2000
	maxNested   = 200
	maxFiles    = 500
)

// Place is where a command would run. Both are absolute and clean.
type Place struct {
	// Folder is the working directory, Home what ~ and $HOME stand for.
	Folder, Home string
}

// Command is one simple command.
type Command struct {
	// Program is what is looked up: "git" for /usr/bin/git, "./run.sh" for a path elsewhere,
	// "" when it is only known when it runs.
	Program string
	// Sub is the subcommand of a program that has them: "commit".
	Sub string
	// Args are the words after the program, unquoted as far as they are known.
	Args []string
	// Through are the wrappers it was found in, the outermost first.
	Through []string
	// Text is the command as it was written, inside of wrappers without its quotes.
	Text string
	// Harmless is true when it only reads, and reads what is known.
	Harmless bool
	// Name is how a standing answer may call it, "git commit", and "" when no name tells
	// enough of what it does.
	Name string
}

// Reading is what a command would do.
type Reading struct {
	Commands []Command
	// Files are the uses of files that are known, each once, in order of mention. A path with
	// * or ? in its last parts stands for what matches.
	Files []toolspec.FileUse
	// Folders are those it goes to (cd), each once, besides the one it starts in: what names no
	// file reads there. One with * or ? stands for what matches.
	Folders []string
	// Hosts are those it names, lower case, host or host:port. Network says that it wants to
	// reach some.
	Hosts   []string
	Network bool
	// Warnings are sentences for a person.
	Warnings []string
	// Harmless is true when every command of it is.
	Harmless bool
	// Sentence says it in a few words: "Delete 3 files in build/".
	Sentence string
}

// Describe fills the facts of a call that runs the command: its sentence, and what the policy
// decides by. Links in the files' paths are not followed yet.
func (r Reading) Describe(d *toolspec.Description) {
	d.Present, d.RunsProgram, d.Network = r.Sentence, true, r.Network
	d.Files, d.Hosts, d.Warnings = r.Files, r.Hosts, r.Warnings
	d.Commands = nil
	for _, c := range r.Commands {
		use := toolspec.CommandUse{
			Program: strings.TrimSpace(c.Program + " " + c.Sub), Harmless: c.Harmless,
			Name: c.Name,
		}
		if !slices.Contains(d.Commands, use) {
			d.Commands = append(d.Commands, use)
		}
	}
}

// Read reads a command line as bash would at this place.
func Read(command string, at Place) Reading {
	out := &Reading{}
	r := &reader{
		at: at, out: out, tally: &tally{left: maxCommands}, dirs: []string{filepath.Clean(at.Folder)},
		text: command,
	}
	r.script(command)
	out.Harmless = len(out.Warnings) == 0 && !out.Network && !changes(out.Files)
	if r.warned > r.warnedInside {
		// A warning about the text itself is no command's alone: then no name tells enough.
		out.Commands = append(out.Commands, Command{Text: command})
		for i := range out.Commands {
			out.Commands[i].Name = ""
		}
	}
	out.Sentence = sentence(*out, at)
	return *out
}

// reader is the state of one text that is read.
type reader struct {
	at  Place
	out *Reading
	*tally
	text string
	// dirs are the possible working directories, none when they are not known.
	dirs []string
	// through are the wrappers around this text, and depth how deep it stands in others.
	through []string
	depth   int
	vars    map[string]*variable
	// declared are the functions of this text that are there once their declaration was
	// passed, functions those that were.
	declared, functions map[string]bool
	// shadowed are the names of all functions that this text or one around it declares
	// anywhere: what a command of such a name prints is not known.
	shadowed map[string]bool
	// fed is what the left side of a pipe hands over as names of files, nil for not known.
	fed []value
	// input is the literal text on standard input, nil for none or unknown text.
	input *string
	// piped says that standard input comes from another command or a file.
	piped bool
}

// tally is kept across all texts of one reading: commands that may still be judged, how much
// was found that is more than harmless, and how many warnings, of those inside of commands.
type tally struct{ left, marks, warned, warnedInside, judging int }

func (r *reader) warn(sentence string) {
	r.marks++
	r.warned++
	if r.judging > 0 {
		r.warnedInside++
	}
	for _, w := range r.out.Warnings {
		if w == sentence {
			return
		}
	}
	r.out.Warnings = append(r.out.Warnings, sentence)
}

// script reads a whole text in the state the reader is in.
func (r *reader) script(text string) {
	if r.depth > maxDepth {
		r.warn("It holds commands within commands, too deep to be read.")
		return
	}
	file, err := parse(text)
	if err != nil {
		r.warn("It cannot be read as a bash command: " + err.Error() + ".")
		return
	}
	outer := r.text
	r.text = text
	r.note(file)
	r.list(file.Stmts)
	r.text = outer
}

// inner reads text that a wrapper hands to a shell of its own.
func (r *reader) inner(text string, through ...string) {
	in := *r
	in.depth++
	in.vars, in.declared, in.functions, in.fed, in.input = nil, nil, nil, nil, nil
	in.through = append(append([]string{}, r.through...), through...)
	in.script(text)
}

// readError is text that bash would not take, or that is too much to read.
type readError string

func (e readError) Error() string { return string(e) }

func parse(text string) (file *syntax.File, err error) {
	switch {
	case len(text) > maxText:
		return nil, readError("it is longer than 64 KB")
	case strings.ContainsRune(text, 0):
		return nil, readError("it holds a zero byte")
	case nesting(text) > maxNested:
		return nil, readError("it is nested too deep")
	}
	defer func() {
		if caught := recover(); caught != nil {
			file, err = nil, readError("the parser gave up")
		}
	}()
	file, err = syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, readError(short(err.Error()))
	}
	if !remarksStandAlone(file, text) {
		return nil, readError("a # stands where bash may read it as text or as a remark")
	}
	return file, nil
}

// remarksStandAlone reports whether every remark begins where a word could. In substitutions
// the parser takes the # of "a"#b for a remark, and bash goes on to run what follows it.
func remarksStandAlone(file *syntax.File, text string) bool {
	alone := true
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, is := n.(*syntax.Comment); is {
			at := int(c.Hash.Offset())
			alone = alone && (at == 0 || at < len(text) && strings.IndexByte(" \t\n;&|(", text[at-1]) >= 0)
			alone = alone && (at < 2 || text[at-2] != '\\')
		}
		return true
	})
	return alone
}

// nesting bounds how deep a parser could descend: each opening character may be one level.
func nesting(text string) int {
	depth, most := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '`', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
		most = max(most, depth)
	}
	for _, word := range []string{"if ", "while ", "until ", "for ", "case ", "! ", "time "} {
		most = max(most, strings.Count(text, word))
	}
	return most
}

func changes(files []toolspec.FileUse) bool {
	for _, f := range files {
		if f.Use != toolspec.UseRead {
			return true
		}
	}
	return false
}

// short cuts what a question quotes.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}
