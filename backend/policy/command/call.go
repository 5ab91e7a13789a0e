package command

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/shared/toolspec"
)

// call is one simple command while it is judged.
type call struct {
	r *reader
	// name is the program, words all words from the program on, text the command as written.
	name  string
	words []value
	text  string
	// sub and label become Command.Sub and Command.Name.
	sub, label string
}

// call reads a simple command of the syntax tree.
func (r *reader) call(x *syntax.CallExpr) {
	r.inside(x)
	for _, a := range x.Assigns {
		r.assignment(a, len(x.Args) > 0)
	}
	if len(x.Args) == 0 {
		return
	}
	words := r.words(x.Args)
	if len(words) == 0 || len(x.Args) > 0 && words[0].loose {
		r.warn("What runs is only known when it runs: " + short(r.source(x)) + ".")
		r.out.Commands = append(r.out.Commands, Command{Text: r.source(x), Through: r.through})
		return
	}
	r.judge(words, r.source(x))
}

// judge reads a command that is given as its words.
func (r *reader) judge(words []value, text string) {
	if r.left--; r.left < 0 {
		r.warn("It is too long to be read to its end.")
		return
	}
	if len(words) == 0 {
		return
	}
	marks, at := r.marks, len(r.out.Commands)
	c := &call{r: r, words: words, text: text}
	r.out.Commands = append(r.out.Commands, Command{Text: text, Through: slices.Clone(r.through)})
	r.judging++
	if words[0].sure() {
		c.name = program(words[0].text)
		c.run()
	} else {
		r.warn("“" + short(words[0].shown) + "” decides what runs, and that is only known when it runs.")
	}
	r.judging--
	cmd := &r.out.Commands[at]
	cmd.Program, cmd.Sub, cmd.Harmless = c.name, c.sub, r.marks == marks
	if !cmd.Harmless && len(r.through) == 0 {
		cmd.Name = c.label
	}
	for _, w := range words[1:] {
		arg := w.text
		if !w.sure() {
			arg = w.shown
		}
		cmd.Args = append(cmd.Args, arg)
	}
}

// program is the name a program is known by: without its folder when that is the system's.
func program(s string) string {
	if !strings.Contains(s, "/") {
		return s
	}
	switch path.Dir(path.Clean(s)) {
	case "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin":
		return path.Base(s)
	}
	return s
}

func (c *call) run() {
	special := specials(c.name)
	p, known := programs[c.name]
	if special == nil && !known && c.r.functions[c.words[0].text] {
		// Its body was judged where it stands. Where a known program has that name, either may
		// be meant.
		return
	}
	if special != nil {
		special(c)
		if c.r.shadowed[c.name] && slices.Contains([]string{"cd", "pushd", "popd"}, c.name) {
			c.r.dirs = nil
		}
		return
	}
	if !known {
		c.label = c.name
		c.warn("“" + short(c.name) +
			"” is not a program that is known here, so what it does cannot be told beforehand.")
		return
	}
	c.table(p)
}

// table judges a program by its entry.
func (c *call) table(p entry) {
	if c.asksVersion() {
		return
	}
	warned := c.r.warned
	q := parser{options: spec(p.options)}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	c.operands(p.operands, got.operands)
	told := c.r.warned == warned
	if p.warn != "" {
		c.warn(c.name + " " + p.warn + ".")
	}
	if p.named && told && !slices.ContainsFunc(got.options,
		func(o given) bool { return o.role == roleWarn || o.role == roleProgram }) {
		c.label = c.name
	}
}

// asksVersion reports whether a program only tells its version or how it is used.
func (c *call) asksVersion() bool {
	return len(c.words) == 2 && c.words[1].sure() && (c.words[1].text == "--version" || c.words[1].text == "--help")
}

// apply judges the options of a command.
func (c *call) apply(q parser, got parsed) {
	if got.blurred != "" && q.heavy() {
		c.warn("“" + short(got.blurred) + "” could be any option of " + c.name + " when it runs.")
	}
	for _, o := range got.options {
		c.play(o.role, o.name, o.value, o.has)
	}
}

func (c *call) play(as role, name string, v value, has bool) {
	if as == roleWarn {
		c.warn(c.name + " with the option " + dashed(name) + " does more than read.")
		return
	}
	if as == roleNetwork {
		c.network()
	}
	if has {
		c.word(as, v)
	}
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// word judges a word by its role.
func (c *call) word(as role, v value) {
	switch as {
	case roleRead:
		c.file(v, toolspec.UseRead)
	case roleWrite:
		if v.text != "-" {
			c.file(v, toolspec.UseWrite)
		}
	case roleDelete:
		c.file(v, toolspec.UseDelete)
	case roleFolder:
		c.file(v, toolspec.UseRead)
		c.r.enter(v)
	case roleProgram:
		c.shell(v)
	case roleHost:
		c.host(v)
	}
}

// operands judges the words that are no options by their roles: "t r*" is one text and then
// paths, "r* w" paths of which the last is written.
func (c *call) operands(roles string, words []value) {
	fields := strings.Fields(roles)
	c.shifted(fields, words)
	for i, field := range fields {
		if len(words) == 0 {
			return
		}
		if !strings.HasSuffix(field, "*") {
			c.word(role(field[0]), words[0])
			words = words[1:]
			continue
		}
		after := len(fields) - i - 1
		for len(words) > after {
			c.word(role(field[0]), words[0])
			words = words[1:]
		}
	}
}

// shifted judges what roles words may have where one of them may be several: it can play those
// that follow its own too, and so can all words behind it.
func (c *call) shifted(fields []string, words []value) {
	at := slices.IndexFunc(words, value.several)
	if at < 0 || len(fields) < 2 {
		return
	}
	for _, field := range fields[min(at, len(fields)-1):] {
		for _, w := range words[at:] {
			if as := role(field[0]); as.heavy() || as == roleRead && w.glob {
				c.word(as, w)
			}
		}
	}
}

func (c *call) warn(sentence string) { c.r.warn(sentence) }

func (c *call) network() {
	c.r.out.Network = true
	c.r.marks++
}

// shell reads a word that a shell of its own will read.
func (c *call) shell(v value) {
	if !v.sure() {
		c.warn(c.name + " runs a command that is only known when it runs: " + short(v.shown) + ".")
		return
	}
	c.r.apart(func() { c.r.inner(v.text, c.name) })
}

// wrapped judges the command that a wrapper starts.
func (c *call) wrapped(words []value) {
	if len(words) == 0 {
		return
	}
	in := *c.r
	in.through = append(slices.Clone(c.r.through), c.name)
	in.functions = nil
	in.depth++
	if in.depth > maxDepth {
		c.warn("It holds commands within commands, too deep to be read.")
		return
	}
	in.judge(words, written(words))
}

// here judges a command in this very shell: what command and builtin do.
func (c *call) here(words []value) {
	through, functions := c.r.through, c.r.functions
	// They look past functions.
	c.r.through, c.r.functions = append(slices.Clone(through), c.name), nil
	c.r.depth++
	if c.r.depth > maxDepth {
		c.warn("It holds commands within commands, too deep to be read.")
	} else {
		c.r.judge(words, written(words))
	}
	c.r.depth--
	c.r.through, c.r.functions = through, functions
}

func written(words []value) string {
	all := make([]string, 0, len(words))
	for _, w := range words {
		all = append(all, w.shown)
	}
	return strings.Join(all, " ")
}

// enter changes the working directory, and reports whether it is told where to.
func (r *reader) enter(v value) (known bool) {
	var next []string
	known = !v.unknown
	for _, text := range append([]string{v.text}, v.others...) {
		switch {
		case v.unknown:
		case strings.HasPrefix(text, "/"):
			next = union(next, []string{filepath.Clean(text)})
		default:
			known = known && len(r.dirs) > 0
			for _, dir := range r.dirs {
				next = union(next, []string{filepath.Join(dir, text)})
			}
		}
	}
	for _, dir := range next {
		if slices.Contains(r.out.Folders, dir) {
			continue
		}
		if len(r.out.Folders) == maxFiles {
			r.warn("It goes to more folders than are told here.")
			break
		}
		r.out.Folders = append(r.out.Folders, dir)
	}
	if !known || v.glob || len(next) > maxDirs {
		next = nil
	}
	r.dirs = next
	return known
}
