// Package foreign reads the MCP servers that other programs list: claude_desktop_config.json and
// .mcp.json (mcpServers), VS Code's mcp.json and settings (servers, with comments), and bundles
// (.mcpb, a zip file with a manifest). It only reads and unpacks; what is done with a server is for
// its caller, and nothing in such a file is to be believed.
package foreign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Bounds of what is read.
const (
	maxServers = 64
	maxText    = 1 << 20
	maxFile    = 300 << 20
)

// List is what a file holds.
type List struct {
	// Format says in words what the file is.
	Format  string
	Servers []Server
	// Bundle is set when the file is a bundle, which has to be unpacked.
	Bundle *Bundle
	// Digest stands for the bytes that were read, in hexadecimal: what is imported is known by it to
	// be what was looked at.
	Digest string
}

// Server is one server as Sextant would run it. Notes say what a person has to do before it can
// work, and what of the file was left out.
type Server struct {
	Name     string
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Cwd      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Type     string            `json:"type"`
	Disabled bool              `json:"disabled"`
	// OAuth is as Sextant's own list has it.
	OAuth json.RawMessage `json:"oauth"`
	Notes []string        `json:"-"`
}

// Reader knows the machine that a file is read for.
type Reader struct {
	// Env looks a variable of the environment up.
	Env func(name string) (value string, ok bool)
	// Home is the person's folder, Workspace the one that is worked in, Bundles where a bundle is
	// unpacked, in a folder of its own.
	Home, Workspace, Bundles string
}

// Open is Read of the file at path.
func (r Reader) Open(path string) (List, error) {
	file, err := os.Open(path)
	if err != nil {
		return List{}, fmt.Errorf("reading the file: %w", err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return List{}, fmt.Errorf("reading the file: %w", err)
	case !info.Mode().IsRegular():
		return List{}, fmt.Errorf("%s is not a file", path)
	case info.Size() > maxFile:
		return List{}, fmt.Errorf("%s is larger than %d MB", path, maxFile>>20)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	if err != nil {
		return List{}, fmt.Errorf("reading the file: %w", err)
	}
	return r.Read(data)
}

// Read lists the servers in data. Its errors say what such a file looks like.
func (r Reader) Read(data []byte) (List, error) {
	list, err := r.read(data)
	sum := sha256.Sum256(data)
	list.Digest = hex.EncodeToString(sum[:])
	return list, err
}

func (r Reader) read(data []byte) (List, error) {
	if bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return r.bundle(data)
	}
	if len(data) > maxText {
		return List{}, errors.New("the file is larger than 1 MB, which no list of servers is")
	}
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"`
		Inputs     []input                    `json:"inputs"`
		MCP        struct {
			Servers map[string]json.RawMessage `json:"servers"`
			Inputs  []input                    `json:"inputs"`
		} `json:"mcp"`
	}
	if err := json.Unmarshal(plain(data), &file); err != nil {
		return List{}, fmt.Errorf("the file is neither JSON nor a bundle (.mcpb): %w", err)
	}
	list, raw, inputs := List{Format: "a list in the mcpServers form"}, file.MCPServers, file.Inputs
	switch {
	case len(raw) > 0:
	case len(file.Servers) > 0:
		list.Format, raw = "VS Code's mcp.json", file.Servers
	case len(file.MCP.Servers) > 0:
		list.Format, raw, inputs = "VS Code's settings", file.MCP.Servers, file.MCP.Inputs
	default:
		return List{}, errors.New(`the file names no servers; they stand under "mcpServers" (Claude, Cursor and others) or "servers" (VS Code)`)
	}
	if len(raw) > maxServers {
		return List{}, fmt.Errorf("the file names %d servers; at most %d are taken", len(raw), maxServers)
	}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		s, err := r.server(name, raw[name], inputs)
		if err != nil {
			return List{}, err
		}
		list.Servers = append(list.Servers, s)
	}
	return list, nil
}

// input is a value that VS Code asks its person for.
type input struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Default     string `json:"default"`
	Password    bool   `json:"password"`
}

func (r Reader) server(name string, raw json.RawMessage, inputs []input) (Server, error) {
	s := Server{}
	var more struct {
		EnvFile   string `json:"envFile"`
		ServerURL string `json:"serverUrl"`
		HTTPURL   string `json:"httpUrl"`
	}
	if err := errors.Join(json.Unmarshal(raw, &s), json.Unmarshal(raw, &more)); err != nil {
		return s, fmt.Errorf("server %s: it should be an object with command or url: %w", name, err)
	}
	s.Name = name
	for _, url := range []string{more.HTTPURL, more.ServerURL} {
		if s.URL == "" {
			s.URL = url
		}
	}
	if more.EnvFile != "" {
		s.Notes = append(s.Notes, "The file of variables "+more.EnvFile+" is not read: write under env what the server needs of it.")
	}
	r.fill(&s, func(name string) (string, string) { return r.value(name, inputs) })
	return s, nil
}

// place is where a value is put in: ${name}.
var place = regexp.MustCompile(`\$\{[^{}]{1,200}\}`)

// fill puts values in their places; the ones that are missing stay and are noted once.
func (r Reader) fill(s *Server, value func(name string) (text, note string)) {
	noted := map[string]bool{}
	put := func(text string) string {
		return place.ReplaceAllStringFunc(text, func(found string) string {
			with, note := value(found[2 : len(found)-1])
			if note == "" {
				return with
			}
			if !noted[note] {
				noted[note] = true
				s.Notes = append(s.Notes, note)
			}
			return found
		})
	}
	s.Command, s.URL, s.Cwd = put(s.Command), put(s.URL), put(s.Cwd)
	for i := range s.Args {
		s.Args[i] = put(s.Args[i])
	}
	for _, all := range []map[string]string{s.Env, s.Headers} {
		for _, key := range slices.Sorted(maps.Keys(all)) {
			all[key] = put(all[key])
		}
	}
}

// value is what stands for ${name} in a text file, or why that is not known.
func (r Reader) value(name string, inputs []input) (text, note string) {
	if id, ok := strings.CutPrefix(name, "input:"); ok {
		for _, in := range inputs {
			if in.ID != id {
				continue
			}
			if in.Default != "" && !in.Password {
				return in.Default, ""
			}
			return "", "${" + name + "} is asked for by VS Code (" + in.Description + "): write the value in its place, or the name of a secret."
		}
		return "", "${" + name + "} is asked for by VS Code: write the value in its place, or the name of a secret."
	}
	switch name {
	case "workspaceFolder", "workspaceRoot":
		return r.Workspace, ""
	case "userHome":
		return r.Home, ""
	case "pathSeparator", "/":
		return "/", ""
	}
	variable, otherwise, hasOther := strings.Cut(strings.TrimPrefix(name, "env:"), ":-")
	switch {
	case variable == "HOME":
		return r.Home, ""
	case hasOther:
		return otherwise, ""
	}
	// What is in the environment may be a secret, and this is written to a file: it is named only.
	if _, there := r.env(variable); there {
		return "", "${" + name + "} is a variable of the environment, which is not copied: write its value in its place, or the name of a secret."
	}
	return "", "${" + name + "} has no value here: write one in its place."
}

func (r Reader) env(name string) (string, bool) {
	if r.Env == nil {
		return "", false
	}
	return r.Env(name)
}

// plain is text without the comments and trailing commas that VS Code allows in JSON.
func plain(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch {
		case text[i] == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			out = append(out, text[i:end]...)
			i = end
		case bytes.HasPrefix(text[i:], []byte("//")):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case bytes.HasPrefix(text[i:], []byte("/*")):
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 4
		case text[i] == '}' || text[i] == ']':
			if kept := bytes.TrimRight(out, " \t\r\n"); bytes.HasSuffix(kept, []byte(",")) {
				out = kept[:len(kept)-1]
			}
			out = append(out, text[i])
			i++
		default:
			out = append(out, text[i])
			i++
		}
	}
	return out
}
