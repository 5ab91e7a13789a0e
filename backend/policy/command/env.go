package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// plainNames are variables of the environment that change how a program shows things and
// not what it does.
var plainNames = []string{
	"LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "CI",
	"DEBUG",
	"VERBOSE", "GOOS", "GOARCH", "CGO_ENABLED", "GOMAXPROCS", "NODE_ENV", "RUST_BACKTRACE", "PYTHONUNBUFFERED",
	"PYTHONDONTWRITEBYTECODE",
	"GIT_PAGER_IN_USE", "SOURCE_DATE_EPOCH", "POSIXLY_CORRECT", "BLOCK_SIZE", "TIME_STYLE", "QUOTING_STYLE",
}

// steering reports whether a variable decides what programs run or where they look.
func steering(name string) bool {
	if slices.Contains([]string{
		"ENV", "IFS", "HOME", "SHELL", "VISUAL", "BROWSER", "PS0", "PS1", "PS2", "PS4", "GLOBIGNORE", "EXECIGNORE",
		"FIGNORE", "PWD", "OLDPWD",
		"SHELLOPTS", "TMPDIR", "TERMINFO", "DISPLAY", "CC", "CXX", "LD", "AR",
	}, name) {
		return true
	}
	for _, begins := range []string{
		"LD_", "DYLD_", "BASH", "GIT_", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_", "npm_",
		"JAVA", "_JAVA", "JDK_", "LESS", "GCONV", "SSH_", "XDG_", "DBUS_", "MAKE", "CARGO", "RUST", "GO", "SUDO_",
		"MAN", "ZDOT", "INPUTRC", "LOCALE", "MALLOC", "GLIBC", "PIP_", "DOCKER", "KUBE",
	} {
		if strings.HasPrefix(name, begins) {
			return true
		}
	}
	for _, ends := range []string{
		"PATH", "_OPTIONS", "OPTS", "OPT", "PAGER", "EDITOR", "_COMMAND", "_CMD", "_WRAPPER",
		"PROXY", "proxy", "FLAGS", "_RC", "_DIR", "_CONFIG", "ASKPASS", "_SHELL",
	} {
		if strings.HasSuffix(name, ends) {
			return true
		}
	}
	return false
}

// holdsCommand reports whether a text holds what bash would run when it reads it again.
func holdsCommand(s string) bool {
	return strings.Contains(s, "$(") || strings.Contains(s, "`") || strings.Contains(s, "@P}")
}

// assignment judges NAME=value, before a command (given to it) or alone.
func (r *reader) assignment(a *syntax.Assign, before bool) {
	if a.Name == nil {
		return
	}
	if a.Index != nil {
		r.sum(a.Index)
	}
	r.variable(a.Name.Value, before)
	if a.Value != nil {
		if v := r.one(a.Value); holdsCommand(v.text) || slices.ContainsFunc(v.others, holdsCommand) {
			r.warn("“" + a.Name.Value + "” holds text that the shell may run as a command.")
		}
	}
}

// variable judges a name that gets a value; given ones go to other programs.
func (r *reader) variable(name string, given bool) {
	lower := strings.ToLower(name) == name && !strings.HasSuffix(name, "proxy")
	switch {
	case slices.Contains(plainNames, name), strings.HasPrefix(name, "LC_"):
	case steering(name), given && !lower:
		r.warn("It sets " + name + ", which decides how other programs behave.")
	}
}

// declaration judges export, declare, local, readonly and typeset.
func (r *reader) declaration(x *syntax.DeclClause) {
	r.inside(x)
	number, exports := false, x.Variant.Value == "export"
	for _, a := range x.Args {
		if a.Name != nil {
			continue
		}
		v := r.one(a.Value)
		switch {
		case !v.sure() || !strings.HasPrefix(v.text, "-") && !strings.HasPrefix(v.text, "+"):
			r.warn("Which variable it declares shows only when it runs: " + short(r.source(x)) + ".")
		case strings.ContainsAny(v.text, "n"):
			r.warn("It declares a name for another variable: " + short(r.source(x)) + ".")
		}
		number = number || strings.Contains(v.text, "i")
		exports = exports || strings.Contains(v.text, "x")
	}
	for _, a := range x.Args {
		if a.Name == nil {
			continue
		}
		r.assignment(a, exports && !a.Naked)
		if number && a.Value != nil && !numeric(a.Value) {
			r.warn("“" + a.Name.Value + "” is worked out as a number, and what it holds could be a command.")
		}
	}
}

// spoken is the text that the left side of a pipe prints, nil for not known.
func (r *reader) spoken(stmt *syntax.Stmt) *string {
	x, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || len(x.Args) == 0 || r.shadowed[x.Args[0].Lit()] {
		return nil
	}
	switch x.Args[0].Lit() {
	case "echo":
		var texts []string
		for _, v := range r.words(x.Args[1:]) {
			if !v.sure() || strings.HasPrefix(v.text, "-") || strings.Contains(v.text, `\`) {
				return nil
			}
			texts = append(texts, v.text)
		}
		if len(stmt.Redirs) > 0 {
			return nil
		}
		all := strings.Join(texts, " ") + "\n"
		return &all
	case "cat":
		if len(x.Args) == 1 && len(stmt.Redirs) == 1 && stmt.Redirs[0].Hdoc != nil {
			return text(r.one(stmt.Redirs[0].Hdoc))
		}
	}
	return nil
}

// feeds are the files whose names the left side of a pipe prints, nil for not known.
func (r *reader) feeds(stmt *syntax.Stmt) []value {
	if len(stmt.Redirs) > 0 {
		return nil
	}
	if pipe, is := stmt.Cmd.(*syntax.BinaryCmd); is {
		if pipe.Op != syntax.Pipe || !filters(r, pipe.Y) {
			return nil
		}
		return r.feeds(pipe.X)
	}
	x, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || len(x.Args) == 0 {
		return nil
	}
	words := r.words(x.Args)
	for _, w := range words {
		if w.unknown || len(w.others) > 0 {
			return nil
		}
	}
	if r.shadowed[words[0].text] {
		return nil
	}
	var roots []value
	switch words[0].text {
	case "find":
		roots = findRoots(words[1:])
		if slices.ContainsFunc(words, func(w value) bool { return w.text == "-printf" }) {
			return nil
		}
	case "git":
		if len(words) < 2 || words[1].text != "ls-files" {
			return nil
		}
	case "ls":
		if len(words) > 1 {
			return nil
		}
	case "grep", "egrep", "fgrep", "rg":
		q := parser{options: spec(programs[words[0].text].options)}
		got := q.parse(words[1:])
		if !got.has("files-with-matches", "files-without-match") {
			return nil
		}
		if len(got.operands) > 1 {
			roots = got.operands[1:]
		}
	default:
		return nil
	}
	if len(roots) == 0 {
		roots = []value{literal(".")}
	}
	all := make([]value, 0, len(roots))
	for _, root := range roots {
		all = append(all, value{
			text: strings.TrimSuffix(root.text, "/") + "/*", shown: "every file in " + root.shown,
			glob: true,
		})
	}
	return all
}

// findRoots are the words of find before its expression.
func findRoots(words []value) []value {
	var roots []value
	for _, w := range words {
		switch {
		case w.text == "-L" || w.text == "-P" || w.text == "-H":
		case strings.HasPrefix(w.text, "-"), w.text == "(", w.text == "!":
			return roots
		default:
			roots = append(roots, w)
		}
	}
	return roots
}

// filters reports whether a command passes lines on unchanged.
func filters(r *reader, stmt *syntax.Stmt) bool {
	x, is := stmt.Cmd.(*syntax.CallExpr)
	if !is || len(x.Args) == 0 || len(stmt.Redirs) > 0 {
		return false
	}
	words := r.words(x.Args)
	if len(words) == 0 || !words[0].sure() || r.shadowed[words[0].text] {
		return false
	}
	switch words[0].text {
	case "sort", "head", "tail", "uniq", "grep":
		q := parser{options: spec(programs[words[0].text].options)}
		got := q.parse(words[1:])
		most := 0
		if words[0].text == "grep" {
			most = 1
		}
		return len(got.operands) <= most && !got.has("only-matching", "null-data")
	}
	return false
}
