// Package config reads and edits mcp-config.json, the person's list of MCP servers, in the "mcpServers" format that
// other programs use too. Each entry is validated separately, so that one broken server does not stop the others.
// Changing an entry leaves the rest of the file as the person wrote it; adding and removing servers formats the
// file again. The package starts no servers.
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/mcp/access"
	"sextant/backend/sandbox/procgroup"
	"sextant/backend/toolprovider/jsonpos"
)

const maxServers = 64

// Entry is one server: Command with Args and Env for a program that speaks MCP over its standard input
// and output, or URL with Headers for a remote server.
type Entry struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	// Type is "sse" for the SSE transport; a URL otherwise means streamable HTTP.
	Type     string `json:"type,omitempty"`
	Disabled bool   `json:"disabled,omitempty"`
	// OAuth adds to the sign-in details that the server publishes; usually nil.
	OAuth *OAuth `json:"oauth,omitempty"`
	// Sextant limits what the program may access; nil derives the limits from the rest of the entry.
	Sextant *access.Override `json:"sextant,omitempty"`
	Consents
}

// OAuth describes the client that a person registered at the server's authorization server. ClientSecret and
// PrivateKey contain the value itself or the name of one of the person's secrets.
type OAuth struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
	// GrantType is "client_credentials" to sign in without a person. Then PrivateKey may hold a PEM key, and
	// Algorithm is ES256 or RS256.
	GrantType  string `json:"grant,omitempty"`
	PrivateKey string `json:"privateKey,omitempty"`
	Algorithm  string `json:"algorithm,omitempty"`
}

// Consents are a person's decisions about what a server may ask Sextant for. A nil member is undecided: the person
// is asked during the call that needs it.
type Consents struct {
	// Roots controls whether the server may know the folder that the person works in.
	Roots *bool `json:"roots,omitempty"`
	// Sampling controls questions to the person's model: false forbids them; otherwise the person is asked each
	// time.
	Sampling *bool `json:"sampling,omitempty"`
}

// DecidedAs reports whether decision is not nil and equals want.
func DecidedAs(decision *bool, want bool) bool { return decision != nil && *decision == want }

// Transport returns "stdio", "http" or "sse".
func (e Entry) Transport() string {
	switch {
	case e.Command != "":
		return "stdio"
	case e.Type == "sse":
		return "sse"
	}
	return "http"
}

// CommandOrURL returns the command line of a program, or the address of a remote server.
func (e Entry) CommandOrURL() string {
	if e.Command == "" {
		return e.URL
	}
	return procgroup.CommandLine(e.Command, e.Args)
}

// LocationKey returns a key for the server's location: its program with arguments and folder, or its address.
func (e Entry) LocationKey() string {
	if e.Command == "" {
		return e.URL
	}
	return asJSON(append([]string{e.Cwd, e.Command}, e.Args...))
}

// ProgramKey returns a key for the program that the entry starts: its command and its first argument that does not
// begin with "-", which usually names a package or a script. The version of the package does not count.
func (e Entry) ProgramKey() string {
	for _, arg := range e.Args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		if at := strings.LastIndex(arg, "@"); at > 0 && !strings.Contains(arg[at:], "/") {
			arg = arg[:at]
		}
		return asJSON([]string{e.Command, arg})
	}
	return asJSON([]string{e.Command})
}

// StartKey returns a key for the whole entry except Disabled and Consents, which a running server need not be restarted
// for.
func (e Entry) StartKey() string {
	e.Disabled, e.Consents = false, Consents{}
	return asJSON(e)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._@/-]{0,63}$`)

// Problem says why the entry cannot run under the given name, or returns "" if it can.
func (e Entry) Problem(name string) string {
	switch {
	case !namePattern.MatchString(name):
		return "the name must begin with a letter or digit and may contain letters, digits, spaces and . _ - @ / (64 " +
			"characters at most)"
	case e.Command == "" && e.URL == "":
		return "command or url is missing"
	case e.Command != "" && e.URL != "":
		return "command and url are both set; a server has one of them"
	case e.Type != "" && !slices.Contains([]string{"stdio", "http", "streamable-http", "streamableHttp", "sse"},
		e.Type):
		return fmt.Sprintf("type %q is unknown; use stdio, http or sse", e.Type)
	case strings.ContainsRune(e.Command+strings.Join(e.Args, ""), 0):
		return "the command contains a NUL character"
	case e.OAuth != nil && e.URL == "":
		return "oauth needs a url"
	case e.OAuth != nil && e.OAuth.GrantType != "" && e.OAuth.GrantType != "client_credentials":
		return fmt.Sprintf("oauth.grant %q is unknown; use client_credentials, or leave it out to sign in as a person",
			e.OAuth.GrantType)
	}
	if e.URL == "" {
		return e.Sextant.Problem()
	}
	if e.Sextant != nil {
		return "sextant.grants and sextant.confine need a command"
	}
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Sprintf("%q is not an http or https address", e.URL)
	}
	return ""
}

// Parse reads the text of mcp-config.json. faults maps the names of invalid servers to what is wrong with them;
// such a server is in entries too, but cannot run. An empty text is an empty config.
func Parse(text []byte) (entries map[string]Entry, faults map[string]string, err error) {
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
		line, column := index.PositionOf(jsonpos.Pointer("/"+serversField, name))
		var e Entry
		if err := json.Unmarshal(raw, &e); err != nil {
			faults[name] = fmt.Sprintf("%s %d:%d: %s", FileName, line, column, DecodeProblem(err))
		} else if problem := e.Problem(name); problem != "" {
			faults[name] = fmt.Sprintf("%s %d:%d: %s", FileName, line, column, problem)
		}
		entries[name] = e
	}
	return entries, faults, nil
}

// DecodeProblem turns an error of decoding an Entry into a message for a person.
func DecodeProblem(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Sprintf("%s has the wrong type (%s)", wrong.Field, wrong.Value)
	}
	return "a server is an object with command or url"
}
