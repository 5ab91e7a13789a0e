package secrets

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

const referencePrefix = "{{secret:"

// referencePattern matches a reference, including a percent-encoded one. The name in it may be invalid.
var referencePattern = regexp.MustCompile(
	`(?:\{|%7[bB]){2}\s*secret(?::|%3[aA])\s*([^{}%"\\]{0,100}?)\s*(?:\}|%7[dD]){2}`)

// Reference returns a reference to the secret name: {{secret:name}}.
func Reference(name string) string { return referencePrefix + name + "}}" }

// ReferencedNames returns the names in the references in text, without duplicates. They may be invalid names.
func ReferencedNames(text string) []string {
	var names []string
	for _, m := range referencePattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// NormalizeReferences rewrites the references in text, including percent-encoded ones, as {{secret:name}}.
func NormalizeReferences(text string) string {
	return referencePattern.ReplaceAllStringFunc(text, func(found string) string {
		return Reference(referencePattern.FindStringSubmatch(found)[1])
	})
}

// HasOnlyReferences reports whether text, which must not be "", consists only of references and white space.
func HasOnlyReferences(text string) bool {
	return text != "" && strings.TrimSpace(referencePattern.ReplaceAllString(text, "")) == ""
}

// Sink is the destination of a secret's value.
type Sink struct {
	Place Place
	// Origin is scheme://host[:port] of the destination, or ServerHost of an MCP server.
	Origin string
	// Command is the command line of the MCP server, "" for a network host.
	Command string
}

// Refusal is the error for a secret that must not be used in a Sink. It never contains a value.
type Refusal struct {
	Kind       toolspec.ErrorType
	Message    string
	Suggestion string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message + ". " + r.Suggestion }

// Result returns the refusal as the result of a call.
func (r *Refusal) Result() toolspec.Result {
	return toolspec.Fail(r.Kind, r.Message, r.Suggestion)
}

// ErrorResult returns the result of a call that failed with err: Refusal.Result if err wraps a Refusal, else a system
// error.
func ErrorResult(err error) toolspec.Result {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Result()
	}
	return toolspec.Fail(toolspec.SystemError, err.Error(), "Nothing was sent.")
}

// Lookup returns the description of a secret. It returns false if there is none with this name.
func (v *Vault) Lookup(name string) (Secret, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refresh()
	s, ok := v.index.Secrets[name]
	return s, ok
}

// Check returns a *Refusal if one of the named secrets must not be used in sink.
func (v *Vault) Check(names []string, sink Sink) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refresh()
	for _, name := range names {
		if r := v.refusal(name, sink); r != nil {
			return r
		}
	}
	return nil
}

// Fill replaces the references in text by their values and counts the use. escape converts each value before it is
// inserted; nil inserts it unchanged. If a secret must not be used, Fill returns a *Refusal. The result may be used
// only in sink.
func (v *Vault) Fill(text string, sink Sink, escape func(value string) string) (string, error) {
	names := ReferencedNames(text)
	if len(names) == 0 {
		return text, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refresh()
	for _, name := range names {
		if r := v.refusal(name, sink); r != nil {
			return "", r
		}
	}
	filled := referencePattern.ReplaceAllStringFunc(text, func(found string) string {
		value := v.values[secretPrefix+referencePattern.FindStringSubmatch(found)[1]]
		if escape != nil {
			value = escape(value)
		}
		return value
	})
	v.countUse(names)
	return filled, nil
}

// The caller must lock mu.
func (v *Vault) refusal(name string, sink Sink) *Refusal {
	s, ok := v.index.Secrets[name]
	if !ok {
		suggestion := "There are no secrets yet. The person can add one in Settings, Secrets."
		if all := slices.Sorted(maps.Keys(v.index.Secrets)); len(all) > 0 {
			suggestion = "Use one of: " + strings.Join(all, ", ") + ". The person can add others in Settings, Secrets."
		}
		return &Refusal{toolspec.UserError, fmt.Sprintf("there is no secret named %q", name), suggestion}
	}
	shown := Reference(name)
	if !matchesOrigin(s.Host, sink.Origin) {
		suggestion := "Use it with " + s.Host + " only."
		if s.Host != "" && strings.HasPrefix(sink.Origin, "http://") {
			suggestion += " For plain http, save the secret with the port in its host, such as " + s.Host + ":80."
		}
		return &Refusal{
			toolspec.SecurityError, fmt.Sprintf("%s is bound to %s and was not sent to %s", shown, s.Host,
				originOrUnknown(sink.Origin)), suggestion,
		}
	}
	if !slices.Contains(s.Places, sink.Place) {
		return &Refusal{
			toolspec.SecurityError, fmt.Sprintf("%s must not be used in the %s", shown, sink.Place),
			"It may be used in: " + joinPlaces(s.Places) + ". The person can change that in Settings, Secrets.",
		}
	}
	if s.Command != sink.Command {
		return &Refusal{
			toolspec.SecurityError,
			fmt.Sprintf("%s was saved for the command %q, but the server's command is now %q", shown, s.Command,
				sink.Command),
			"Save the secret again in Settings, Secrets, if this command may use it.",
		}
	}
	if _, ok := v.values[secretPrefix+name]; !ok {
		return &Refusal{
			toolspec.SystemError,
			fmt.Sprintf("the value of %s could not be read from the keychain", shown),
			"Unlock the keychain, or save the secret again in Settings, Secrets.",
		}
	}
	return nil
}

func originOrUnknown(origin string) string {
	if origin == "" {
		return "a page with an unknown address"
	}
	return origin
}

const serverPrefix = "mcp:"

// ServerHost returns the host that binds a secret to an MCP server.
func ServerHost(name string) string { return serverPrefix + name }

func cutServer(host string) (name string, ok bool) { return strings.CutPrefix(host, serverPrefix) }

// ServerName returns the name of the MCP server that host refers to. ok is false for a network host.
func ServerName(host string) (name string, ok bool) {
	return cutServer(strings.TrimSpace(host))
}

func normalizeHost(input string) (string, error) {
	input = strings.TrimSpace(input)
	if name, server := cutServer(input); server {
		if strings.TrimSpace(name) == "" || len(name) > 64 {
			return "", fmt.Errorf("%w: \"mcp:\" must be followed by the name of an MCP server", ErrInvalid)
		}
		return input, nil
	}
	host := policy.NormalizeHost(input)
	if host == "" || host == "?" || strings.Contains(input, "/") {
		return "", fmt.Errorf("%w: %q is not a host; write one such as api.example.com or localhost:8080, without "+
			"https:// and without *", ErrInvalid, input)
	}
	return host, nil
}

// matchesOrigin reports whether a secret of host may be sent to origin. A host without a port allows only https on port
// 443; plain http requires the port.
func matchesOrigin(host, origin string) bool {
	if _, server := cutServer(host); server || strings.HasPrefix(origin, serverPrefix) {
		return host == origin
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	port := u.Port()
	switch u.Scheme {
	case "https", "wss":
		if port == "" {
			port = "443"
		}
	case "http", "ws":
		if port == "" {
			port = "80"
		}
	default:
		return false
	}
	name := policy.NormalizeHost(u.Hostname())
	want, wantPort, err := net.SplitHostPort(host)
	if err != nil {
		want, wantPort = strings.Trim(host, "[]"), ""
	}
	if name == "?" || name != want {
		return false
	}
	if wantPort == "" {
		return port == "443" && (u.Scheme == "https" || u.Scheme == "wss")
	}
	return wantPort == port
}
