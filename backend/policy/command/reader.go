package command

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
)

// reader reads one text. A copy reads a text within it, such as that of sh -c.
type reader struct {
	bash.Expander
	*counters
	place   Place
	reading *Reading
	// wrappers are the wrappers around this text, depth the number of texts around it.
	wrappers []string
	depth    int
	// declared are the functions that this text declares at its top level, functions those whose declaration was read.
	declared, functions map[string]bool
	// shadowed are the names of all functions that this text or one around it declares: what a command of such a
	// name prints is not known.
	shadowed map[string]bool
	stdin    stdin
}

// stdin is what is known of standard input.
type stdin struct {
	// files are the files whose names the left side of a pipe prints, nil when they are not known.
	files []bash.Word
	// text is the whole input, nil when there is none or it is not known.
	text *string
	// piped says that it comes from another command or a file.
	piped bool
}

// counters count over all texts of one reading.
type counters struct {
	// remaining is how many commands may still be judged, findings how much was found that is not harmless.
	remaining, findings int
	// warnings are all warnings, commandWarnings those about a simple command and not the text itself.
	warnings, commandWarnings int
	// judgeDepth is how many simple commands are being judged, one inside of the other.
	judgeDepth int
}

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

// readScript reads a whole text in the current state.
func (r *reader) readScript(text string) {
	if r.depth > maxDepth {
		r.warn("Its commands are nested too deep to be read.")
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

// readInnerShell reads text that a wrapper passes to a new shell.
func (r *reader) readInnerShell(text string, wrappers ...string) {
	in := *r
	in.depth++
	in.declared, in.functions, in.stdin.files, in.stdin.text = nil, nil, nil, nil
	in.wrappers = slices.Concat(r.wrappers, wrappers)
	in.readScript(text)
}

// readFunctions learns which functions a text declares, before it is read.
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
