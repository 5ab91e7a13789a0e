package app_test

import (
	"strings"
	"testing"

	"sextant/build/rules"
	"sextant/shared/navigation"
)

func readTree(t *testing.T) []rules.File {
	t.Helper()
	files, err := rules.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d source files found", len(files))
	}
	return files
}

func TestPackageSizes(t *testing.T) {
	for _, p := range rules.CheckPackageSizes(readTree(t)) {
		t.Error(p)
	}
}

func TestLineLengths(t *testing.T) {
	for _, p := range rules.CheckLineLengths(readTree(t)) {
		t.Error(p)
	}
}

func TestGoSource(t *testing.T) {
	for _, p := range rules.CheckGoSource(readTree(t)) {
		t.Error(p)
	}
}

func TestPackageComments(t *testing.T) {
	for _, p := range rules.CheckPackageComments(readTree(t)) {
		t.Error(p)
	}
}

func TestNavigationNamesAreOnlyInTheMap(t *testing.T) {
	m, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	var names rules.NavigationNames
	for _, route := range m.Routes {
		_, path, _ := strings.Cut(route, " ")
		names.Paths = append(names.Paths, path)
	}
	names.Paths = append(names.Paths, m.EnvironmentPrefix)
	for _, p := range rules.CheckNavigationNames(readTree(t), "shared/navigation", names) {
		t.Error(p)
	}
}
