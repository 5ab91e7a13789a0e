package programs

import (
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
)

// Task describes one subcommand of a developer's tool.
type Task struct {
	// ReadOnly is true if it changes nothing, Network if it uses the network.
	ReadOnly, Network bool
}

// taskTable has the known subcommands of each tool. Any other subcommand may run code.
var taskTable = map[string]map[string]Task{
	"go": {
		"version": {ReadOnly: true}, "doc": {ReadOnly: true}, "help": {ReadOnly: true}, "list": {ReadOnly: true},
		"get": {Network: true}, "install": {Network: true},
		"build": {}, "test": {}, "vet": {}, "run": {}, "fmt": {}, "mod": {}, "generate": {}, "clean": {}, "env": {},
		"tool": {}, "work": {},
	},
	"npm": {
		"ls": {ReadOnly: true}, "list": {ReadOnly: true}, "help": {ReadOnly: true}, "-v": {ReadOnly: true},
		"install": {Network: true}, "i": {Network: true}, "ci": {Network: true},
		"update": {Network: true}, "audit": {Network: true}, "publish": {Network: true}, "view": {Network: true},
		"outdated": {Network: true}, "test": {}, "run": {}, "start": {}, "run-script": {},
	},
	"cargo": {
		"version": {ReadOnly: true}, "tree": {ReadOnly: true}, "help": {ReadOnly: true}, "build": {}, "test": {},
		"check": {}, "run": {}, "fmt": {}, "clippy": {}, "bench": {}, "doc": {}, "add": {Network: true},
		"update": {Network: true}, "install": {Network: true}, "fetch": {Network: true}, "publish": {Network: true},
		"search": {Network: true},
	},
	"pip": {
		"list": {ReadOnly: true}, "show": {ReadOnly: true}, "freeze": {ReadOnly: true}, "check": {ReadOnly: true},
		"help": {ReadOnly: true}, "install": {Network: true}, "download": {Network: true}, "uninstall": {},
	},
	"apt": {
		"list": {ReadOnly: true}, "show": {ReadOnly: true}, "search": {ReadOnly: true}, "update": {Network: true},
		"install": {Network: true}, "upgrade": {Network: true},
	},
	"brew": {
		"list": {ReadOnly: true}, "info": {ReadOnly: true}, "install": {Network: true}, "update": {Network: true},
		"upgrade": {Network: true},
	},
	"gem": {"list": {ReadOnly: true}, "install": {Network: true}},
	"gh":  {}, "glab": {}, "npx": {}, "make": {},
}

var taskAliases = map[string]string{
	"pnpm": "npm", "yarn": "npm", "pip3": "pip", "apt-get": "apt", "gmake": "make",
}

// LookupTask returns the entry of a subcommand of a developer's tool. known is false if the subcommand has no entry,
// and hasTable is false if the tool has none at all.
func LookupTask(tool, subcommand string) (t Task, known, hasTable bool) {
	if other, ok := taskAliases[tool]; ok {
		tool = other
	}
	t, known = taskTable[tool][subcommand]
	return t, known, taskTable[tool] != nil
}

// TaskName returns a subcommand and the name of the task that it runs, if there is one: "run build".
func TaskName(sub string, rest []bash.Word) string {
	if slices.Contains([]string{"run", "run-script", "mod", "tool", "work"}, sub) && len(rest) > 0 &&
		!strings.HasPrefix(rest[0].Text, "-") {
		return sub + " " + rest[0].Text
	}
	return sub
}

// HasRiskyOption reports whether an option may make a tool start other programs, or write or read elsewhere.
func HasRiskyOption(words []bash.Word) bool {
	return slices.ContainsFunc(words, func(w bash.Word) bool {
		for _, name := range []string{
			"-exec", "-toolexec", "-vettool", "-overlay", "-modfile", "-C", "-o", "--config",
			"-config", "--prefix", "--global", "-g", "--script-shell", "--manifest-path", "--target", "-ldflags",
			"--registry", "--index-url", "--dir", "-coverprofile", "-cpuprofile", "-memprofile", "-outputdir",
			"-pkgdir", "--root", "--out-dir",
		} {
			if w.Text == name || strings.HasPrefix(w.Text, name+"=") || w.Text == "-"+name ||
				strings.HasPrefix(w.Text, "-"+name+"=") {
				return true
			}
		}
		return false
	})
}
