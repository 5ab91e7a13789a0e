package command

import (
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) git() {
	words, findingsBefore := c.words[1:], c.reader.findings
	dirs := c.reader.Folders
	defer func() { c.reader.Folders = dirs }()
	for len(words) > 0 {
		w := words[0]
		if !w.IsLiteral() {
			c.warn("What git does is known only when it runs: " + excerpt.Line(w.Display, 80) + ".")
			return
		}
		if !strings.HasPrefix(w.Text, "-") {
			break
		}
		n := c.gitOption(w.Text, words[1:])
		if n == 0 {
			return
		}
		words = words[min(n, len(words)):]
	}
	if len(words) == 0 {
		return
	}
	c.subcommand = words[0].Text
	optionHasEffects := c.reader.findings != findingsBefore
	c.gitSubcommand(words[1:])
	if optionHasEffects {
		c.grantName = ""
	}
}

// gitOption judges an option before the subcommand. It returns how many words belong to it, or 0 if git runs no
// subcommand.
func (c *simpleCommand) gitOption(option string, rest []bash.Word) int {
	next := bash.Word{}
	if len(rest) > 0 {
		next = rest[0]
	}
	switch name, attached, _ := strings.Cut(option, "="); name {
	case "--version", "-v", "--help", "-h", "--html-path", "--man-path", "--info-path":
		return 0
	case "--no-pager", "-P", "--no-replace-objects", "--literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs",
		"--icase-pathspecs", "--no-optional-locks", "--bare", "--no-advice":
		return 1
	case "-p", "--paginate":
		c.warn("git shows its output with the configured pager.")
		return 1
	case "-C":
		c.useFile(next, toolspec.UseRead)
		c.reader.changeFolder(next)
		return 2
	case "-c":
		key, _, _ := strings.Cut(strings.ToLower(next.Text), "=")
		if !next.IsLiteral() || !programs.GitSettingIsSafe(key) {
			c.warn("git is given the setting " + excerpt.Line(next.Display, 80) +
				", which can make it run other programs.")
		}
		return 2
	case "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "--exec-path", "--config-env":
		if name == "--exec-path" && attached == "" {
			return 0
		}
		c.warn("git works with " + excerpt.Line(option, 80) + ", which can make it run other programs.")
		if attached == "" {
			return 2
		}
		return 1
	}
	c.warn("git has the unknown option " + excerpt.Line(option, 80) + ".")
	return 1
}

func (c *simpleCommand) gitSubcommand(rest []bash.Word) {
	if options, ok := programs.ReadOnlyGitOptions(c.subcommand); ok {
		parser := programs.OptionParser{Options: options}
		c.judgeOptions(parser, parser.Parse(rest))
		c.gitPaths(rest)
		return
	}
	first := ""
	if len(rest) > 0 && rest[0].IsLiteral() {
		first = rest[0].Text
	}
	if programs.GitOnlyLists(c.subcommand, first, rest) {
		return
	}
	if c.gitStarts(rest) {
		return
	}
	switch {
	case c.subcommand == "rm" || c.subcommand == "clean":
		c.gitDeletes(rest)
	case c.subcommand == "config":
		c.warn("git config changes settings that can make git run other programs.")
	case programs.GitContactsRemote(c.subcommand):
		c.gitNetwork(rest)
	case programs.GitWritesReversibly(c.subcommand):
		c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
		c.gitWrite(first, rest)
	case slices.Contains([]string{
		"reset", "restore", "rebase", "gc", "prune", "filter-branch", "filter-repo",
		"update-ref", "reflog", "replace", "repack", "pack-refs", "symbolic-ref", "update-index", "read-tree",
		"checkout-index", "fast-import", "maintenance", "rerere", "bisect",
	}, c.subcommand):
		c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
		c.warn("git " + c.subcommand + " can throw away changes or history.")
		c.grantName = "git " + c.subcommand
		if first == "--hard" || slices.ContainsFunc(rest, func(w bash.Word) bool { return !w.IsLiteral() }) {
			c.grantName = ""
		}
	default:
		c.warn("“git " + excerpt.Line(c.subcommand, 80) +
			"” is not a known subcommand; it may be an alias that runs anything.")
	}
}

// gitPaths judges the words of a read-only subcommand that are certainly paths: those after -- or --no-index.
func (c *simpleCommand) gitPaths(rest []bash.Word) {
	after := false
	for _, w := range rest {
		switch {
		case (w.Text == "--no-index" || w.Text == "--") && w.IsLiteral():
			after = true
		case after && !strings.HasPrefix(w.Text, "-"):
			c.useFile(w, toolspec.UseRead)
		case !w.IsLiteral() && w.MayBeOption():
			c.warn("“" + excerpt.Line(w.Display, 80) + "” could be any option of git " + c.subcommand +
				" when it runs.")
		}
	}
}

func (c *simpleCommand) gitStarts(rest []bash.Word) bool {
	start := func(words []bash.Word) {
		texts := words
		if len(texts) > 0 && texts[0].Text == "--recursive" {
			texts = texts[1:]
		}
		c.warn("git " + c.subcommand + " runs a command that it is given.")
		c.runJoined(texts)
	}
	if len(rest) > 1 {
		switch c.subcommand + " " + rest[0].Text {
		case "submodule foreach", "bisect run", "rebase --exec", "rebase -x", "config alias":
			start(rest[1:])
			return true
		}
	}
	for i, w := range rest {
		switch {
		case (w.Text == "-x" || w.Text == "--exec") && c.subcommand == "rebase" && i+1 < len(rest):
			start(rest[i+1 : i+2])
			return true
		case strings.HasPrefix(w.Text, "--exec=") && c.subcommand == "rebase":
			start([]bash.Word{bash.LiteralWord(strings.TrimPrefix(w.Text, "--exec="))})
			return true
		case strings.HasPrefix(w.Text, "--upload-pack") || strings.HasPrefix(w.Text, "--receive-pack") ||
			strings.HasPrefix(w.Text, "--exec") || w.Text == "-u" && c.subcommand == "clone" ||
			strings.HasPrefix(w.Text, "ext::"):
			c.useNetwork()
			c.warn("git is given a program to start: " + excerpt.Line(w.Display, 80) + ".")
			return true
		case strings.HasPrefix(w.Text, "--extcmd") || c.subcommand == "difftool" || c.subcommand == "mergetool":
			c.warn("git " + c.subcommand + " starts another program.")
			return true
		case (strings.HasPrefix(w.Text, "--config") || w.Text == "-c") && c.subcommand == "clone",
			strings.HasPrefix(w.Text, "--template"):
			c.useNetwork()
			c.warn("git is given settings or hooks that can make it run other programs: " +
				excerpt.Line(w.Display, 80) + ".")
			return true
		}
	}
	return false
}

func (c *simpleCommand) gitDeletes(rest []bash.Word) {
	parser := programs.OptionParser{Options: programs.OptionsOf("git rm")}
	args := parser.Parse(rest)
	c.judgeOptions(parser, args)
	if args.Has("dry-run") {
		return
	}
	if args.Has("cached") {
		c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
		return
	}
	if c.subcommand == "clean" {
		c.warn("git clean deletes files that git does not track.")
		if len(args.Operands) == 0 {
			args.Operands = []bash.Word{bash.LiteralWord(".")}
		}
	}
	for _, w := range args.Operands {
		c.useFile(w, toolspec.UseDelete)
	}
}

func (c *simpleCommand) gitNetwork(rest []bash.Word) {
	c.useNetwork()
	named := false
	for i, w := range rest {
		switch {
		case !w.IsLiteral():
			c.warn("What git " + c.subcommand + " contacts is known only when it runs: " +
				excerpt.Line(w.Display, 80) + ".")
		case strings.Contains(w.Text, "://"), strings.Contains(w.Text, "@") && strings.Contains(w.Text, ":"):
			c.useRemote(w)
			named = true
		case w.Text == "-f" || strings.HasPrefix(w.Text, "--force") || w.Text == "--mirror" || w.Text == "--delete" ||
			w.Text == "-d" || w.Text == "--prune" || strings.HasPrefix(w.Text, "+") && i > 0:
			c.warn("git " + c.subcommand + " overwrites or deletes: " + excerpt.Line(w.Text, 80) + ".")
		}
	}
	if !named {
		c.warn("git " + c.subcommand + " talks to the repository that its settings name.")
	}
	switch c.subcommand {
	case "push":
		c.warn("git push publishes commits.")
	case "remote":
		c.warn("git remote changes which repository it talks to.")
	}
	if c.subcommand != "push" && c.subcommand != "send-email" {
		c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
	}
	if slices.Contains([]string{"fetch", "pull", "push", "clone"}, c.subcommand) &&
		!slices.ContainsFunc(rest, func(w bash.Word) bool {
			return !w.IsLiteral() || strings.HasPrefix(w.Text, "-f") || strings.HasPrefix(w.Text, "--")
		}) {
		c.grantName = "git " + c.subcommand
	}
}

func (c *simpleCommand) gitWrite(first string, rest []bash.Word) {
	risky := map[string][]string{
		"checkout": {"-f", "--force", "--", ".", "-B", "--ours", "--theirs", "-p"},
		"switch":   {"-f", "--force", "--discard-changes", "-C"},
		"branch":   {"-d", "-D", "--delete", "-f", "--force", "-M"},
		"tag":      {"-d", "--delete", "-f", "--force"}, "stash": {"drop", "clear", "pop"},
		"worktree": {"remove", "prune"},
		"commit":   {"--amend", "-n", "--no-verify", "-F", "--file"}, "notes": {"remove", "prune"},
	}
	c.grantName = "git " + c.subcommand
	if c.subcommand == "stash" && first != "" && !strings.HasPrefix(first, "-") {
		c.grantName += " " + first
	}
	for _, w := range rest {
		switch {
		case !w.IsLiteral() && w.MayBeOption():
			c.warn("“" + excerpt.Line(w.Display, 80) + "” could be any option of git " + c.subcommand +
				" when it runs.")
			c.grantName = ""
		case slices.Contains(risky[c.subcommand], w.Text),
			c.subcommand == "checkout" && strings.Contains(w.Text, "/") && strings.Contains(w.Text, "."):
			c.warn("git " + c.subcommand + " " + excerpt.Line(w.Text, 80) + " can throw away changes or history.")
			c.grantName = ""
		case strings.HasPrefix(w.Text, "--output") || strings.HasPrefix(w.Text, "-o") &&
			(c.subcommand == "archive" || c.subcommand == "format-patch"), strings.HasPrefix(w.Text, "--remote"),
			strings.HasPrefix(w.Text, "--exec"), strings.HasPrefix(w.Text, "--edit-description"),
			strings.HasPrefix(w.Text, "--unsafe-paths"), strings.HasPrefix(w.Text, "--directory"),
			strings.HasPrefix(w.Text, "--separate-git-dir"), strings.HasPrefix(w.Text, "--gpg-sign"):
			c.warn("git " + c.subcommand + " is given " + excerpt.Line(w.Text, 80) +
				", which reaches further than the repository.")
			c.grantName = ""
		}
	}
	if slices.Contains([]string{"mv", "worktree", "init", "bundle"}, c.subcommand) {
		for _, w := range rest {
			if !strings.HasPrefix(w.Text, "-") &&
				(strings.HasPrefix(w.Text, "/") || strings.Contains(w.Text, "..") || w.Unknown) {
				c.useFile(w, toolspec.UseWrite)
			}
		}
	}
}
