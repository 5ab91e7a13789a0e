package authoring

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sextant/backend/panels/manifest"
)

// readGuide is docs/panels.md.
func readGuide(t *testing.T) string {
	t.Helper()
	guide, err := os.ReadFile("../../../docs/panels.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(guide)
}

// TestExampleInTheGuideIsValid writes the files that the guide shows, each after a line that begins with its name.
func TestExampleInTheGuideIsValid(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plants")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n`([a-z]+\\.(?:json|js))` [^\n]*:\n\n```[a-z]+\n(.*?)```\n").
		FindAllStringSubmatch(readGuide(t), -1)
	if len(blocks) != 3 {
		t.Fatalf("found %d files, want manifest.json, backend.js and page.json", len(blocks))
	}
	for _, block := range blocks {
		if err := os.WriteFile(filepath.Join(dir, block[1]), []byte(block[2]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if report := manifest.Validate(dir); !report.OK || len(report.Problems) > 0 {
		t.Errorf("the example is not valid: %+v", report)
	}
}

// TestGuideCommandsWork runs the commands in the sh blocks of docs/panels.md in order.
func TestGuideCommandsWork(t *testing.T) {
	guide := readGuide(t)
	folder, done, packed := t.TempDir(), map[string]int{}, map[string][]byte{}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(guide, -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			words := strings.Fields(line)
			switch {
			case strings.HasPrefix(line, "sextant panels new ") && len(words) == 6 && words[4] == "--kind":
				if _, err := CreatePanel(folder, words[3], words[5]); err != nil {
					t.Errorf("%s: %v", line, err)
				}
				done[words[5]]++
			case strings.HasPrefix(line, "sextant panels validate ~/.local/share/sextant/panels/"):
				dir := filepath.Join(folder, filepath.Base(words[3]))
				if report := manifest.Validate(dir); !report.OK || len(report.Problems) > 0 {
					t.Errorf("%s: %+v", line, report)
				}
				done["validate"]++
			case strings.HasPrefix(line, "sextant panels pack ") && len(words) == 4:
				text, err := Pack(filepath.Join(folder, words[3]))
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
				packed[words[3]+Extension] = text
				done["pack"]++
			case strings.HasPrefix(line, "sextant panels install ") && len(words) == 4:
				if offer := install(t, t.TempDir(), packed[words[3]]); len(offer.Files) == 0 {
					t.Errorf("%s: %+v", line, offer)
				}
				done["install"]++
			default:
				t.Errorf("the guide says what nothing here does: %s", line)
			}
		}
	}
	for _, step := range append(kinds(), "validate", "pack", "install") {
		if done[step] == 0 {
			t.Errorf("the guide does not say how: %s", step)
		}
	}
}
