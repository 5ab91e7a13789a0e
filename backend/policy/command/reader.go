package command

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/shared/excerpt"
)

// reader reads one script: the whole command line, or text in it that a shell runs. A copy of the reader reads the
// inner script.
type reader struct {
	bash.Expander
	*counters
	place   Location
	reading *Analysis
	// wrappers are the programs that run this script, outermost first. depth is the number of enclosing scripts.
	wrappers []string
	depth    int
	// declared are the functions that this script declares at its top level. functions are those declared so far.
	declared, functions map[string]bool
	// shadowed are the names of all functions that this script or an enclosing one declares. The output of a command
	// with such a name is unknown.
	shadowed map[string]bool
	stdin    stdin
}

type stdin struct {
	// files are the files whose names the left side of a pipe prints, nil if they are unknown.
	files []bash.Word
	// text is the whole input, nil if there is none or it is unknown.
	text  *string
	piped bool
}

// counters are shared by all scripts of one reading.
type counters struct {
	// remaining is how many more commands may be judged.
	remaining, findings       int
	warnings, commandWarnings int
	// judgeDepth is the number of simple commands being judged, each inside the one before.
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

func (r *reader) readScript(text string) {
	if r.depth > maxDepth {
		r.warn("Its commands are nested too deep to be read.")
		return
	}
	file, err := bash.Parse(text)
	if err != nil {
		r.warn("It cannot be read as a bash command: " + excerpt.Line(err.Error(), 80) + ".")
		return
	}
	outer := r.Text
	r.Text = text
	r.ReadAssignments(file)
	r.readFunctions(file)
	r.readList(file.Stmts)
	r.Text = outer
}

func (r *reader) readInnerShell(text string, wrappers ...string) {
	in := *r
	in.depth++
	in.declared, in.functions, in.stdin.files, in.stdin.text = nil, nil, nil, nil
	in.wrappers = slices.Concat(r.wrappers, wrappers)
	in.readScript(text)
}

func (r *reader) readFunctions(file *syntax.File) {
	all, top := bash.FunctionNames(file)
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
