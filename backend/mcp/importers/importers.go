// Package importers imports MCP servers from the files of other programs: claude_desktop_config.json and
// .mcp.json (mcpServers), VS Code's mcp.json and settings (servers, with comments), and bundles (.mcpb, a zip
// file with a manifest). Reader reads such a file, PreviewOf shows what an import would add, and Import adds it
// to mcp-config.json. The files are not trusted, and no server is started.
package importers

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
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const (
	maxServers = 64
	maxText    = 1 << 20
	maxFile    = 300 << 20
)

// List is the content of a file.
type List struct {
	// Format describes the file in words.
	Format  string
	Servers []Server
	// Bundle is set if the file is a bundle.
	Bundle *Bundle
	// Digest is the SHA-256 of the file in hexadecimal. It proves that the imported file is the previewed one.
	Digest string
}

// Server is one server of a List. Placeholders whose value is known are filled in. Notes say what a person must do
// before it can work, and what was left out.
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
	// OAuth has the same format as in mcp-config.json.
	OAuth json.RawMessage `json:"oauth"`
	Notes []string        `json:"-"`
}

// Reader reads files and fills in their placeholders for one machine.
type Reader struct {
	Env func(name string) (value string, ok bool)
	// Home is the person's home, Workspace the folder that they work in, and Bundles the folder that contains a
	// folder for each unpacked bundle.
	Home, Workspace, Bundles string
}

// NewReader returns the Reader for this machine. Bundles are unpacked below dataDir.
func NewReader(dataDir, workspace string) Reader {
	home, _ := os.UserHomeDir() // without one, variables of the home folder stay empty
	if abs, err := filepath.Abs(workspace); err == nil {
		workspace = abs
	}
	return Reader{
		Env: os.LookupEnv, Home: home, Workspace: workspace, Bundles: filepath.Join(dataDir, "bundles"),
	}
}

// ReadFile reads the file at path, see Parse.
func (r Reader) ReadFile(path string) (List, error) {
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
	return r.Parse(data)
}

// Parse lists the servers in data, the content of a file.
func (r Reader) Parse(data []byte) (List, error) {
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
		return List{}, errors.New("the file is larger than 1 MB, too large for a list of servers")
	}
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
		Servers    map[string]json.RawMessage `json:"servers"`
		Inputs     []vscodeInput              `json:"inputs"`
		MCP        struct {
			Servers map[string]json.RawMessage `json:"servers"`
			Inputs  []vscodeInput              `json:"inputs"`
		} `json:"mcp"`
	}
	text, err := hujson.Standardize(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) // VS Code allows comments
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
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
		return List{}, errors.New(`the file contains no servers; they are expected under "mcpServers" ` +
			`(Claude, Cursor and others) or "servers" (VS Code)`)
	}
	if len(raw) > maxServers {
		return List{}, fmt.Errorf("the file contains %d servers; at most %d can be imported", len(raw), maxServers)
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

type vscodeInput struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Default     string `json:"default"`
	Password    bool   `json:"password"`
}

func (r Reader) server(name string, raw json.RawMessage, inputs []vscodeInput) (Server, error) {
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
		s.Notes = append(s.Notes, "The variables in "+more.EnvFile+" are not imported. Add those that the server "+
			"needs to env.")
	}
	r.fill(&s, func(name string) (string, string) { return r.value(name, inputs) })
	return s, nil
}

var placeholder = regexp.MustCompile(`\$\{[^{}]{1,200}\}`)

func (r Reader) fill(s *Server, value func(name string) (text, note string)) {
	noted := map[string]bool{}
	put := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(found string) string {
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

func (r Reader) value(name string, inputs []vscodeInput) (text, note string) {
	if id, ok := strings.CutPrefix(name, "input:"); ok {
		for _, in := range inputs {
			if in.ID != id {
				continue
			}
			if in.Default != "" && !in.Password {
				return in.Default, ""
			}
			return "", "VS Code asks for ${" + name + "} (" + in.Description + "). Replace it by the value or by a " +
				"secret."
		}
		return "", "VS Code asks for ${" + name + "}. Replace it by the value or by a secret."
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
	// The value may be a secret, and the config is written to a file, so only the name is used.
	if _, found := r.env(variable); found {
		return "", "${" + name + "} is an environment variable, which is not copied. Replace it by its value or by a " +
			"secret."
	}
	return "", "${" + name + "} has no value here. Replace it by one."
}

func (r Reader) env(name string) (string, bool) {
	if r.Env == nil {
		return "", false
	}
	return r.Env(name)
}
