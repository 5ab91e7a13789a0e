package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable is what is known of one name that the text assigns, from all places that do.
type variable struct {
	texts []string
	globs bool
	// unknown values come from somewhere that is not read here.
	unknown bool
	// holds are the stretches of the text where it has one of texts for certain; elsewhere it
	// may be empty too.
	holds []stretch
	// tricky values could hold a command that bash runs when it works them out as a number.
	tricky bool
}

type stretch struct{ from, to int }

// wild stands among the variables of a text in which any name may be assigned.
const wild = "*"

// note learns what a text assigns, before it is read.
func (r *reader) note(file *syntax.File) {
	r.vars = map[string]*variable{}
	notes := notes{r: r, found: map[string]*variable{}}
	notes.walk(file)
	// Once more, now that it is known which names have no fixed value.
	for name := range notes.found {
		r.vars[name] = &variable{unknown: true}
	}
	again := notes
	again.found = map[string]*variable{}
	again.walk(file)
	r.vars = again.found
	r.declared, r.functions = map[string]bool{}, map[string]bool{}
	shadowed := map[string]bool{}
	maps.Copy(shadowed, r.shadowed)
	syntax.Walk(file, func(node syntax.Node) bool {
		if f, is := node.(*syntax.FuncDecl); is && f.Name != nil {
			shadowed[f.Name.Value] = true
		}
		return true
	})
	r.shadowed = shadowed
	for _, stmt := range file.Stmts {
		if f, is := stmt.Cmd.(*syntax.FuncDecl); is && f.Name != nil && !stmt.Background {
			r.declared[f.Name.Value] = true
		}
	}
}

// assigned reports whether the text gives the name a value somewhere.
func (r *reader) assigned(name string) bool { return r.vars[name] != nil || r.vars[wild] != nil }

// lookup is what a variable may hold where it is used.
func (r *reader) lookup(name string, at int) (texts []string, globs, ok bool) {
	v := r.vars[name]
	switch {
	case r.vars[wild] != nil:
		return nil, false, false
	case v == nil && name == "HOME" && r.at.Home != "":
		return []string{r.at.Home}, false, true
	case v == nil && name == "PWD" && len(r.dirs) == 1:
		return r.dirs, false, true
	case v == nil || v.unknown:
		return nil, false, false
	}
	for _, s := range v.holds {
		if at >= s.from && at < s.to {
			return v.texts, v.globs, true
		}
	}
	return append(slices.Clone(v.texts), ""), v.globs, true
}

// notes walks a text for its assignments.
type notes struct {
	r     *reader
	found map[string]*variable
}

func (n *notes) of(name string) *variable {
	if n.found[name] == nil {
		n.found[name] = &variable{}
	}
	return n.found[name]
}

func (n *notes) lose(name string) {
	v := n.of(name)
	v.unknown, v.tricky = true, true
}

func (n *notes) walk(file *syntax.File) {
	sure := map[*syntax.Assign]int{}
	for _, stmt := range file.Stmts {
		if call, is := stmt.Cmd.(*syntax.CallExpr); is && len(call.Args) == 0 && !stmt.Background {
			for _, a := range call.Assigns {
				sure[a] = int(stmt.End().Offset())
			}
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.CallExpr:
			n.call(x, sure)
		case *syntax.DeclClause:
			for _, a := range x.Args {
				n.assign(a, -1)
				if a.Name == nil && a.Value != nil && strings.Contains(a.Value.Lit(), "n") {
					n.lose(wild) // a name for another name
				}
			}
		case *syntax.ForClause:
			n.loop(x)
		case *syntax.ParamExp:
			if x.Exp != nil && (x.Exp.Op == syntax.AssignUnset || x.Exp.Op == syntax.AssignUnsetOrNull) &&
				x.Param != nil {
				n.lose(x.Param.Value)
			}
		case *syntax.BinaryArithm:
			if strings.HasSuffix(x.Op.String(), "=") {
				n.counted(x.X)
			}
		case *syntax.UnaryArithm:
			n.counted(x.X)
		case *syntax.Redirect:
			if x.N != nil && strings.HasPrefix(x.N.Value, "{") {
				n.lose(strings.Trim(x.N.Value, "{}"))
			}
		}
		return true
	})
}

// counted notes that a sum gives a variable a value, which is a number.
func (n *notes) counted(x syntax.ArithmExpr) {
	if w, is := x.(*syntax.Word); is && w.Lit() != "" {
		n.of(w.Lit()).unknown = true
	}
}

func (n *notes) call(call *syntax.CallExpr, sure map[*syntax.Assign]int) {
	if len(call.Args) == 0 {
		for _, a := range call.Assigns {
			from, is := sure[a]
			if !is {
				from = -1
			}
			n.assign(a, from)
		}
		return
	}
	switch call.Args[0].Lit() {
	case "", "eval", "source", ".", "trap", "builtin", "command", "enable", "alias":
		n.lose(wild)
	case "read", "mapfile", "readarray", "getopts", "unset", "printf", "wait", "let":
		for _, w := range call.Args[1:] {
			name, _, _ := strings.Cut(w.Lit(), "[")
			name, _, _ = strings.Cut(name, "=")
			if syntax.ValidName(name) {
				n.lose(name)
			} else if w.Lit() == "" {
				n.lose(wild)
			}
		}
		n.lose("REPLY")
		n.lose("MAPFILE")
	}
}

// assign notes one assignment; from is where it begins to hold for certain, -1 for nowhere.
func (n *notes) assign(a *syntax.Assign, from int) {
	if a.Name == nil {
		if a.Value != nil && !strings.HasPrefix(a.Value.Lit(), "-") {
			n.lose(wild)
		}
		return
	}
	v := n.of(a.Name.Value)
	if a.Naked {
		v.unknown = true
		return
	}
	if a.Append || a.Index != nil || a.Array != nil {
		n.lose(a.Name.Value)
		return
	}
	n.take(v, a.Value)
	if from >= 0 {
		v.holds = append(v.holds, stretch{from, 1 << 40})
	}
}

// take adds a value that v may have.
func (n *notes) take(v *variable, w *syntax.Word) {
	text := n.fixed(w)
	switch {
	case text.unknown:
		v.unknown = true
		v.tricky = v.tricky || !numeric(w)
	default:
		v.texts = append(append(v.texts, text.text), text.others...)
		v.tricky = v.tricky || strings.ContainsAny(text.text+strings.Join(text.others, ""), "[$`")
	}
}

// fixed is the value of a word from what never changes; the working directory may.
func (n *notes) fixed(w *syntax.Word) value {
	dirs := n.r.dirs
	n.r.dirs = nil
	defer func() { n.r.dirs = dirs }()
	v := n.r.one(w)
	v.glob = false // bash matches nothing in an assignment
	return v
}

func (n *notes) loop(x *syntax.ForClause) {
	iter, is := x.Loop.(*syntax.WordIter)
	if !is {
		return // the counter of (( )) is found as an assignment
	}
	v := n.of(iter.Name.Value)
	if x.Select || !iter.InPos.IsValid() {
		n.lose(iter.Name.Value)
		return
	}
	dirs := n.r.dirs
	n.r.dirs = nil
	defer func() { n.r.dirs = dirs }()
	for _, item := range n.r.words(iter.Items) {
		if item.unknown || len(v.texts) > maxAlternatives {
			n.lose(iter.Name.Value)
			return
		}
		v.texts = append(append(v.texts, item.text), item.others...)
		v.globs = v.globs || item.glob
		v.tricky = v.tricky || item.glob || strings.ContainsAny(item.text, "[$`")
	}
	if len(v.texts) > 0 {
		v.holds = append(v.holds, stretch{int(x.DoPos.Offset()), int(x.DonePos.Offset())})
	}
}

// numeric reports whether an unknown word can only be a number.
func numeric(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.Trim(p.Value, "0123456789+-") != "" {
				return false
			}
		case *syntax.ArithmExp:
		case *syntax.DblQuoted:
			if !numeric(&syntax.Word{Parts: p.Parts}) {
				return false
			}
		case *syntax.ParamExp:
			if !p.Length && (p.Param == nil || !strings.Contains("#?$!", p.Param.Value)) {
				return false
			}
		case *syntax.CmdSubst:
			if !counts(p) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// counts reports whether a substitution ends in a program that prints only numbers.
func counts(p *syntax.CmdSubst) bool {
	if len(p.Stmts) != 1 {
		return false
	}
	cmd := p.Stmts[0].Cmd
	if pipe, is := cmd.(*syntax.BinaryCmd); is && pipe.Op == syntax.Pipe {
		cmd = pipe.Y.Cmd
	}
	call, is := cmd.(*syntax.CallExpr)
	return is && len(call.Args) > 0 && slices.Contains([]string{"wc", "nproc", "id", "expr"}, call.Args[0].Lit()) &&
		len(call.Args) < 3
}
