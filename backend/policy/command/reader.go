package command

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
)

// reader is the state of one text that is read.
type reader struct {
	bash.Expander
	*counters
	place   Place
	reading *Reading
	// wrappers are the wrappers around this text, and depth how deep it stands in others.
	wrappers []string
	depth    int
	// declared are the functions of this text that are there once their declaration was
	// passed, functions those that were.
	declared, functions map[string]bool
	// shadowed are the names of all functions that this text or one around it declares
	// anywhere: what a command of such a name prints is not known.
	shadowed map[string]bool
	// inputFiles is what the left side of a pipe hands over as names of files, nil for not known.
	inputFiles []bash.Word
	// inputText is the literal text on standard input, nil for none or unknown text.
	inputText *string
	// inputPiped says that standard input comes from another command or a file.
	inputPiped bool
}

// counters is kept across all texts of one reading: commands that may still be judged, how much
// was found that is more than harmless, and how many warnings, of those inside of commands.
type counters struct{ remaining, findings, warnings, commandWarnings, judgeDepth int }

func (r *reader) warn(sentence string) {
	r.findings++
	r.warnings++
	if r.judgeDepth > 0 {
		r.commandWarnings++
	}
	for _, w := range r.reading.Warnings {
		if w == sentence {
			return
		}
	}
	r.reading.Warnings = append(r.reading.Warnings, sentence)
}

// readScript reads a whole text in the state the reader is in.
func (r *reader) readScript(text string) {
	if r.depth > maxDepth {
		r.warn("It holds commands within commands, too deep to be read.")
		return
	}
	file, err := bash.Parse(text)
	if err != nil {
		r.warn("It cannot be read as a bash command: " + bash.Shorten(err.Error()) + ".")
		return
	}
	outer := r.Text
	r.Text = text
	r.ReadAssignments(file)
	r.readFunctions(file)
	r.readList(file.Stmts)
	r.Text = outer
}

// readInnerShell reads text that a wrapper hands to a shell of its own.
func (r *reader) readInnerShell(text string, through ...string) {
	in := *r
	in.depth++
	in.declared, in.functions, in.inputFiles, in.inputText = nil, nil, nil, nil
	in.wrappers = append(append([]string{}, r.wrappers...), through...)
	in.readScript(text)
}

// readFunctions notes which functions a text declares, before it is read.
func (r *reader) readFunctions(file *syntax.File) {
	all, top := bash.Functions(file)
	shadowed := maps.Clone(r.shadowed)
	if shadowed == nil {
		shadowed = map[string]bool{}
	}
	for _, name := range all {
		shadowed[name] = true
	}
	r.shadowed, r.declared, r.functions = shadowed, map[string]bool{}, map[string]bool{}
	for _, name := range top {
		r.declared[name] = true
	}
}
