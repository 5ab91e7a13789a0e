package command

import (
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// interpreter judges python, perl, ruby and node: their code is not read.
func (c *call) interpreter() {
	words := c.words[1:]
	if c.tellsItself() {
		return
	}
	if len(words) == 0 && c.r.input != nil {
		c.warn(c.name + " runs the code that it is given.")
		return
	}
	for i, w := range words {
		switch {
		case !w.sure():
			c.warn(c.name + " runs code that is only known when it runs.")
			return
		case w.text == "-c" || w.text == "-e" || w.text == "-E" || w.text == "-p" || w.text == "--eval" ||
			w.text == "--print":
			code := ""
			if i+1 < len(words) {
				code = ": " + short(words[i+1].shown)
			}
			c.warn(c.name + " runs code" + code + ".")
			return
		case w.text == "-m" && i+1 < len(words) && words[i+1].sure() && strings.HasPrefix(c.name, "python"):
			c.sub = "-m " + words[i+1].text
			if slices.Contains([]string{"pytest", "unittest", "mypy", "ruff", "black", "flake8", "compileall"},
				words[i+1].text) {
				c.label = c.name + " " + c.sub
			}
			if words[i+1].text == "pip" || words[i+1].text == "http.server" {
				c.network()
			}
			c.warn(c.name + " runs the module " + words[i+1].text + ".")
			return
		case !strings.HasPrefix(w.text, "-"):
			c.file(w, toolspec.UseRead)
			c.warn(c.name + " runs " + short(w.text) + ", which is not read here.")
			return
		}
	}
	c.warn(c.name + " " + runsCode + ".")
}

// tellsItself reports whether an interpreter only says its version or how it is called. To python,
// -v is to be wordy while it runs what it is given; to the others it is the version.
func (c *call) tellsItself() bool {
	words := c.words[1:]
	if len(words) != 1 || !words[0].sure() {
		return false
	}
	if words[0].text == "-v" {
		return !strings.HasPrefix(c.name, "python")
	}
	return slices.Contains([]string{"--version", "-V", "--help", "-h"}, words[0].text)
}

// task is what one subcommand of a developer's tool does.
type task struct {
	// looks only reads, network reaches out.
	looks, network bool
}

// tasks are the subcommands of developers' tools that are known, by tool. Others run code.
var tasks = map[string]map[string]task{
	"go": {
		"version": {looks: true}, "doc": {looks: true}, "help": {looks: true}, "list": {looks: true},
		"get": {network: true}, "install": {network: true},
		"build": {}, "test": {}, "vet": {}, "run": {}, "fmt": {}, "mod": {}, "generate": {}, "clean": {}, "env": {},
		"tool": {}, "work": {},
	},
	"npm": {
		"ls": {looks: true}, "list": {looks: true}, "help": {looks: true}, "-v": {looks: true},
		"install": {network: true}, "i": {network: true}, "ci": {network: true},
		"update": {network: true}, "audit": {network: true}, "publish": {network: true}, "view": {network: true},
		"outdated": {network: true}, "test": {}, "run": {}, "start": {}, "run-script": {},
	},
	"cargo": {
		"version": {looks: true}, "tree": {looks: true}, "help": {looks: true}, "build": {}, "test": {},
		"check": {}, "run": {}, "fmt": {}, "clippy": {}, "bench": {}, "doc": {}, "add": {network: true},
		"update": {network: true}, "install": {network: true}, "fetch": {network: true}, "publish": {network: true},
		"search": {network: true},
	},
	"pip": {
		"list": {looks: true}, "show": {looks: true}, "freeze": {looks: true}, "check": {looks: true},
		"help": {looks: true}, "install": {network: true}, "download": {network: true}, "uninstall": {},
	},
	"apt": {
		"list": {looks: true}, "show": {looks: true}, "search": {looks: true}, "update": {network: true},
		"install": {network: true}, "upgrade": {network: true},
	},
	"brew": {
		"list": {looks: true}, "info": {looks: true}, "install": {network: true}, "update": {network: true},
		"upgrade": {network: true},
	},
	"gem": {"list": {looks: true}, "install": {network: true}},
	"gh":  {}, "glab": {}, "npx": {}, "make": {},
}

// sameTasks are tools with the subcommands of another.
var sameTasks = map[string]string{
	"pnpm": "npm", "yarn": "npm", "pip3": "pip", "apt-get": "apt", "gmake": "make",
}

// tool judges developers' tools by their subcommand.
func (c *call) tool() {
	if c.asksVersion() {
		return
	}
	words := c.words[1:]
	for _, w := range words {
		if !w.sure() {
			c.warn(c.name + " is given words that are only known when it runs: " + short(w.shown) + ".")
			return
		}
	}
	if slices.Contains([]string{"npx", "bunx", "pipx", "uvx", "gh", "glab"}, c.name) {
		c.network()
	}
	if c.name == "make" || c.name == "gmake" {
		c.make(words)
		return
	}
	if len(words) > 0 {
		c.sub = words[0].text
	}
	name := c.name
	if other, is := sameTasks[name]; is {
		name = other
	}
	t, known := tasks[name][c.sub]
	switch {
	case known && t.looks && !hooks(words):
		return
	case known && t.network:
		c.network()
		c.warn(c.name + " " + c.sub + " fetches code of others from the network.")
	case c.name == "go" && c.sub == "env" && !slices.ContainsFunc(words,
		func(w value) bool { return w.text == "-w" || w.text == "-u" }):
		return
	default:
		c.warn(c.name + " " + c.sub + " " + runsCode + ".")
	}
	c.goFiles(words)
	if !strings.HasPrefix(c.sub, "-") && c.sub != "" && (known || tasks[name] == nil) && !hooks(words) {
		c.label = c.name + " " + taskName(c.sub, words[1:])
	}
}

// taskName is a subcommand with the task it runs, where it runs one by name.
func taskName(sub string, rest []value) string {
	if slices.Contains([]string{"run", "run-script", "mod", "tool", "work"}, sub) && len(rest) > 0 &&
		!strings.HasPrefix(rest[0].text, "-") {
		return sub + " " + rest[0].text
	}
	return sub
}

// hooks reports whether options make a tool start other programs or write elsewhere.
func hooks(words []value) bool {
	return slices.ContainsFunc(words, func(w value) bool {
		for _, name := range []string{
			"-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-C", "-o", "--config",
			"-config", "--prefix", "--global", "-g", "--script-shell", "--manifest-path", "--target", "-ldflags",
			"--registry", "--index-url", "--dir", "-coverprofile", "-cpuprofile", "-memprofile", "-outputdir",
			"-pkgdir", "--root", "--out-dir",
		} {
			if w.text == name || strings.HasPrefix(w.text, name+"=") || w.text == "-"+name ||
				strings.HasPrefix(w.text, "-"+name+"=") {
				return true
			}
		}
		return false
	})
}

// goFiles notes what go writes where it is told to.
func (c *call) goFiles(words []value) {
	for i, w := range words {
		if w.text == "-o" && i+1 < len(words) {
			c.file(words[i+1], toolspec.UseWrite)
		}
	}
}

// make judges make: its targets are its subcommands.
func (c *call) make(words []value) {
	c.warn(c.name + " " + runsCode + ".")
	var targets []string
	for _, w := range words {
		if strings.HasPrefix(w.text, "-") && strings.Trim(w.text, "-jkBs0123456789") != "" ||
			strings.Contains(w.text, "=") {
			return // other files, folders or settings: no name tells enough
		}
		if !strings.HasPrefix(w.text, "-") {
			targets = append(targets, w.text)
		}
	}
	c.sub = strings.Join(targets, " ")
	c.label = strings.TrimSpace(c.name + " " + c.sub)
}
