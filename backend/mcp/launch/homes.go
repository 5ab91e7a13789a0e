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

// startedSuffix ends the name of a file beside a home, which exists once the server has started there.
const startedSuffix = ".ran"

// MarkStarted records that a server has started successfully. s may be nil.
func (s *Sandbox) MarkStarted(server string, e config.Entry) error {
	if s == nil || s.Homes == "" {
		return nil
	}
	dir := s.homePath(server, e)
	if _, err := os.Stat(dir); err != nil {
		return nil // the program runs outside the sandbox
	}
	return os.WriteFile(dir+startedSuffix, nil, 0o600)
}

// removePartialPackages removes npx's packages: if an earlier start was interrupted, npx would use a partial one. It
// must run before the server's first successful start, because later the server's own files may be there.
func removePartialPackages(home string) error {
	root, err := os.OpenRoot(home) // no link may lead out of the home, which the server can write
	if err != nil {
		return err
	}
	defer root.Close()
	_ = root.RemoveAll(".npm/_npx") // usually missing; a link that leads out is refused
	return nil
}

// homePath depends on the program too, so that another one with the same name does not find this one's files.
func (s *Sandbox) homePath(server string, e config.Entry) string {
	sum := sha256.Sum256([]byte(server + "\x00" + e.ProgramKey()))
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

// RemoveUnusedHomes removes the homes that belong to no entry. If server is not "", it considers only that
// server's. s may be nil.
func (s *Sandbox) RemoveUnusedHomes(entries map[string]config.Entry, server string) error {
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
