//go:build !linux

package safefs

import "os"

// OpenFlags adds nothing here: files that block are excluded by their type before they are opened.
const OpenFlags = 0

// isAt reports whether the open file f was reached by the real path.
func isAt(f *os.File, path string) bool { return isNowAt(f, path) }
