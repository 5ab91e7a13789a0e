package importers

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func reader(t *testing.T) Reader {
	return Reader{
		Env:  func(name string) (string, bool) { return "hidden", name == "TOKEN" },
		Home: "/home/ada", Workspace: "/work", Bundles: filepath.Join(t.TempDir(), "bundles"),
	}
}

func TestReadLists(t *testing.T) {
	for _, c := range []struct {
		name, text, format string
		want               Server
		notes              []string
	}{
		{
			"Claude's", `{"mcpServers":{"files":{"command":"npx","args":["-y","server","${HOME}/x"],"env":{"A":"1"}}}}`,
			"mcpServers",
			Server{
				Name: "files", Command: "npx", Args: []string{"-y", "server", "/home/ada/x"},
				Env: map[string]string{"A": "1"},
			},
			nil,
		},
		{
			"a project's, with variables",
			`{"mcpServers":{"api":{"type":"http","url":"${BASE:-https://mcp.example}/mcp","headers":{"Authorization":"Bearer ${TOKEN}","X":"${NOWHERE}"}}}}`, "mcpServers",
			Server{
				Name: "api", Type: "http", URL: "https://mcp.example/mcp",
				Headers: map[string]string{"Authorization": "Bearer ${TOKEN}", "X": "${NOWHERE}"},
			},
			[]string{"${TOKEN} is an environment variable", "${NOWHERE} has no value"},
		},
		{
			"VS Code's, with comments", "\xef\xbb\xbf{ // mine\n\"inputs\":[{\"id\":\"key\",\"description\":\"The " +
				"key\",\"password\":true},{\"id\":\"dir\",\"default\":\"notes\"}],\n" +
				"\"servers\":{\"s\":{/* a \"program\" " +
				"*/\"type\":\"stdio\",\"command\":\"node\",\"args\":[\"${workspaceFolder}/a//b.js\"," +
				"\"${input:dir}\",],\"env\":{\"K\":\"${input:key}\"},\"envFile\":\".env\",},},}",
			"VS Code's mcp.json",
			Server{
				Name: "s", Type: "stdio", Command: "node", Args: []string{"/work/a//b.js", "notes"},
				Env: map[string]string{"K": "${input:key}"},
			},
			[]string{"The variables in .env are not imported", "VS Code asks for ${input:key} (The key)"},
		},
		{
			"VS Code's settings", `{"editor.tabSize":2,"mcp":{"servers":{"s":{"url":"https://mcp.example/"}}}}`,
			"VS Code's settings",
			Server{Name: "s", URL: "https://mcp.example/"},
			nil,
		},
		{
			"another program's word for an address", `{"mcpServers":{"s":{"httpUrl":"https://mcp.example/"}}}`,
			"mcpServers",
			Server{Name: "s", URL: "https://mcp.example/"},
			nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := reader(t).Parse([]byte(c.text))
			if err != nil || len(list.Servers) != 1 || !strings.Contains(list.Format, c.format) {
				t.Fatalf("%+v %v", list, err)
			}
			got := list.Servers[0]
			if len(got.Notes) != len(c.notes) {
				t.Fatalf("notes %q", got.Notes)
			}
			for i, want := range c.notes {
				if !strings.Contains(got.Notes[i], want) || strings.Contains(got.Notes[i], "hidden") {
					t.Errorf("note %q", got.Notes[i])
				}
			}
			got.Notes = nil
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidLists(t *testing.T) {
	for text, says := range map[string]string{
		"":                             "neither JSON nor a bundle",
		"{}":                           "contains no servers",
		`{"mcpServers":{"a":7}}`:       "server a",
		`{"mcpServers":[1]}`:           "neither JSON",
		"PK\x03\x04 and no more":       "not a valid zip file",
		strings.Repeat(" ", maxText+1): "larger than 1 MB",
		`{"mcpServers":{"a":{"command":"x` + "\\": "neither JSON",
	} {
		t.Run(says, func(t *testing.T) {
			if _, err := reader(t).Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%.40q: %v", text, err)
			}
		})
	}
}

// packed is a zip file of the files; a name that begins with ! has the bit to be run.
func packed(t *testing.T, files map[string]string, links ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	put := func(name, text string, mode fs.FileMode) {
		head := &zip.FileHeader{Name: name, Method: zip.Deflate}
		head.SetMode(mode)
		f, err := w.CreateHeader(head)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		if run, ok := strings.CutPrefix(name, "!"); ok {
			put(run, text, 0o755)
		} else {
			put(name, text, 0o644)
		}
	}
	for _, link := range links {
		put(link, "/etc/passwd", fs.ModeSymlink|0o777)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

const bundleManifest = `{"manifest_version":"0.3","name":"notes-server","display_name":"Notes","version":"1.2.0","author":{"name":"Ada"},
"server":{"type":"binary","entry_point":"server/run","mcp_config":{"command":"run.exe","args":["--dir","${user_config.dirs}","--home=${HOME}"],"env":{"KEY":"${user_config.key}","LEVEL":"${user_config.level}"},
"platform_overrides":{"linux":{"command":"${__dirname}/server/run"}}}},
"user_config":{"dirs":{"type":"directory","multiple":true,"default":["${HOME}/a","${DOCUMENTS}"]},"key":{"title":"API key","required":true,"sensitive":true},"level":{"default":3000000}}}`

func TestBundle(t *testing.T) {
	r := reader(t)
	list, err := r.Parse(packed(t, map[string]string{
		"manifest.json": bundleManifest, "!server/run": "#!/bin/sh\n",
		"server/data.txt": "data",
	}))
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(r.Bundles, "notes-server")
	s, b := list.Servers[0], list.Bundle
	if s.Command != folder+"/server/run" ||
		!slices.Equal(s.Args, []string{"--dir", "/home/ada/a", "/home/ada/Documents", "--home=/home/ada"}) ||
		s.Env["LEVEL"] != "3000000" || s.Env["KEY"] != "${user_config.key}" {
		t.Errorf("%+v", s)
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "API key") {
		t.Errorf("notes %q", s.Notes)
	}
	if b.Title != "Notes" || b.Version != "1.2.0" || b.Author != "Ada" || b.Files != 3 || b.Folder != folder {
		t.Errorf("%+v", b)
	}
	if _, err := os.Stat(r.Bundles); !os.IsNotExist(err) {
		t.Errorf("a look wrote something: %v", err)
	}
	if err := b.unpack(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"server/run": 0o700, "server/data.txt": 0o600} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if err := b.unpack(); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second time: %v", err)
	}
}

func TestHostileBundles(t *testing.T) {
	with := func(more map[string]string, links ...string) []byte {
		more["manifest.json"] = bundleManifest
		return packed(t, more, links...)
	}
	for name, data := range map[string][]byte{
		"parent folder in a name": with(map[string]string{"../../evil": "x"}),
		"absolute name":           with(map[string]string{"/tmp/evil": "x"}),
		"a link":                  with(map[string]string{}, "server/link"),
		"file below a file":       with(map[string]string{"a": "x", "a/b": "y"}),
		"duplicate name":          with(map[string]string{"a": "x", "./a": "y"}),
	} {
		t.Run(name, func(t *testing.T) {
			r := reader(t)
			list, err := r.Parse(data)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			if err := list.Bundle.unpack(); err == nil {
				t.Errorf("%s was unpacked", name)
			}
			found, err := filepath.Glob(filepath.Join(filepath.Dir(r.Bundles), "*", "*"))
			if err != nil || len(found) > 0 {
				t.Errorf("%s: left %v %v", name, found, err)
			}
		})
	}
	for name, text := range map[string]string{
		"no manifest":    "",
		"path as a name": strings.Replace(bundleManifest, "notes-server", "../evil", 1),
		"no command":     `{"name":"x","server":{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"other": "x"}
			if text != "" {
				files["manifest.json"] = text
			}
			if _, err := reader(t).Parse(packed(t, files)); err == nil {
				t.Errorf("%s was accepted", name)
			}
		})
	}
}
