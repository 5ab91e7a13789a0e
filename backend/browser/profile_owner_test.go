package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/browser"
)

func TestProfileInUseFallsBackToTemporaryProfile(t *testing.T) {
	dir := t.TempDir()
	ctx, first := newBrowser(t, browser.Config{ProfileDir: dir})
	url := site(t, map[string]any{"/": `<title>Here</title>`})
	if page := openPage(t, ctx, first.Session(""), url); page.Note != "" {
		t.Errorf("the browser that has the profile notes %q", page.Note)
	}
	_, second := newBrowser(t, browser.Config{ProfileDir: dir})
	if page := openPage(t, ctx, second.Session(""), url); !strings.Contains(page.Note, "in use by process") ||
		!strings.Contains(page.Note, "throw-away") {
		t.Errorf("the second one notes %q", page.Note)
	}
	if page := openPage(t, ctx, second.Session(""), url); page.Note != "" {
		t.Errorf("the note is repeated: %q", page.Note)
	}
}

func TestBrokenProfileIsSetAside(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"a lock that cannot be removed": func(t *testing.T,
			dir string,
		) {
			writeFile(t, filepath.Join(dir, "SingletonLock", "x"))
		},
		"a file in place of the folder": func(t *testing.T, dir string) {
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "profile")
			spoil(t, dir)
			ctx, b := newBrowser(t, browser.Config{ProfileDir: dir})
			page := openPage(t, ctx, b.Session(""), site(t, map[string]any{"/": `<title>Here</title>`}))
			kept, _ := filepath.Glob(dir + ".broken-*")
			if len(kept) != 1 || !strings.Contains(page.Note, filepath.Base(kept[0])) {
				t.Errorf("kept %v, note %q", kept, page.Note)
			}
			if info, err := os.Stat(filepath.Join(dir, "Local State")); err != nil || info.IsDir() {
				t.Errorf("the new profile is not in use: %v", err)
			}
		})
	}
}

func TestProfileIsKeptWhenStartFailsForOtherReason(t *testing.T) {
	requireChromium(t)
	for said, want := range map[string]string{
		"no display": "no display",
		"[1:1:ERROR:zygote_host_impl_linux.cc(130)] No usable sandbox! If this": "cannot start its sandbox",
	} {
		t.Run(want, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "chromium")
			if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+said+"' >&2\nexit 1\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "profile")
			writeFile(t, filepath.Join(dir, "Default", "Cookies"))
			ctx, b := newBrowser(t, browser.Config{Path: program, ProfileDir: dir})
			err := b.Start(ctx)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, "Default", "Cookies")); err != nil {
				t.Errorf("the profile was moved: %v", err)
			}
		})
	}
}

// writeFile makes a file and the folders above it.
func writeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}
