package programs

import (
	"slices"
	"strings"
)

// findTests are find's words that take one more word and only look.
var findTests = []string{
	"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
	"-type", "-xtype", "-size", "-mtime", "-mmin",
	"-atime", "-amin", "-ctime", "-cmin", "-maxdepth", "-mindepth", "-user", "-group", "-uid", "-gid", "-perm",
	"-links", "-inum", "-fstype", "-printf",
	"-regextype", "-used", "-context", "-D",
}

// findFlags are those that take no more.
var findFlags = []string{
	"-L", "-P", "-H", "-O", "-O1", "-O2", "-O3", "-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-readable",
	"-writable", "-executable", "-depth", "-d", "-mount", "-xdev",
	"-follow", "-daystart", "-warn", "-nowarn", "-noleaf", "-ignore_readdir_race", "-true", "-false", "-not", "-a",
	"-and", "-o", "-or", "(", ")", "!", ",", "-nouser", "-nogroup",
	"-E", "-X", "-s", "-x", "--help", "--version", "-help", "-version",
}

// FindTakesWord reports whether a word of find takes the next word, and only looks.
func FindTakesWord(word string) bool {
	return slices.Contains(findTests, word) || strings.HasPrefix(word, "-newer")
}

// FindTakesNone reports whether a word of find stands alone, and only looks.
func FindTakesNone(word string) bool { return slices.Contains(findFlags, word) }
