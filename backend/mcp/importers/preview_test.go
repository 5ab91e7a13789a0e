package importers

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/mcp/config"
)

func TestImportPreview(t *testing.T) {
	path := filepath.Join(t.TempDir(), config.FileName)
	if err := config.Add(path, "a", config.Entry{Command: "mine"}); err != nil {
		t.Fatal(err)
	}
	take := func(text string) (added, skipped []string, err error) {
		list, err := Reader{}.Parse([]byte(text))
		if err != nil {
			return nil, nil, err
		}
		return Import(path, list, nil, false)
	}
	added, skipped, err := take(
		`{"mcpServers":{"a":{"command":"theirs"},"b":{"url":"https://mcp.example/","oauth":{"clientId":"me"}}}}`,
	)
	if err != nil || len(added) != 1 || added[0] != "b" || len(skipped) != 1 || skipped[0] != "a" {
		t.Fatalf("added %v, skipped %v, err %v", added, skipped, err)
	}
	before, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(before), `"disabled": true`) ||
		!strings.Contains(string(before), `"clientId": "me"`) {
		t.Fatalf("%s (%v)", before, err)
	}
	for _, bad := range []string{`{`, `{}`, `{"mcpServers":{"c":{}}}`, `{"mcpServers":{"c":7}}`} {
		t.Run(bad, func(t *testing.T) {
			if _, _, err := take(bad); err == nil {
				t.Errorf("%s was imported", bad)
			}
		})
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("a refused import changed the file (%v)", err)
	}
}

func TestDiscardedBundleLeavesNoFolder(t *testing.T) {
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for name, text := range map[string]string{"manifest.json": `{"manifest_version":"0.3","name":"notes","version":"1","server":{"type":"binary","entry_point":"run","mcp_config":{"command":"${__dirname}/run"}}}`, "run": "#!/bin/sh\n"} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	list, err := Reader{Bundles: t.TempDir()}.Parse(archive.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	// The bundle's folder takes the config's place, so that the config can be written no more.
	if added, _, err := Import(list.Bundle.Folder, list, nil, false); err == nil {
		t.Fatalf("added %v", added)
	}
	if _, err := os.Stat(list.Bundle.Folder); !os.IsNotExist(err) {
		t.Errorf("the folder stays: %v", err)
	}
}
