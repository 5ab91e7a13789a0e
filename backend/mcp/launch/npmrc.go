package launch

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// copyRegistries follows no link: the server may write its home.
func copyRegistries(personHome, serverHome string) error {
	path := filepath.Join(serverHome, ".npmrc")
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	text := registrySettings(personHome)
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

const maxNpmrc = 64 << 10

// registrySettings returns the registries of the person's .npmrc, without credentials: the server can read the copy.
func registrySettings(home string) string {
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
	var settings strings.Builder
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		wanted := name == "registry" || name == "strict-ssl" ||
			strings.HasPrefix(name, "@") && strings.HasSuffix(name, ":registry")
		// An address may contain credentials, or a variable that does.
		if ok && wanted && !strings.ContainsAny(value, "@$") {
			settings.WriteString(name + "=" + value + "\n")
		}
	}
	return settings.String()
}
