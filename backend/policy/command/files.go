package command

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

var useVerbs = map[toolspec.Use]string{
	toolspec.UseRead: "reads", toolspec.UseWrite: "writes", toolspec.UseDelete: "deletes",
}

func (c *simpleCommand) useFile(v bash.Word, use toolspec.Use) {
	if v.Unknown {
		c.warn(c.name + " " + useVerbs[use] + " “" + excerpt.Line(v.Display, 80) +
			"”; which file that is, is known only when it runs.")
		return
	}
	for _, text := range append([]string{v.Text}, v.Alternatives...) {
		c.usePath(text, v, use)
	}
}

func (c *simpleCommand) usePath(text string, v bash.Word, use toolspec.Use) {
	if text == "" || text == "-" && use == toolspec.UseRead {
		return
	}
	if strings.HasPrefix(text, "/dev/") && c.useDevice(filepath.Clean(text), use) {
		return
	}
	if v.HasGlob && !c.staysInPattern(text) {
		return
	}
	if strings.HasPrefix(text, "/") {
		c.addFile(filepath.Clean(text), use)
		return
	}
	if c.reader.Folders == nil {
		c.warn(c.name + " " + useVerbs[use] + " “" + excerpt.Line(v.Display, 80) +
			"” in a folder that is known only when it runs.")
		return
	}
	for _, dir := range c.reader.Folders {
		c.addFile(filepath.Join(dir, text), use)
	}
}

func (c *simpleCommand) staysInPattern(text string) bool {
	matched := false
	for _, part := range strings.Split(text, "/") {
		wildcard := strings.ContainsAny(part, "*?[")
		switch {
		case matched && part == "..":
			c.warn("“" + excerpt.Line(text, 80) + "” leads up again from what it matches.")
			return false
		case wildcard && strings.HasPrefix(part, "."), wildcard && strings.HasPrefix(part, "["):
			c.warn("“" + excerpt.Line(text, 80) + "” can match hidden files and folders.")
		}
		matched = matched || wildcard
	}
	return true
}

// useDevice judges a path below /dev, and reports whether the path needs no further judging.
func (c *simpleCommand) useDevice(clean string, use toolspec.Use) bool {
	switch clean {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/random",
		"/dev/urandom", "/dev/full":
		return use != toolspec.UseDelete
	}
	if strings.HasPrefix(clean, "/dev/fd/") {
		return true
	}
	if rest, ok := strings.CutPrefix(clean, "/dev/tcp/"); ok {
		c.useSocket(rest)
		return true
	}
	if rest, ok := strings.CutPrefix(clean, "/dev/udp/"); ok {
		c.useSocket(rest)
		return true
	}
	c.warn(c.name + " " + useVerbs[use] + " the device " + excerpt.Line(clean, 80) + ".")
	return false
}

func (c *simpleCommand) useSocket(rest string) {
	host, port, _ := strings.Cut(rest, "/")
	c.useNetwork()
	c.useHost(bash.LiteralWord(host + ":" + port))
}

func (c *simpleCommand) addFile(path string, use toolspec.Use) {
	r := c.reader
	if use != toolspec.UseRead {
		r.findings++
		if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") {
			c.warn(c.name + " changes the running system through " + excerpt.Line(path, 80) + ".")
		}
	}
	if use == toolspec.UseDelete {
		c.warnMassDelete(path)
	}
	f := toolspec.FileUse{Path: path, Use: use}
	switch {
	case slices.Contains(r.reading.Files, f):
	case len(r.reading.Files) >= maxFiles:
		c.warn("It names more files than are listed here.")
	default:
		r.reading.Files = append(r.reading.Files, f)
	}
}

func (c *simpleCommand) warnMassDelete(path string) {
	whole := strings.TrimSuffix(path, "/*")
	if whole == "" {
		whole = "/"
	}
	for _, folder := range []string{c.reader.place.Folder, c.reader.place.Home, "/usr/bin", "/etc"} {
		if folder == "" {
			continue
		}
		if folder == whole || whole == "/" || strings.HasPrefix(folder, whole+"/") {
			c.warn("It deletes everything in " + whole + ".")
			return
		}
	}
}
