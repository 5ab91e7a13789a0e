// Command notices writes the licenses of everything that a release contains: the Go modules of a build with the given
// tags, and the npm packages of the window. Texts that are the same are written once.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// part is a module or package with the texts of its licenses and notices.
type part struct{ name, text string }

// licenseFile matches the files that a license asks to pass on.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|patents)([-.].*)?$`)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: notices TAGS FILE, in the repository's folder")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(tags, file string) error {
	modules, err := goModules(tags)
	if err != nil {
		return err
	}
	packages, err := npmPackages("frontend")
	if err != nil {
		return err
	}
	return os.WriteFile(file, written(append(modules, packages...)), 0o644) //nolint:gosec // everybody may read it
}

// goModules returns Go itself and the modules whose packages the program contains.
func goModules(tags string) ([]part, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking for Go's folder: %w", err)
	}
	const each = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`
	list, err := exec.Command("go", "list", "-deps", "-tags", tags, "-f", each, ".").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the modules: %w", err)
	}
	lines := append(strings.Split(string(list), "\n"), "Go  "+strings.TrimSpace(string(root)))
	slices.Sort(lines)
	var all []part
	for _, line := range slices.Compact(lines) {
		fields := strings.SplitN(line, " ", 3)
		if len(fields) < 3 {
			continue
		}
		one, err := read(strings.TrimSpace(fields[0]+" "+fields[1]), fields[2], "")
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// npmPackages returns the packages of a lock file that are not only for development.
func npmPackages(folder string) ([]part, error) {
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev, Optional    bool
		}
	}
	b, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err == nil {
		err = json.Unmarshal(b, &lock)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the lock file: %w", err)
	}
	var all []part
	for path, p := range lock.Packages {
		if path == "" || p.Dev || p.Optional {
			continue
		}
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		one, err := read(name+" "+p.Version, filepath.Join(folder, path), p.License)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return slices.Compact(all), nil
}

// read reads the licenses in a folder. Without any, it names the license that the package says it has.
func read(name, folder, license string) (part, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return part{}, fmt.Errorf("reading %s: %w", name, err)
	}
	var texts []string
	for _, e := range entries {
		if e.Type().IsRegular() && licenseFile.MatchString(e.Name()) {
			b, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return part{}, fmt.Errorf("reading %s: %w", name, err)
			}
			texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n")))
		}
	}
	switch {
	case len(texts) > 0:
		return part{name, strings.Join(texts, "\n\n")}, nil
	case license != "":
		return part{name, "License: " + license + ". The package contains no text of it."}, nil
	}
	return part{}, errors.New(name + " has no license")
}

// written returns the parts with the same text together.
func written(parts []part) []byte {
	names := map[string][]string{}
	var order []string
	for _, p := range parts {
		if names[p.text] == nil {
			order = append(order, p.text)
		}
		names[p.text] = append(names[p.text], p.name)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	fmt.Fprintf(w, "Sextant contains %d works by others under these licenses.\n", len(parts))
	for _, text := range order {
		fmt.Fprintf(w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(names[text], "\n"), text)
	}
	_ = w.Flush() // a buffer takes everything
	return b.Bytes()
}
