package app

import (
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/event"
)

// Bounds of completing a path: how much of a folder is read, and how much of it is offered.
const (
	entriesRead = 2_000
	pathsShown  = 20
)

// pilotLive is what the pilot sees of the window: what it offers and completes comes from there.
func (s *System) pilotLive(panel string) grammar.Live {
	return grammar.Live{
		Marks: sync.OnceValue(func() *event.Marks { return masked(s.Secrets, s.Browser.Marks()) }),
		Tabs:  sync.OnceValue(func() []event.Tab { return masked(s.Secrets, s.Browser.State()).Tabs }),
		Tools: s.Discovery.ForPanel(panel).All(),
		Paths: remembered(func(begun string) []string { return pathsIn(s.Workspace(), begun) }),
	}
}

// remembered asks once for what is asked again and again in a row, as each form of a command does.
func remembered(list func(string) []string) func(string) []string {
	var last string
	var found []string
	asked := false
	return func(begun string) []string {
		if !asked || begun != last {
			last, found, asked = begun, list(begun), true
		}
		return found
	}
}

// pathsIn lists what begins like begun below folder, and nothing outside of it: links that lead
// Out are not followed. Hidden names are listed when the dot was typed.
func pathsIn(folder, begun string) []string {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	dir, name := path.Split(begun)
	if path.IsAbs(begun) || strings.HasPrefix(begun, "~") {
		return nil
	}
	dirName := path.Clean("./" + dir)
	if info, err := root.Stat(dirName); err != nil || !info.IsDir() {
		return nil // opening a pipe would wait for its writer
	}
	f, err := root.Open(dirName)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	entries, _ := f.ReadDir(entriesRead) // what could be read of a folder is offered
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), name) || name == "" && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if e.IsDir() {
			found = append(found, dir+e.Name()+"/")
		} else {
			found = append(found, dir+e.Name())
		}
	}
	slices.Sort(found)
	return found[:min(pathsShown, len(found))]
}
