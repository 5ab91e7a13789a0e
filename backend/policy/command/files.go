package command

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

var verbs = map[toolspec.Use]string{
	toolspec.UseRead: "reads", toolspec.UseWrite: "writes", toolspec.UseDelete: "deletes",
}

// file notes that a word is a path and what happens to it.
func (c *call) file(v value, use toolspec.Use) {
	if v.unknown {
		c.warn(c.name + " " + verbs[use] + " “" + short(v.shown) + "”, and which file that is shows only when it runs.")
		return
	}
	for _, text := range append([]string{v.text}, v.others...) {
		c.path(text, v, use)
	}
}

func (c *call) path(text string, v value, use toolspec.Use) {
	if text == "" || text == "-" && use == toolspec.UseRead {
		return
	}
	if strings.HasPrefix(text, "/dev/") && c.device(filepath.Clean(text), use) {
		return
	}
	if v.glob && !c.pattern(text) {
		return
	}
	if strings.HasPrefix(text, "/") {
		c.note(filepath.Clean(text), use)
		return
	}
	if c.r.dirs == nil {
		c.warn(c.name + " " + verbs[use] + " “" + short(v.shown) + "” in a folder that is only known when it runs.")
		return
	}
	for _, dir := range c.r.dirs {
		c.note(filepath.Join(dir, text), use)
	}
}

// pattern reports whether what matches stays where the pattern says.
func (c *call) pattern(text string) bool {
	matched := false
	for _, part := range strings.Split(text, "/") {
		wildcard := strings.ContainsAny(part, "*?[")
		switch {
		case matched && part == "..":
			c.warn("“" + short(text) + "” leads up again from what it matches.")
			return false
		case wildcard && strings.HasPrefix(part, "."), wildcard && strings.HasPrefix(part, "["):
			c.warn("“" + short(text) + "” can match hidden files and folders.")
		}
		matched = matched || wildcard
	}
	return true
}

// device reports whether a path under /dev was dealt with.
func (c *call) device(clean string, use toolspec.Use) bool {
	switch clean {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/random",
		"/dev/urandom", "/dev/full":
		return use != toolspec.UseDelete
	}
	if strings.HasPrefix(clean, "/dev/fd/") {
		return true
	}
	if rest, is := strings.CutPrefix(clean, "/dev/tcp/"); is {
		c.socket(rest)
		return true
	}
	if rest, is := strings.CutPrefix(clean, "/dev/udp/"); is {
		c.socket(rest)
		return true
	}
	c.warn(c.name + " " + verbs[use] + " the device " + short(clean) + ".")
	return false
}

func (c *call) socket(rest string) {
	host, port, _ := strings.Cut(rest, "/")
	c.network()
	c.host(literal(host + ":" + port))
}

// note keeps one use of a path.
func (c *call) note(path string, use toolspec.Use) {
	r := c.r
	if use != toolspec.UseRead {
		r.marks++
		if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") {
			c.warn(c.name + " changes the running system through " + short(path) + ".")
		}
	}
	if use == toolspec.UseDelete {
		c.wholesale(path)
	}
	f := toolspec.FileUse{Path: path, Use: use}
	switch {
	case slices.Contains(r.out.Files, f):
	case len(r.out.Files) >= maxFiles:
		c.warn("It names more files than are told here.")
	default:
		r.out.Files = append(r.out.Files, f)
	}
}

// wholesale warns when a delete takes a folder that holds all the person's work.
func (c *call) wholesale(path string) {
	whole := strings.TrimSuffix(path, "/*")
	if whole == "" {
		whole = "/"
	}
	for _, kept := range []string{c.r.at.Folder, c.r.at.Home, "/usr/bin", "/etc"} {
		if kept == "" {
			continue
		}
		if kept == whole || whole == "/" || strings.HasPrefix(kept, whole+"/") {
			c.warn("It deletes everything in " + whole + ".")
			return
		}
	}
}
