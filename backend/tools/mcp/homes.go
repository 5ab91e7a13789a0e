package mcp

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

	"sextant/backend/guard/confine"
)

// homeOf is the folder that is a server's home, made when it is missing.
func (b *Sandbox) homeOf(server string, e Entry) (string, error) {
	dir := b.homePath(server, e)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the server's home: %w", err)
	}
	if _, err := os.Stat(dir + ranOnce); err != nil {
		if err := fresh(dir); err != nil {
			return "", fmt.Errorf("clearing the server's home: %w", err)
		}
	}
	if err := registries(b.Home, dir); err != nil {
		return "", fmt.Errorf("writing to the server's home: %w", err)
	}
	return dir, nil
}

// ranOnce ends the name of the file beside a home that says that its server has run there.
const ranOnce = ".ran"

// ran notes that a server runs, with all that it is made of.
func (b *Sandbox) ran(server string, e Entry) error {
	if b == nil || b.Homes == "" {
		return nil
	}
	dir := b.homePath(server, e)
	if _, err := os.Stat(dir); err != nil {
		return nil // it runs without walls
	}
	return os.WriteFile(dir+ranOnce, nil, 0o600)
}

// fresh removes what npx was unpacking when an earlier start was broken off: it takes half of a package
// for all of it. Once a server has run, what it keeps may lie there, and stays.
func fresh(home string) error {
	root, err := os.OpenRoot(home) // the home is the server's: no link in it leads out
	if err != nil {
		return err
	}
	defer root.Close()
	_ = root.RemoveAll(".npm/_npx") // it is mostly not there; a link that leads out is refused
	return nil
}

// homePath is the home of a server of that name and program: what one program kept is not found by another
// that is given its name later.
func (b *Sandbox) homePath(server string, e Entry) string {
	sum := sha256.Sum256([]byte(server + "\x00" + e.program()))
	return filepath.Join(b.Homes, homeName(server)+"-"+hex.EncodeToString(sum[:4]))
}

func homeName(server string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, server)
}

// program is which program the entry starts: its command, and its first argument that is no option, which
// names a package or a script; another version or another folder to work in leaves it the same program.
func (e Entry) program() string {
	for _, arg := range e.Args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		if at := strings.LastIndex(arg, "@"); at > 0 && !strings.Contains(arg[at:], "/") {
			arg = arg[:at]
		}
		return asText([]string{e.Command, arg})
	}
	return asText([]string{e.Command})
}

var homeFolder = regexp.MustCompile(`^(.*)-[0-9a-f]{8}$`)

// sweep removes homes that no entry has, of one server or, for "", of all.
func (b *Sandbox) sweep(entries map[string]Entry, server string) error {
	if b == nil || b.Homes == "" {
		return nil
	}
	all, err := os.ReadDir(b.Homes)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	used := map[string]bool{}
	for name, e := range entries {
		used[filepath.Base(b.homePath(name, e))] = true
	}
	for _, one := range all {
		folder := strings.TrimSuffix(one.Name(), ranOnce)
		parts := homeFolder.FindStringSubmatch(folder)
		if parts == nil || used[folder] || server != "" && parts[1] != homeName(server) {
			continue
		}
		err = errors.Join(err, confine.Wipe(filepath.Join(b.Homes, one.Name())))
	}
	return err
}
