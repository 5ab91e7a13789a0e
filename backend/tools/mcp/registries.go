package mcp

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// registries writes an .npmrc into a server's home that names the registries of the person's, without
// what logs in to them: packages come from where they come for the person. The home is the server's to
// write, so that whatever stands there is taken away first and no link is followed.
func registries(person, own string) error {
	path := filepath.Join(own, ".npmrc")
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	text := plainNpmrc(person)
	if text == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// maxNpmrc bounds what is read of the person's .npmrc, in bytes.
const maxNpmrc = 64 << 10

// plainNpmrc are the lines of the .npmrc in a home that say where packages come from.
func plainNpmrc(home string) string {
	path := filepath.Join(home, ".npmrc")
	info, err := os.Stat(path)
	if home == "" || err != nil || info.Mode().Type() != fs.FileMode(0) || info.Size() > maxNpmrc {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	var kept strings.Builder
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		plain := name == "registry" || strings.HasPrefix(name, "@") && strings.HasSuffix(name, ":registry") || name == "strict-ssl"
		// An address may hold a name and password, a value a variable that does.
		if ok && plain && !strings.ContainsAny(value, "@$") {
			kept.WriteString(name + "=" + value + "\n")
		}
	}
	return kept.String()
}
