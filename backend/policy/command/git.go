package command

import (
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// gitLooks are subcommands of git that only read, but for the options named.
var gitLooks = map[string]string{
	"status": "", "log": gitShows, "diff": gitShows, "show": gitShows, "blame": "contents=r S=r", "rev-parse": "",
	"ls-files": "X=r exclude-from=r", "ls-tree": "", "cat-file": "textconv! filters!",
	"describe": "", "shortlog": gitShows, "rev-list": "", "name-rev": "", "merge-base": "", "for-each-ref": "",
	"show-ref": "", "count-objects": "", "var": "", "version": "", "help": "w! web! ",
	"whatchanged": gitShows, "diff-tree": gitShows, "diff-index": gitShows, "diff-files": gitShows, "check-ignore": "",
	"check-attr": "", "grep": "O?x open-files-in-pager?x ext-grep! textconv! f=r",
	"range-diff": gitShows, "cherry": "", "show-branch": "", "verify-commit": "", "verify-tag": "",
	"fsck": "lost-found!", "get-tar-commit-id": "", "annotate": "", "check-ref-format": "", "stripspace": "",
	"diff-pairs": "",
}

const gitShows = "output=w ext-diff! textconv! show-signature! O=r order-file=r S=t G=t n=t U=t"

// gitWrites change the repository in ways that can be taken back; the folder is what they
// write to.
var gitWrites = []string{
	"add", "commit", "init", "stage", "mv", "notes", "stash", "tag", "branch", "worktree", "am",
	"apply", "cherry-pick", "revert", "merge", "switch", "checkout", "sparse-checkout", "bundle", "format-patch",
	"archive",
}

// gitReaches talk to another repository.
var gitReaches = []string{
	"clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote", "request-pull",
	"send-email", "svn", "p4", "lfs", "fetch-pack", "send-pack", "archive --remote", "imap-send",
}

// git judges git by its subcommand; aliases and settings given with -c can run anything.
func (c *call) git() {
	words, marks := c.words[1:], c.r.marks
	dirs := c.r.dirs
	defer func() { c.r.dirs = dirs }()
	for len(words) > 0 {
		w := words[0]
		if !w.sure() {
			c.warn("What git does shows only when it runs: " + short(w.shown) + ".")
			return
		}
		if !strings.HasPrefix(w.text, "-") {
			break
		}
		n := c.gitOption(w.text, words[1:])
		if n == 0 {
			return
		}
		words = words[min(n, len(words)):]
	}
	if len(words) == 0 {
		return // it prints its help
	}
	c.sub = words[0].text
	steered := c.r.marks != marks
	c.gitSub(words[1:])
	if steered {
		c.label = ""
	}
}

// gitOption judges an option before the subcommand and returns how many words it takes, 0
// when nothing follows.
func (c *call) gitOption(option string, rest []value) int {
	next := value{}
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
		c.warn("git shows its output with the program that is set up as pager.")
		return 1
	case "-C":
		c.file(next, toolspec.UseRead)
		c.r.enter(next)
		return 2
	case "-c":
		if key, _, _ := strings.Cut(strings.ToLower(next.text), "="); !next.sure() || !gitPlain(key) {
			c.warn("git is given the setting " + short(next.shown) + ", which can make it run other programs.")
		}
		return 2
	case "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "--exec-path", "--config-env":
		if name == "--exec-path" && attached == "" {
			return 0
		}
		c.warn("git works with " + short(option) + ", which can make it run other programs.")
		if attached == "" {
			return 2
		}
		return 1
	}
	c.warn("git is given " + short(option) + ", which is not known here.")
	return 1
}

// gitPlain reports whether a setting only changes how git shows things or who it names.
func gitPlain(key string) bool {
	for _, begins := range []string{
		"color.", "advice.", "column.", "user.name", "user.email", "core.quotepath",
		"core.abbrev", "log.", "diff.renames", "diff.algorithm", "diff.context", "diff.noprefix", "diff.mnemonicprefix",
		"status.", "init.defaultbranch", "i18n.", "blame.", "commit.gpgsign", "tag.gpgsign", "pull.rebase", "gc.auto",
		"safe.directory",
	} {
		if key == begins || strings.HasSuffix(begins, ".") && strings.HasPrefix(key, begins) {
			return true
		}
	}
	return false
}

func (c *call) gitSub(rest []value) {
	if options, looks := gitLooks[c.sub]; looks {
		q := parser{options: spec(options)}
		c.apply(q, q.parse(rest))
		c.paths(rest)
		return
	}
	first := ""
	if len(rest) > 0 && rest[0].sure() {
		first = rest[0].text
	}
	if gitLists(c.sub, first, rest) {
		return
	}
	if c.gitRuns(rest) {
		return
	}
	switch {
	case c.sub == "rm" || c.sub == "clean":
		c.gitDeletes(rest)
	case c.sub == "config":
		c.warn("git config changes settings that can make git run other programs.")
	case slices.Contains(gitReaches, c.sub):
		c.gitNetwork(rest)
	case slices.Contains(gitWrites, c.sub):
		c.file(literal("."), toolspec.UseWrite)
		c.gitWrite(first, rest)
	case slices.Contains([]string{
		"reset", "restore", "rebase", "gc", "prune", "filter-branch", "filter-repo",
		"update-ref", "reflog", "replace", "repack", "pack-refs", "symbolic-ref", "update-index", "read-tree",
		"checkout-index", "fast-import", "maintenance", "rerere", "bisect",
	}, c.sub):
		c.file(literal("."), toolspec.UseWrite)
		c.warn("git " + c.sub + " can throw away changes or history.")
		c.label = "git " + c.sub
		if first == "--hard" || slices.ContainsFunc(rest, func(w value) bool { return !w.sure() }) {
			c.label = ""
		}
	default:
		c.warn("“git " + short(c.sub) + "” is not known here; it may be an alias that runs anything.")
	}
}

// paths judges the words of a looking subcommand that are paths for certain, after --, and
// those of diff --no-index.
func (c *call) paths(rest []value) {
	after := false
	for _, w := range rest {
		switch {
		case w.text == "--no-index" && w.sure():
			after = true
		case w.text == "--" && w.sure():
			after = true
		case after && !strings.HasPrefix(w.text, "-"):
			c.file(w, toolspec.UseRead)
		case !w.sure() && w.option():
			c.warn("“" + short(w.shown) + "” could be any option of git " + c.sub + " when it runs.")
		}
	}
}

// gitLists reports whether a subcommand that can change is used in a way that only lists.
func gitLists(sub, first string, rest []value) bool {
	switch sub {
	case "worktree", "notes", "sparse-checkout", "bundle":
		return first == "list" || first == "verify"
	case "submodule":
		return first == "status" || first == "summary"
	case "symbolic-ref":
		return len(rest) == 1 || len(rest) == 2 && first == "--short"
	case "bisect":
		return first == "log" || first == "view"
	case "rerere":
		return first == "status" || first == "diff"
	case "config":
		asks := slices.Contains([]string{"--get", "--list", "-l", "--get-all", "--get-regexp", "get", "list"}, first)
		return asks && !slices.ContainsFunc(rest, func(w value) bool {
			return !w.sure() || slices.Contains([]string{"--edit", "-e", "--unset", "--add", "--replace-all"}, w.text)
		})
	}
	return gitListing(sub, first, rest)
}

// gitListing is gitLists for subcommands that list with the right options.
func gitListing(sub, first string, rest []value) bool {
	only := func(words ...string) bool {
		return !slices.ContainsFunc(rest, func(w value) bool {
			name, _, _ := strings.Cut(w.text, "=")
			return !w.sure() || !slices.Contains(words, name)
		})
	}
	switch sub {
	case "branch":
		return only("-a", "-r", "-v", "-vv", "--list", "-l", "--show-current", "--all", "--remotes", "--no-color",
			"--color", "--sort", "--format")
	case "tag":
		return only("-l", "--list", "-n", "--sort", "--format", "-n1")
	case "remote":
		return (first == "" || first == "-v" || first == "--verbose" || first == "get-url") &&
			only("-v", "--verbose", "get-url", "origin", "upstream")
	case "stash":
		return first == "list" && only("list") || first == "show" && only("show", "-p", "--stat", "stash@{0}")
	case "reflog":
		return only("show", "HEAD", "-n", "--all", "--oneline", "--date")
	}
	return false
}
