package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/tools/mcp/grants"
	"sextant/backend/tools/panels/jsonpos"
)

// maxConfig bounds mcp-config.json, maxServers how many servers it may name.
const (
	maxConfig  = 1 << 20
	maxServers = 64
)

// Entry is one server in the widespread form: Command with Args and Env for a program
// that speaks over its standard input and output, or URL with Headers.
type Entry struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Type is "http" or "sse" for a URL; other programs write it, stdio is the default
	// for a command.
	Type     string `json:"type,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
	// OAuth says how to sign in to a URL where the server's own word is not enough; nil is usual.
	OAuth *OAuth `json:"oauth,omitempty"`
	// Sextant is what other programs do not read: what its program may touch; nil lets that follow from
	// the rest.
	Sextant *grants.Written `json:"sextant,omitempty"`
	// Consents are what the server may ask Sextant for.
	Consents
}

// OAuth is what a person registered at a server's issuer themselves. The secrets may stand for
// themselves or name one of the person's secrets.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	// Grant is "client_credentials" to sign in without a person; PrivateKey is then a key in PEM
	// and Algorithm is ES256 or RS256.
	Grant      string `json:"grant,omitempty"`
	PrivateKey string `json:"privateKey,omitempty"`
	Algorithm  string `json:"algorithm,omitempty"`
}

// transport is stdio, http or sse.
func (e Entry) transport() string {
	switch {
	case e.Command != "":
		return "stdio"
	case e.Type == "sse":
		return "sse"
	}
	return "http"
}

// place is where the server is: its program with arguments and folder, or its address.
func (e Entry) place() string {
	if e.Command == "" {
		return e.URL
	}
	return asText(append([]string{e.Cwd, e.Command}, e.Args...))
}

// key identifies what a running server was made from, beside Disabled and what it may ask for.
func (e Entry) key() string {
	e.Disabled, e.Consents = false, Consents{}
	b, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

var ruleServer = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,63}$`)

// parseConfig reads the text of mcp-config.json. Problems of single servers are in
// faults; such a server is listed but cannot run. An empty text is an empty config.
func parseConfig(text []byte) (entries map[string]Entry, faults map[string]string, err error) {
	entries, faults = map[string]Entry{}, map[string]string{}
	if len(bytes.TrimSpace(text)) == 0 {
		return entries, faults, nil
	}
	index, err := jsonpos.Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("not valid JSON at %w", err)
	}
	var config struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, nil, errors.New(`the file should be {"mcpServers": {"name": {"command": "…"}}}`)
	}
	if len(config.Servers) > maxServers {
		return nil, nil, fmt.Errorf("%d servers are too many; at most %d are read", len(config.Servers), maxServers)
	}
	for name, raw := range config.Servers {
		line, column := index.At(jsonpos.Pointer("/mcpServers", name))
		var e Entry
		if err := json.Unmarshal(raw, &e); err != nil {
			faults[name] = fmt.Sprintf("mcp-config.json %d:%d: %s", line, column, wrongType(err))
		} else if problem := e.problem(name); problem != "" {
			faults[name] = fmt.Sprintf("mcp-config.json %d:%d: %s", line, column, problem)
		}
		entries[name] = e
	}
	return entries, faults, nil
}

func wrongType(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("%s has the wrong type (%s)", wrong.Field, wrong.Value)
	}
	return "a server is an object with command or url"
}

func (e Entry) problem(name string) string {
	switch {
	case !ruleServer.MatchString(name):
		return "the name may hold letters, digits, spaces and . _ - @ /, at most 64, and begins with a letter or digit"
	case e.Command == "" && e.URL == "":
		return "command or url is missing"
	case e.Command != "" && e.URL != "":
		return "there are both command and url; a server has one of them"
	case e.Type != "" && !slices.Contains([]string{"stdio", "http", "streamable-http", "streamableHttp", "sse"}, e.Type):
		return fmt.Sprintf("type %q is not known; it is stdio, http or sse", e.Type)
	case strings.ContainsRune(e.Command+strings.Join(e.Args, ""), 0):
		return "the command holds a NUL character"
	case e.OAuth != nil && e.URL == "":
		return "oauth is for a server with a url"
	case e.OAuth != nil && e.OAuth.Grant != "" && e.OAuth.Grant != "client_credentials":
		return fmt.Sprintf("oauth.grant %q is not known; it is client_credentials, or left out to sign in as a person", e.OAuth.Grant)
	}
	if e.URL == "" {
		return e.Sextant.Problem()
	}
	if e.Sextant != nil {
		return "sextant.grants and sextant.confine are for a server with a command"
	}
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Sprintf("%q is not an http or https address", e.URL)
	}
	return ""
}

// readConfig reads the file at path; a missing file is an empty one.
func readConfig(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading MCP config: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("reading MCP config: %w", err)
	}
	if len(text) > maxConfig {
		return nil, fmt.Errorf("%s is larger than 1 MB", path)
	}
	return text, nil
}

// errUnknownServer says that the config names no such server.
var errUnknownServer = errors.New("no such MCP server")

// setDisabled changes only the member "disabled" of one server in text; everything else,
// order and spacing too, stays as the person wrote it.
func setDisabled(text []byte, name string, disabled bool) ([]byte, error) {
	return setMember(text, name, "disabled", fmt.Sprintf("%t", disabled), !disabled)
}

// insert adds a member to the object at server, in the way its others are written.
func insert(text []byte, index *jsonpos.Index, server string, span jsonpos.Span, member string) []byte {
	keys := index.Order[server]
	if len(keys) == 0 {
		return splice(text, span.Start, span.End, "{ "+member+" }")
	}
	// After the last member, with the white space that stands before it.
	last := jsonpos.Pointer(server, keys[len(keys)-1])
	key := index.Keys[last]
	gap := key
	for gap > 0 && strings.IndexByte(" \t\r\n", text[gap-1]) >= 0 {
		gap--
	}
	end := index.Values[last].End
	return splice(text, end, end, ","+string(text[gap:key])+member)
}

func splice(text []byte, start, end int, with string) []byte {
	return slices.Concat(text[:start], []byte(with), text[end:])
}

// writeConfig replaces the file at path at once, keeping a link and the file's mode.
func writeConfig(path string, text []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".mcp-config-*")
	if err != nil {
		return fmt.Errorf("writing MCP config: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing MCP config: %w", err)
	}
	return nil
}
