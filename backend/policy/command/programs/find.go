package programs

import (
	"slices"
	"strings"
)

// findTests are the tests of find that have one argument and only read.
var findTests = []string{
	"-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
	"-type", "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin", "-maxdepth", "-mindepth",
	"-user", "-group", "-uid", "-gid", "-perm", "-links", "-inum", "-fstype", "-printf", "-regextype", "-used",
	"-context", "-D",
}

var findFlags = []string{
	"-L", "-P", "-H", "-O", "-O1", "-O2", "-O3", "-print", "-print0", "-ls", "-prune", "-quit", "-empty", "-readable",
	"-writable", "-executable", "-depth", "-d", "-mount", "-xdev", "-follow", "-daystart", "-warn", "-nowarn",
	"-noleaf", "-ignore_readdir_race", "-true", "-false", "-not", "-a", "-and", "-o", "-or", "(", ")", "!", ",",
	"-nouser", "-nogroup", "-E", "-X", "-s", "-x", "--help", "--version", "-help", "-version",
}

// IsReadOnlyFindTest reports whether a word of a find expression has one argument and only reads.
func IsReadOnlyFindTest(word string) bool {
	return slices.Contains(findTests, word) || strings.HasPrefix(word, "-newer")
}

// IsReadOnlyFindFlag reports whether a word of a find expression has no argument and only reads.
func IsReadOnlyFindFlag(word string) bool { return slices.Contains(findFlags, word) }
