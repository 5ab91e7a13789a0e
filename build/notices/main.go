// Command notices writes what a release contains, the Go modules of a build with the given tags and the npm packages of
// the window: their licenses as text, and a list of them as SPDX 2.3. Texts that are the same are written once.
//
//	go run ./build/notices TAGS VERSION SECONDS NOTICES SBOM
//
// SECONDS is the time of the release since 1970.
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
	"strconv"
	"strings"
	"time"
)

// part is a module or package with the texts of its licenses and notices. kind is the type of its package URL.
type part struct{ kind, name, version, license, text string }

func (p part) title() string { return strings.TrimSpace(p.name + " " + p.version) }

// licenseFile matches the files that a license asks to pass on.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|patents)([-.].*)?$`)

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: notices TAGS VERSION SECONDS NOTICES SBOM, in the repository's folder")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return err
	}
	modules, err := goModules(args[0])
	if err != nil {
		return err
	}
	packages, err := npmPackages("frontend")
	if err != nil {
		return err
	}
	parts := append(modules, packages...)
	if err := os.WriteFile(args[3], written(parts), 0o644); err != nil { //nolint:gosec // everybody may read it
		return err
	}
	list, err := spdx(parts, args[1], time.Unix(seconds, 0))
	if err != nil {
		return err
	}
	return os.WriteFile(args[4], list, 0o644) //nolint:gosec // everybody may read it
}

// goModules returns the standard library of Go and the modules whose packages the program contains.
func goModules(tags string) ([]part, error) {
	env, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking for Go's version and folder: %w", err)
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	const each = `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}`
	list, err := exec.Command("go", "list", "-deps", "-tags", tags, "-f", each, ".").Output()
	if err != nil {
		return nil, fmt.Errorf("listing the modules: %w", err)
	}
	lines := append(strings.Split(string(list), "\n"), "std "+strings.TrimPrefix(version, "go")+" "+root)
	slices.Sort(lines)
	var all []part
	for _, line := range slices.Compact(lines) {
		fields := strings.SplitN(line, " ", 3)
		if len(fields) < 3 {
			continue
		}
		one, err := part{kind: "golang", name: fields[0], version: fields[1]}.read(fields[2])
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
		one := part{kind: "npm", name: name, version: p.Version, license: p.License}
		one, err := one.read(filepath.Join(folder, path))
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b part) int { return strings.Compare(a.title(), b.title()) })
	return slices.Compact(all), nil
}

// read returns p with the licenses in a folder. Without any, it names the license that the package says it has.
func (p part) read(folder string) (part, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return part{}, fmt.Errorf("reading %s: %w", p.name, err)
	}
	var texts []string
	for _, e := range entries {
		if e.Type().IsRegular() && licenseFile.MatchString(e.Name()) {
			b, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return part{}, fmt.Errorf("reading %s: %w", p.name, err)
			}
			texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n")))
		}
	}
	switch {
	case len(texts) > 0:
		p.text = strings.Join(texts, "\n\n")
		return p, nil
	case p.license != "":
		p.text = "License: " + p.license + ". The package contains no text of it."
		return p, nil
	}
	return part{}, errors.New(p.name + " has no license")
}

// written returns the parts with the same text together.
func written(parts []part) []byte {
	names := map[string][]string{}
	var order []string
	for _, p := range parts {
		if names[p.text] == nil {
			order = append(order, p.text)
		}
		names[p.text] = append(names[p.text], p.title())
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
