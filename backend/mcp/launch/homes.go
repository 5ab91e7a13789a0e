package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sextant/backend/mcp/config"
	"sextant/backend/sandbox/confine"
)

// prepareHome is the folder that is the home of a server's program, made if it is missing.
func (s *Sandbox) prepareHome(server string, e config.Entry) (string, error) {
	dir := s.homePath(server, e)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the server's home: %w", err)
	}
	if _, err := os.Stat(dir + startedSuffix); err != nil {
		if err := removePartialPackages(dir); err != nil {
			return "", fmt.Errorf("clearing the server's home: %w", err)
		}
	}
	if err := copyRegistries(s.Home, dir); err != nil {
		return "", fmt.Errorf("writing to the server's home: %w", err)
	}
	return dir, nil
}

// startedSuffix ends the name of the file beside a home that says that its server once ran there.
const startedSuffix = ".ran"

// MarkStarted notes that a server runs with everything it needs. b may be nil.
func (s *Sandbox) MarkStarted(server string, e config.Entry) error {
	if s == nil || s.Homes == "" {
		return nil
	}
	dir := s.homePath(server, e)
	if _, err := os.Stat(dir); err != nil {
		return nil // it runs outside
	}
	return os.WriteFile(dir+startedSuffix, nil, 0o600)
}

// removePartialPackages removes what npx was unpacking when an earlier start was interrupted, which it
// would take for the whole package. Once a server has run, its own files may be there, and stay.
func removePartialPackages(home string) error {
	root, err := os.OpenRoot(home) // the server may write its home: no link leads out of it
	if err != nil {
		return err
	}
	defer root.Close()
	_ = root.RemoveAll(".npm/_npx") // usually missing; a link that leads out is refused
	return nil
}

// homePath depends on the server's name and program: another program that gets the name later does not
// find what this one left.
func (s *Sandbox) homePath(server string, e config.Entry) string {
	sum := sha256.Sum256([]byte(server + "\x00" + e.Program()))
	return filepath.Join(s.Homes, homeName(server)+"-"+hex.EncodeToString(sum[:4]))
}

func homeName(server string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, server)
}

var homePattern = regexp.MustCompile(`^(.*)-[0-9a-f]{8}$`)

// Sweep removes homes that belong to no entry, of one server or, for "", of all. b may be nil.
func (s *Sandbox) Sweep(entries map[string]config.Entry, server string) error {
	if s == nil || s.Homes == "" {
		return nil
	}
	all, err := os.ReadDir(s.Homes)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	used := map[string]bool{}
	for name, e := range entries {
		used[filepath.Base(s.homePath(name, e))] = true
	}
	for _, item := range all {
		folder := strings.TrimSuffix(item.Name(), startedSuffix)
		parts := homePattern.FindStringSubmatch(folder)
		if parts == nil || used[folder] || server != "" && parts[1] != homeName(server) {
			continue
		}
		err = errors.Join(err, confine.RemoveAll(filepath.Join(s.Homes, item.Name())))
	}
	return err
}
