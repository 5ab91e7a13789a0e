package command

import (
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// gitRuns judges the subcommands that start commands they are told; it reports whether this
// was one of them.
func (c *call) gitRuns(rest []value) bool {
	start := func(words []value) {
		texts := words
		if len(texts) > 0 && texts[0].text == "--recursive" {
			texts = texts[1:]
		}
		c.warn("git " + c.sub + " runs a command it is told.")
		c.joined(texts)
	}
	if len(rest) > 1 {
		switch c.sub + " " + rest[0].text {
		case "submodule foreach", "bisect run", "rebase --exec", "rebase -x", "config alias":
			start(rest[1:])
			return true
		}
	}
	for i, w := range rest {
		switch {
		case (w.text == "-x" || w.text == "--exec") && c.sub == "rebase" && i+1 < len(rest):
			start(rest[i+1 : i+2])
			return true
		case strings.HasPrefix(w.text, "--exec=") && c.sub == "rebase":
			start([]value{literal(strings.TrimPrefix(w.text, "--exec="))})
			return true
		case strings.HasPrefix(w.text, "--upload-pack") || strings.HasPrefix(w.text, "--receive-pack") ||
			strings.HasPrefix(w.text, "--exec") || w.text == "-u" && c.sub == "clone" ||
			strings.HasPrefix(w.text, "ext::"):
			c.network()
			c.warn("git is told which program to start: " + short(w.shown) + ".")
			return true
		case strings.HasPrefix(w.text, "--extcmd") || c.sub == "difftool" || c.sub == "mergetool":
			c.warn("git " + c.sub + " starts another program.")
			return true
		case (strings.HasPrefix(w.text, "--config") || w.text == "-c") && c.sub == "clone",
			strings.HasPrefix(w.text, "--template"):
			c.network()
			c.warn("git is given settings or hooks that can make it run other programs: " + short(w.shown) + ".")
			return true
		}
	}
	return false
}

// gitDeletes judges rm and clean.
func (c *call) gitDeletes(rest []value) {
	q := parser{options: spec("f,force r n,dry-run q d x X i e,exclude=t cached ignore-unmatch pathspec-from-file=r")}
	got := q.parse(rest)
	c.apply(q, got)
	if got.has("dry-run") {
		return
	}
	if got.has("cached") {
		c.file(literal("."), toolspec.UseWrite)
		return
	}
	if c.sub == "clean" {
		c.warn("git clean deletes files that git does not keep.")
		if len(got.operands) == 0 {
			got.operands = []value{literal(".")}
		}
	}
	for _, w := range got.operands {
		c.file(w, toolspec.UseDelete)
	}
}

// gitNetwork judges what talks to other repositories.
func (c *call) gitNetwork(rest []value) {
	c.network()
	named := false
	for i, w := range rest {
		switch {
		case !w.sure():
			c.warn("What git " + c.sub + " talks to shows only when it runs: " + short(w.shown) + ".")
		case strings.Contains(w.text, "://"), strings.Contains(w.text, "@") && strings.Contains(w.text, ":"):
			c.remote(w)
			named = true
		case w.text == "-f" || strings.HasPrefix(w.text, "--force") || w.text == "--mirror" || w.text == "--delete" ||
			w.text == "-d" || w.text == "--prune" || strings.HasPrefix(w.text, "+") && i > 0:
			c.warn("git " + c.sub + " is told to overwrite or delete: " + short(w.text) + ".")
		}
	}
	if !named {
		c.warn("git " + c.sub + " talks to the repository that its settings name.")
	}
	switch c.sub {
	case "push":
		c.warn("git push publishes commits.")
	case "remote":
		c.warn("git remote changes which repository it talks to.")
	}
	if c.sub != "push" && c.sub != "send-email" {
		c.file(literal("."), toolspec.UseWrite)
	}
	if slices.Contains([]string{"fetch", "pull", "push", "clone"}, c.sub) &&
		!slices.ContainsFunc(rest, func(w value) bool {
			return !w.sure() || strings.HasPrefix(w.text, "-f") || strings.HasPrefix(w.text, "--")
		}) {
		c.label = "git " + c.sub
	}
}

// gitWrite judges the options of subcommands that change the repository.
func (c *call) gitWrite(first string, rest []value) {
	risky := map[string][]string{
		"checkout": {"-f", "--force", "--", ".", "-B", "--ours", "--theirs", "-p"},
		"switch":   {"-f", "--force", "--discard-changes", "-C"},
		"branch":   {"-d", "-D", "--delete", "-f", "--force", "-M"},
		"tag":      {"-d", "--delete", "-f", "--force"}, "stash": {"drop", "clear", "pop"},
		"worktree": {"remove", "prune"},
		"commit":   {"--amend", "-n", "--no-verify", "-F", "--file"}, "notes": {"remove", "prune"},
	}
	c.label = "git " + c.sub
	if c.sub == "stash" && first != "" && !strings.HasPrefix(first, "-") {
		c.label += " " + first
	}
	for _, w := range rest {
		switch {
		case !w.sure() && w.option():
			c.warn("“" + short(w.shown) + "” could be any option of git " + c.sub + " when it runs.")
			c.label = ""
		case slices.Contains(risky[c.sub], w.text), c.sub == "checkout" && strings.Contains(w.text, "/") &&
			strings.Contains(w.text, "."):
			c.warn("git " + c.sub + " " + short(w.text) + " can throw away changes or history.")
			c.label = ""
		case strings.HasPrefix(w.text, "--output") || strings.HasPrefix(w.text, "-o") &&
			(c.sub == "archive" || c.sub == "format-patch"), strings.HasPrefix(w.text, "--remote"),
			strings.HasPrefix(w.text, "--exec"), strings.HasPrefix(w.text, "--edit-description"),
			strings.HasPrefix(w.text, "--unsafe-paths"), strings.HasPrefix(w.text, "--directory"),
			strings.HasPrefix(w.text, "--separate-git-dir"), strings.HasPrefix(w.text, "--gpg-sign"):
			c.warn("git " + c.sub + " is given " + short(w.text) + ", which reaches further than the repository.")
			c.label = ""
		}
	}
	if slices.Contains([]string{"mv", "worktree", "init", "bundle"}, c.sub) {
		for _, w := range rest {
			if !strings.HasPrefix(w.text, "-") &&
				(strings.HasPrefix(w.text, "/") || strings.Contains(w.text, "..") || w.unknown) {
				c.file(w, toolspec.UseWrite)
			}
		}
	}
}
