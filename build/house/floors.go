package house

import (
	"fmt"
	"slices"
	"strings"
)

// Package is what the floors need to know of a Go package: its import path within the
// module and what its program files (not its tests) import.
type Package struct {
	Path    string
	Imports []string
}

// wings and the floor each stands on (docs/architecture.md). Packages under build are
// developer tools: they may import anything and only tests may import them.
func wings() map[string]int {
	return map[string]int{
		"shared": 1, "frontend": 1, "icons": 1,
		"guard": 2, "record": 2,
		"surfaces": 3, "calls": 3,
		"tools": 4, "panels": 4, "agent": 4,
		"api":  5,
		"app":  6,
		"main": 7,
	}
}

// Floors checks pkgs, all of module, against the floors: a package imports only lower
// floors or its own wing, and the lowest floor imports the standard library alone.
func Floors(module string, pkgs []Package) []string {
	var problems []string
	for _, p := range pkgs {
		wing := wingOf(module, p.Path)
		if wing == "build" {
			continue
		}
		if _, ok := wings()[wing]; !ok {
			problems = append(problems, fmt.Sprintf("%s: stands on no floor; give it a wing of docs/architecture.md", p.Path))
			continue
		}
		for _, imported := range p.Imports {
			if why := mayNotImport(module, wing, imported); why != "" {
				problems = append(problems, fmt.Sprintf("%s imports %s: %s", p.Path, imported, why))
			}
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

func mayNotImport(module, wing, imported string) string {
	floors := wings()
	if !within(module, imported) {
		if floors[wing] == 1 && strings.Contains(strings.Split(imported, "/")[0], ".") {
			return "the lowest floor holds to the standard library"
		}
		return ""
	}
	other := wingOf(module, imported)
	switch {
	case other == "build":
		return "build holds developer tools; only tests may use them"
	case other == wing:
		return ""
	case floors[other] == 0:
		return "that package stands on no floor"
	case floors[other] > floors[wing]:
		return fmt.Sprintf("%s is floor %d, above %s on floor %d", other, floors[other], wing, floors[wing])
	case floors[other] == floors[wing]:
		return fmt.Sprintf("%s and %s are wings of one floor", wing, other)
	}
	return ""
}

func within(module, importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// wingOf names the wing: the second element under backend, else the first; the module's
// own top is "main". The icons under build are part of the program.
func wingOf(module, importPath string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	if rest == "" {
		return "main"
	}
	parts := strings.Split(strings.TrimSuffix(rest, "_test"), "/")
	if rest == "build/icons" {
		return "icons"
	}
	if parts[0] == "backend" && len(parts) > 1 {
		return parts[1]
	}
	return parts[0]
}
