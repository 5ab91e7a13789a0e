package app_test

import (
	"strings"
	"testing"

	"sextant/build/house"
	"sextant/shared/navigation"
)

func readTree(t *testing.T) []house.File {
	t.Helper()
	files, err := house.Read("..")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d source files found", len(files))
	}
	return files
}

func TestEveryFileStaysShort(t *testing.T) {
	for _, p := range house.Length(readTree(t)) {
		t.Error(p)
	}
}

func TestGoSourceKeepsTheHouseRules(t *testing.T) {
	for _, p := range house.GoSource(readTree(t)) {
		t.Error(p)
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	for _, p := range house.PackageComments(readTree(t)) {
		t.Error(p)
	}
}

func TestNamesOfTheMapStandOnlyInTheMap(t *testing.T) {
	m, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	var names house.Names
	for _, route := range m.Routes {
		_, path, _ := strings.Cut(route, " ")
		names.Paths = append(names.Paths, path)
	}
	names.Paths = append(names.Paths, m.EnvironmentPrefix)
	for _, p := range house.Literals(readTree(t), "shared/navigation", names) {
		t.Error(p)
	}
}
