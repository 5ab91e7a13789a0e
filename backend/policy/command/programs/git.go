package programs

import (
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
)

// gitReaders are the read-only subcommands of git, with those of their options that ParseOptions must know.
var gitReaders = map[string]string{
	"status": "", "log": showOptions, "diff": showOptions, "show": showOptions,
	"blame": "contents=r S=r", "rev-parse": "",
	"ls-files": "X=r exclude-from=r", "ls-tree": "", "cat-file": "textconv! filters!",
	"describe": "", "shortlog": showOptions, "rev-list": "", "name-rev": "", "merge-base": "", "for-each-ref": "",
	"show-ref": "", "count-objects": "", "var": "", "version": "", "help": "w! web! ",
	"whatchanged": showOptions, "diff-tree": showOptions, "diff-index": showOptions, "diff-files": showOptions,
	"check-ignore": "",
	"check-attr":   "", "grep": "O?x open-files-in-pager?x ext-grep! textconv! f=r",
	"range-diff": showOptions, "cherry": "", "show-branch": "", "verify-commit": "", "verify-tag": "",
	"fsck": "lost-found!", "get-tar-commit-id": "", "annotate": "", "check-ref-format": "", "stripspace": "",
	"diff-pairs": "",
}

const showOptions = "output=w ext-diff! textconv! show-signature! O=r order-file=r S=t G=t n=t U=t"

// gitWrites are the subcommands that change the repository in a way that can usually be undone.
var gitWrites = []string{
	"add", "commit", "init", "stage", "mv", "notes", "stash", "tag", "branch", "worktree", "am", "apply",
	"cherry-pick", "revert", "merge", "switch", "checkout", "sparse-checkout", "bundle", "format-patch", "archive",
}

var gitRemotes = []string{
	"clone", "fetch", "pull", "push", "ls-remote", "submodule", "remote", "request-pull", "send-email", "svn", "p4",
	"lfs", "fetch-pack", "send-pack", "archive --remote", "imap-send",
}

// GitSettingIsSafe reports whether a git setting is known not to name a program that git starts. key must be in lower
// case.
func GitSettingIsSafe(key string) bool {
	for _, begins := range []string{
		"color.", "advice.", "column.", "user.name", "user.email", "core.quotepath", "core.abbrev", "log.",
		"diff.renames", "diff.algorithm", "diff.context", "diff.noprefix", "diff.mnemonicprefix", "status.",
		"init.defaultbranch", "i18n.", "blame.", "commit.gpgsign", "tag.gpgsign", "pull.rebase", "gc.auto",
		"safe.directory",
	} {
		if key == begins || strings.HasSuffix(begins, ".") && strings.HasPrefix(key, begins) {
			return true
		}
	}
	return false
}

// GitOnlyLists reports whether this call of a git subcommand only lists, although the subcommand can change something.
// rest are the words after the subcommand, and first is the text of rest[0].
func GitOnlyLists(sub, first string, rest []bash.Word) bool {
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
		changes := []string{"--edit", "-e", "--unset", "--add", "--replace-all"}
		return asks && !slices.ContainsFunc(rest, func(w bash.Word) bool {
			return !w.IsLiteral() || slices.Contains(changes, w.Text)
		})
	}
	return gitListsByOptions(sub, first, rest)
}

func gitListsByOptions(sub, first string, rest []bash.Word) bool {
	only := func(words ...string) bool {
		return !slices.ContainsFunc(rest, func(w bash.Word) bool {
			name, _, _ := strings.Cut(w.Text, "=")
			return !w.IsLiteral() || !slices.Contains(words, name)
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

// ReadOnlyGitOptions returns the options of a read-only git subcommand. ok is false for any other subcommand.
func ReadOnlyGitOptions(subcommand string) (options []Option, ok bool) {
	spec, ok := gitReaders[subcommand]
	return ParseOptions(spec), ok
}

// GitContactsRemote reports whether a git subcommand may contact another repository.
func GitContactsRemote(subcommand string) bool { return slices.Contains(gitRemotes, subcommand) }

// GitWritesReversibly reports whether a git subcommand changes the repository in a way that can usually be undone.
func GitWritesReversibly(subcommand string) bool { return slices.Contains(gitWrites, subcommand) }
