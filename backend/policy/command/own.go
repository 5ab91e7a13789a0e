package command

import (
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// ownCommands are the shell's own commands that run text or change what later words mean.
func ownCommands(name string) func(*call) {
	switch name {
	case "cd", "pushd", "popd":
		return (*call).cd
	case "eval":
		return (*call).eval
	case "source", ".":
		return func(c *call) {
			if len(c.words) > 1 {
				c.file(c.words[1], toolspec.UseRead)
			}
			c.warn(c.name + " runs a file in this shell, and what stands in it is not read here.")
			c.r.dirs = nil
		}
	case "trap":
		return (*call).trap
	case "alias":
		return (*call).alias
	case "unalias":
		return func(*call) {}
	case "set", "shopt":
		return (*call).settings
	case "test", "[":
		return (*call).condition
	case "printf":
		return (*call).printf
	case "read", "mapfile", "readarray", "unset":
		return (*call).into
	case "export", "declare", "typeset", "local", "readonly", "let":
		return func(c *call) { c.warn(c.name + " stands where what it sets is not read here.") }
	}
	return nil
}

func (c *call) cd() {
	words := c.words[1:]
	for len(words) > 0 && words[0].sure() && slices.Contains([]string{"-P", "-L", "-e", "-@", "--"}, words[0].text) {
		words = words[1:]
	}
	switch {
	case c.name == "popd", c.name == "pushd" && len(words) == 0:
		c.r.dirs = nil
	case len(words) == 0:
		c.r.enter(literal(c.r.at.Home))
	case words[0].text == "-" && words[0].sure(), c.r.at.Home == "" && words[0].text == "":
		c.r.dirs = nil
	case !c.r.enter(words[0]):
		c.warn("Which folder it goes to with “" + short(words[0].shown) + "” shows only when it runs.")
	}
}

func (c *call) eval() {
	texts := make([]string, 0, len(c.words))
	for _, w := range c.words[1:] {
		if !w.sure() {
			c.warn("eval runs text that is only known when it runs: " + short(c.text) + ".")
			c.r.dirs = nil
			return
		}
		texts = append(texts, w.text)
	}
	c.again(strings.Join(texts, " "))
}

// again reads text that this very shell reads, so that its changes stay.
func (c *call) again(text string) {
	in := *c.r
	in.depth++
	in.through = append(slices.Clone(in.through), c.name)
	in.script(text)
	c.r.dirs = in.dirs
	if len(in.shadowed) > len(c.r.shadowed) {
		c.warn(c.name + " declares functions, which can change what later words mean.")
	}
}

func (c *call) trap() {
	words := c.words[1:]
	if len(words) > 0 && words[0].text == "--" {
		words = words[1:]
	}
	if len(words) < 2 || words[0].sure() && (words[0].text == "-" || words[0].text == "" || words[0].text == "-p" ||
		words[0].text == "-l") {
		return
	}
	if !words[0].sure() {
		c.warn("trap keeps a command for later that is only known when it runs.")
		return
	}
	dirs := c.r.dirs
	c.r.dirs = nil // wherever the shell is by then
	if !strings.Contains(c.r.text, "cd") && !strings.Contains(c.r.text, "push") {
		c.r.dirs = dirs
	}
	c.again(words[0].text)
	c.r.dirs = dirs
}

func (c *call) alias() {
	for _, w := range c.words[1:] {
		_, text, is := strings.Cut(w.text, "=")
		switch {
		case !w.sure():
			c.warn("alias gives a name to a command that is only known when it runs.")
		case is:
			c.shell(literal(text))
		}
	}
}

// settings are set and shopt; some settings make words mean something else.
func (c *call) settings() {
	plain := []string{
		"nullglob", "failglob", "globstar", "nocaseglob", "nocasematch", "extglob", "pipefail", "errexit",
		"nounset", "noglob", "lastpipe", "inherit_errexit", "xtrace", "errtrace", "noclobber",
	}
	for _, w := range c.words[1:] {
		switch {
		case !w.sure():
			c.warn(c.name + " is given a setting that is only known when it runs.")
		case c.name == "set" && w.text == "--":
			return
		case strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "+"):
			if c.name == "set" && strings.Trim(w.text[1:], "euxofvEnCTbh") != "" {
				c.warn("set " + short(w.text) + " changes how commands are read.")
			}
		case !slices.Contains(plain, w.text):
			c.warn(c.name + " " + short(w.text) + " changes how commands are read.")
		}
	}
}

// condition is test and [: it looks at files, and with -v works out a name.
func (c *call) condition() {
	for i, w := range c.words[1:] {
		if w.sure() && (w.text == "-v" || w.text == "-R") && i+2 < len(c.words) {
			if name := c.words[i+2]; !name.sure() || !validName(name.text) {
				c.warn(c.name + " " + w.text + " works out a name that could hold a command.")
			}
		}
	}
}

func (c *call) printf() {
	words := c.words[1:]
	if len(words) == 0 {
		return
	}
	if words[0].unknown && words[0].text == "" || !words[0].sure() && words[0].option() {
		// Only -v does anything, and it takes a name.
		c.warn("printf is given a format that could be an option when it runs.")
		return
	}
	if strings.HasPrefix(words[0].text, "-v") {
		c.target(value{text: strings.TrimPrefix(words[0].text, "-v"), shown: words[0].shown}, words[1:])
	}
}

// target judges the name of a variable that stands in this word or the next.
func (c *call) target(v value, rest []value) {
	if v.text == "" && len(rest) > 0 {
		v = rest[0]
	}
	if !v.sure() || !validName(v.text) {
		c.warn(c.name + " puts its text into a variable whose name could hold a command.")
		return
	}
	c.r.variable(v.text, false)
}

// into are the commands that give values to the names they are told.
func (c *call) into() {
	q := parser{options: spec("a=v d=t i=t n=t N=t p=t t=t u=t e! C=! c=t O=t s=t r f v")}
	got := q.parse(c.words[1:])
	for _, o := range got.options {
		if o.name == "a" && o.has && c.name == "read" {
			c.target(o.value, nil)
		}
		if o.name == "f" && c.name == "unset" {
			c.warn("unset takes a function away.")
		}
	}
	if c.name == "unset" {
		// Where there is no variable of a name, it takes the function away.
		for _, w := range got.operands {
			delete(c.r.functions, w.text)
		}
		got.options = nil
	}
	c.apply(q, got)
	for _, w := range got.operands {
		c.target(w, nil)
	}
}
