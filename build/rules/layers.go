package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Package is a Go package with the imports of its program files, without those of its tests.
type Package struct {
	Path    string
	Imports []string
}

// layers gives each group of packages its layer (docs/architecture.md). A group is the second element of the path under
// backend, else the first. Packages under build are developer tools: only tests may import them.
func layers() map[string]int {
	return map[string]int{
		"shared": 1, "docs": 1, "frontend": 1, "icons": 1,
		"policy": 2, "unattended": 2,
		"sandbox": 3, "store": 3,
		"surface": 4, "pipeline": 4, "attachment": 4, "telemetry": 4,
		"browser": 5, "toolkit": 5, "toolprovider": 5,
		"panelpage": 6,
		"tools":     7, "builtin panels": 7, "panels": 7, "mcp": 7, "agent": 7, "recipes": 7,
		"schedule": 8, "batch": 8,
		"api":  9,
		"app":  10,
		"main": 11,
	}
}

// CheckLayers checks all packages of module: a package imports only lower layers and its own group from the module, and
// a package of the lowest layer imports nothing else but the standard library. It returns one sentence for each import
// that breaks the rule, and for each package in no layer.
func CheckLayers(module string, pkgs []Package) []string {
	var problems []string
	for _, p := range pkgs {
		group := groupOf(module, p.Path)
		if group == "build" {
			continue
		}
		if _, ok := layers()[group]; !ok {
			problems = append(problems, fmt.Sprintf("%s: in no layer; add its group to build/rules/layers.go", p.Path))
			continue
		}
		for _, imported := range p.Imports {
			if why := forbidden(module, group, imported); why != "" {
				problems = append(problems, fmt.Sprintf("%s imports %s: %s", p.Path, imported, why))
			}
		}
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// forbidden returns why a package of group may not import a path, "" if it may.
func forbidden(module, group, imported string) string {
	layer := layers()
	if !within(module, imported) {
		if layer[group] == 1 && strings.Contains(strings.Split(imported, "/")[0], ".") {
			return "the lowest layer imports the standard library only"
		}
		return ""
	}
	other := groupOf(module, imported)
	switch {
	case other == "build":
		return "build contains developer tools; only tests may import them"
	case other == group:
		return ""
	case layer[other] == 0:
		return "that package is in no layer"
	case layer[other] > layer[group]:
		return fmt.Sprintf("%s is layer %d, above %s in layer %d", other, layer[other], group, layer[group])
	case layer[other] == layer[group]:
		return fmt.Sprintf("%s and %s are groups of one layer", group, other)
	}
	return ""
}

func within(module, importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// groupOf returns the group of a package. The module's root package is "main", the top-level panels are "builtin
// panels", and the icons under build are a group of their own because the program contains them.
func groupOf(module, importPath string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
	parts := strings.Split(strings.TrimSuffix(rest, "_test"), "/")
	switch {
	case rest == "":
		return "main"
	case rest == "build/icons":
		return "icons"
	case parts[0] == "panels":
		return "builtin panels"
	case parts[0] == "backend" && len(parts) > 1:
		return parts[1]
	}
	return parts[0]
}
