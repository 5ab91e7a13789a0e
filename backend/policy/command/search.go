package command

import (
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// findTests are find's words that take one more word and only look.
var findTests = []string{
	"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
	"-type", "-xtype", "-size", "-mtime", "-mmin",
	"-atime", "-amin", "-ctime", "-cmin", "-maxdepth", "-mindepth", "-user", "-group", "-uid", "-gid", "-perm",
	"-links", "-inum", "-fstype", "-printf",
	"-regextype", "-used", "-context", "-D",
}

// findWords are those that take no more.
var findWords = []string{
	"-L", "-P", "-H", "-O", "-O1", "-O2", "-O3", "-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-readable",
	"-writable", "-executable", "-depth", "-d", "-mount", "-xdev",
	"-follow", "-daystart", "-warn", "-nowarn", "-noleaf", "-ignore_readdir_race", "-true", "-false", "-not", "-a",
	"-and", "-o", "-or", "(", ")", "!", ",", "-nouser", "-nogroup",
	"-E", "-X", "-s", "-x", "--help", "--version", "-help", "-version",
}

// find reads the expression of find: what it runs and deletes applies to all below its roots.
func (c *call) find() {
	words := c.words[1:]
	var roots []value
	i := 0
	for ; i < len(words); i++ {
		w := words[i]
		if w.sure() && (strings.HasPrefix(w.text, "-") || w.text == "(" || w.text == "!" || w.text == ",") {
			if slices.Contains([]string{"-L", "-P", "-H"}, w.text) {
				continue
			}
			break
		}
		if !w.sure() && w.option() {
			c.warn("“" + short(w.shown) + "” could be any action of find when it runs.")
		}
		roots = append(roots, w)
	}
	if len(roots) == 0 {
		roots = []value{literal(".")}
	}
	for _, root := range roots {
		c.file(root, toolspec.UseRead)
	}
	for i < len(words) {
		i += c.action(words[i:], roots)
	}
}

// action judges one word of a find expression and returns how many words it takes.
func (c *call) action(words []value, roots []value) int {
	w := words[0]
	if !w.sure() {
		c.warn("“" + short(w.shown) + "” could be any action of find when it runs.")
		return 1
	}
	next := value{}
	if len(words) > 1 {
		next = words[1]
	}
	switch {
	case w.text == "-exec" || w.text == "-execdir" || w.text == "-ok" || w.text == "-okdir":
		return c.findRuns(words, roots)
	case w.text == "-delete":
		c.warn("find deletes all that matches below " + c.shownRoots(roots) + ".")
		for _, root := range roots {
			c.file(root, toolspec.UseDelete)
		}
	case w.text == "-fprint" || w.text == "-fprint0" || w.text == "-fls":
		c.file(next, toolspec.UseWrite)
		return 2
	case w.text == "-fprintf":
		c.file(next, toolspec.UseWrite)
		return 3
	case w.text == "-newer" || w.text == "-anewer" || w.text == "-cnewer" || w.text == "-samefile" ||
		w.text == "-files0-from":
		c.file(next, toolspec.UseRead)
		return 2
	case slices.Contains(findTests, w.text) || strings.HasPrefix(w.text, "-newer"):
		return 2
	case slices.Contains(findWords, w.text):
	default:
		c.warn("find is given " + short(w.text) + ", which is not known here.")
	}
	return 1
}

func (c *call) shownRoots(roots []value) string {
	shown := make([]string, 0, len(roots))
	for _, root := range roots {
		shown = append(shown, short(root.shown))
	}
	return strings.Join(shown, ", ")
}

// findRuns judges the command between -exec and its end.
func (c *call) findRuns(words []value, roots []value) int {
	end := 1
	for end < len(words) && words[end].text != ";" && words[end].text != "+" {
		end++
	}
	for _, w := range words[:min(end+1, len(words))] {
		if len(w.others) > 0 && (w.could(";") || w.could("+")) {
			c.warn("Where the command of find ends shows only when it runs: " + short(w.shown) + ".")
		}
	}
	var files []value
	for _, root := range roots {
		if !root.sure() {
			files = []value{unknown(root.shown)}
			break
		}
		files = append(files, value{text: strings.TrimSuffix(root.text, "/") + "/*", shown: "every match in " +
			root.shown, glob: true})
	}
	if strings.HasSuffix(words[0].text, "dir") {
		files = []value{unknown("what find found")}
	}
	inner := c.replaced(words[1:end], "{}", files)
	c.r.apart(func() { c.wrapped(inner) })
	return end + 1
}

func (c *call) fd() {
	q := parser{options: spec("x,exec=z X,exec-batch=z e,extension=t t,type=t E,exclude=t d,max-depth=t min-depth=t " +
		"exact-depth=t S,size=t changed-within=t changed-before=t o,owner=t c,color=t j,threads=t base-directory=D " +
		"ignore-file=r max-results=t and=t path-separator=t search-path=r format=t")}
	for i, w := range c.words {
		if w.sure() && slices.Contains([]string{"-x", "--exec", "-X", "--exec-batch"}, w.text) {
			rest := c.replaced(c.words[i+1:], "{}", []value{unknown("what fd found")})
			c.r.apart(func() { c.wrapped(append(rest, unknown("what fd found"))) })
			q = parser{options: q.options}
			got := q.parse(c.words[1:i])
			c.apply(q, got)
			c.operands("t r*", got.operands)
			return
		}
	}
	got := q.parse(c.words[1:])
	if got.blurred != "" || got.has("exec", "exec-batch") {
		c.warn("fd is given options that are only known when it runs.")
	}
	c.apply(q, got)
	c.operands("t r*", got.operands)
}

// grep reads a pattern, unless an option gave it, and then paths.
func (c *call) grep() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec(programs[c.name].options)}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	roles := "t r*"
	if got.has("regexp", "file", "files") {
		roles = "r*"
	}
	c.operands(roles, got.operands)
}

// jq reads a filter and then paths; some options change what the rest means.
func (c *call) jq() {
	if c.asksVersion() {
		return
	}
	var rest []value
	words := c.words[1:]
	filter := true
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.sure():
			rest = append(rest, w)
		case w.text == "--arg" || w.text == "--argjson":
			i += 2
		case w.text == "--slurpfile" || w.text == "--rawfile":
			if i+2 < len(words) {
				c.file(words[i+2], toolspec.UseRead)
			}
			i += 2
		case w.text == "-f" || w.text == "--from-file" || w.text == "-L":
			filter = filter && w.text == "-L"
			if i++; i < len(words) {
				c.file(words[i], toolspec.UseRead)
			}
		case w.text == "--indent":
			i++
		case w.text == "--args" || w.text == "--jsonargs":
			words = words[:min(i+2, len(words))]
		case strings.HasPrefix(w.text, "-") && w.text != "-":
		default:
			rest = append(rest, w)
		}
	}
	if filter && len(rest) > 0 {
		rest = rest[1:]
	}
	for _, w := range rest {
		c.file(w, toolspec.UseRead)
	}
}

// awk runs a program text that can write, start commands and open sockets.
func (c *call) awk() {
	if c.asksVersion() {
		return
	}
	q := parser{options: spec("F,field-separator=t v,assign=t f,file=! e,source=t i,include=! l,load=! E,exec=! b c " +
		"C d,dump-variables?w D,debug! g h k L?t n N M o,pretty-print?w O p,profile?w P r S,sandbox t s"), first: true}
	got := q.parse(c.words[1:])
	c.apply(q, got)
	rest := got.operands
	texts := got.values("source")
	if len(texts) == 0 && !got.has("file", "exec") && len(rest) > 0 {
		texts, rest = rest[:1], rest[1:]
	}
	for _, text := range texts {
		switch {
		case text.unknown || len(text.others) > 0:
			c.warn("What " + c.name + " does stands in text that is only known when it runs.")
		case awkActs(text.text):
			c.warn(c.name + "'s program writes files or starts commands: " + short(text.text) + ".")
		}
	}
	for _, w := range rest {
		if name, _, is := strings.Cut(w.text, "="); is && validName(name) {
			continue
		}
		c.file(w, toolspec.UseRead)
	}
}

// awkActs reports whether an awk program may do more than print. A > outside of a text could
// compare or write; anywhere after a print it counts as writing.
func awkActs(program string) bool {
	bare := program
	if !strings.ContainsAny(program, "/#") {
		// Where there are no patterns and remarks, every quotation mark is one of a text.
		bare = withoutTexts(program)
	}
	for _, word := range []string{"system", "getline", "@", "close", "fflush", "ENVIRON", "/inet", "ARGV"} {
		if strings.Contains(program, word) {
			return true
		}
	}
	bare = strings.ReplaceAll(bare, "||", "")
	if strings.Contains(bare, "|") {
		return true
	}
	// Where a statement ends is not told apart: a text may hold the ; and a line go on after a comma.
	at := strings.Index(bare, "print")
	return at >= 0 && strings.Contains(bare[at:], ">")
}

// withoutTexts takes quoted texts out of an awk program. One that does not end is left in.
func withoutTexts(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			out.WriteByte(s[i])
			continue
		}
		end := i + 1
		for end < len(s) && s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(s) {
			return out.String() + s[i:]
		}
		i = end
	}
	return out.String()
}
