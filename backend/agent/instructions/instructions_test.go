package instructions_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/agent/instructions"
)

// memory stores settings until the test ends.
type memory struct {
	values map[string]string
	full   bool
}

func (m *memory) Setting(_ context.Context, key string) (string, bool, error) {
	v, ok := m.values[key]
	return v, ok, nil
}

func (m *memory) SetSetting(_ context.Context, key, value string) error {
	if m.full {
		return errors.New("the disk is full")
	}
	m.values[key] = value
	return nil
}

func open(t *testing.T, m *memory) *instructions.Instructions {
	t.Helper()
	i, err := instructions.Open(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func set(t *testing.T, i *instructions.Instructions, folder, text string) {
	t.Helper()
	if err := i.Set(t.Context(), folder, text); err != nil {
		t.Fatal(err)
	}
}

func TestInstructionsHoldInAndBelowTheirFolder(t *testing.T) {
	m := &memory{values: map[string]string{}}
	i := open(t, m)
	set(t, i, instructions.Everywhere, "Answer in Spanish.\n")
	set(t, i, "/home/ada/shop/", "Prices are in cents.")
	set(t, i, "/home/ada", "Use my notes.")
	i = open(t, m) // as after a restart
	for _, c := range []struct{ name, folder, want string }{
		{"elsewhere", "/srv", "Answer in Spanish."},
		{"a folder", "/home/ada", "Answer in Spanish.\n\nIn the folder /home/ada:\nUse my notes."},
		{
			"below two", "/home/ada/shop/src",
			"Answer in Spanish.\n\nIn the folder /home/ada:\nUse my notes.\n\n" +
				"In the folder /home/ada/shop:\nPrices are in cents.",
		},
		{
			"a neighbour with the same beginning", "/home/ada/shopping",
			"Answer in Spanish.\n\nIn the folder /home/ada:\nUse my notes.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, i.In(c.folder)); diff != "" {
				t.Error(diff)
			}
		})
	}
	set(t, i, "/home/ada", " ")
	want := []instructions.FolderText{
		{Folder: instructions.Everywhere, Text: "Answer in Spanish."},
		{Folder: "/home/ada/shop", Text: "Prices are in cents."},
	}
	if diff := cmp.Diff(want, i.List()); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidInstructionsChangeNothing(t *testing.T) {
	m := &memory{values: map[string]string{}}
	i := open(t, m)
	for n := range instructions.MaxFolders {
		set(t, i, fmt.Sprintf("/f%d", n), "text")
	}
	before := i.List()
	for _, c := range []struct{ name, folder, text, want string }{
		{"relative", "shop", "text", "absolute"},
		{"long", "/f1", strings.Repeat("ä", instructions.MaxText+1), "8001 characters"},
		{"one folder more", "/more", "text", "too many folders"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := i.Set(t.Context(), c.folder, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	m.full = true
	if err := i.Set(t.Context(), "/f1", "other"); err == nil {
		t.Error("a full disk was not reported")
	}
	if diff := cmp.Diff(before, i.List()); diff != "" {
		t.Error(diff)
	}
}
