package downloaddir

import (
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxName = 120

// FileName converts a name that a site suggested to a safe file name: without a path, not a common device name of
// Windows, not hidden, and not too long.
func FileName(suggested string) string {
	name := suggested[strings.LastIndexAny(suggested, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co):
			return -1
		case unicode.IsSpace(r):
			return ' '
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if len(ext) > 20 {
		stem, ext = name, ""
	}
	if stem == "" {
		stem = "download"
	}
	// Windows reserves these names for devices, with any extension.
	switch first, _, _ := strings.Cut(strings.ToUpper(stem), "."); first {
	case "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "LPT1", "LPT2", "LPT3":
		stem = "_" + stem
	}
	for len(stem)+len(ext) > maxName {
		_, size := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-size]
	}
	return stem + ext
}
