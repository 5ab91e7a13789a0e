package command

import (
	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/toolspec"
)

func specialJudge(name string) func(*simpleCommand) {
	if judge := wrapperJudge(name); judge != nil {
		return judge
	}
	if judge := builtinJudge(name); judge != nil {
		return judge
	}
	if judge := networkJudge(name); judge != nil {
		return judge
	}
	switch name {
	case "git":
		return (*simpleCommand).git
	case "find", "gfind":
		return (*simpleCommand).find
	case "fd", "fdfind":
		return (*simpleCommand).fd
	case "sed", "gsed":
		return (*simpleCommand).sed
	case "awk", "gawk", "mawk", "nawk":
		return (*simpleCommand).awk
	case "cp", "mv", "install", "ln", "gcp", "gmv":
		return (*simpleCommand).copyOrMove
	case "rm", "shred", "grm":
		return (*simpleCommand).remove
	case "patch":
		return func(c *simpleCommand) {
			// The patch itself names the files.
			c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
			p, _ := programs.Lookup("patch")
			c.judgeByTable(p)
		}
	case "dd":
		return (*simpleCommand).dd
	case "tar", "bsdtar", "gtar":
		return (*simpleCommand).tar
	case "zip", "unzip", "7z", "cpio", "ar", "unrar":
		return (*simpleCommand).archive
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "compress", "uncompress", "lzma":
		return (*simpleCommand).compress
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag":
		return (*simpleCommand).grep
	case "jq":
		return (*simpleCommand).jq
	case "python", "python2", "python3", "perl", "ruby", "node", "nodejs":
		return (*simpleCommand).interpreter
	case "vim", "nvim", "vimdiff", "gvim", "rvim":
		return func(c *simpleCommand) { c.warn(c.name + " is an editor, and " + programs.RunsAnyCommandWarning + ".") }
	case "go", "npm", "pnpm", "yarn", "npx", "cargo", "make", "gmake", "mvn", "gradle", "pip", "pip3", "poetry", "uv",
		"rustup", "gem", "bundle", "composer", "apt", "apt-get", "brew", "yum", "dnf", "pacman", "apk", "conda", "gh",
		"glab", "bunx", "pipx", "uvx":
		return (*simpleCommand).developerTool
	}
	return nil
}
