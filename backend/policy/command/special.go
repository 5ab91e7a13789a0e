package command

import "sextant/shared/toolspec"

// specials is the judge of a program whose words need more than a table, nil for none.
func specials(name string) func(*call) {
	if judge := wrappers(name); judge != nil {
		return judge
	}
	if judge := ownCommands(name); judge != nil {
		return judge
	}
	if judge := networked(name); judge != nil {
		return judge
	}
	switch name {
	case "git":
		return (*call).git
	case "find", "gfind":
		return (*call).find
	case "fd", "fdfind":
		return (*call).fd
	case "sed", "gsed":
		return (*call).sed
	case "awk", "gawk", "mawk", "nawk":
		return (*call).awk
	case "cp", "mv", "install", "ln", "gcp", "gmv":
		return (*call).transfer
	case "rm", "shred", "grm":
		return (*call).remove
	case "patch":
		return func(c *call) {
			// The patch itself names the files.
			c.file(literal("."), toolspec.UseWrite)
			c.table(programs["patch"])
		}
	case "dd":
		return (*call).dd
	case "tar", "bsdtar", "gtar":
		return (*call).tar
	case "zip", "unzip", "7z", "cpio", "ar", "unrar":
		return (*call).archive
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "compress", "uncompress", "lzma":
		return (*call).compress
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ag":
		return (*call).grep
	case "jq":
		return (*call).jq
	case "python", "python2", "python3", "perl", "ruby", "node", "nodejs":
		return (*call).interpreter
	case "vim", "nvim", "vimdiff", "gvim", "rvim":
		return func(c *call) { c.warn(c.name + " is an editor, and " + anyCommand + ".") }
	case "go", "npm", "pnpm", "yarn", "npx", "cargo", "make", "gmake", "mvn", "gradle", "pip", "pip3", "poetry", "uv",
		"rustup", "gem", "bundle", "composer", "apt", "apt-get", "brew", "yum", "dnf", "pacman", "apk", "conda", "gh",
		"glab", "bunx", "pipx", "uvx":
		return (*call).tool
	}
	return nil
}
