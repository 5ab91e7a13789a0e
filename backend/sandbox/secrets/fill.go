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

const refOpen = "{{secret:"

// ref is a reference, also as an address writes it. What stands in it need not be a name.
var ref = regexp.MustCompile(`(?:\{|%7[bB]){2}\s*secret(?::|%3[aA])\s*([^{}%"\\]{0,100}?)\s*(?:\}|%7[dD]){2}`)

// Ref is how the secret name is written.
func Ref(name string) string { return refOpen + name + "}}" }

// Names are the secrets that text refers to, each once, in order of mention. A reference that holds
// no name gives what it holds.
func Names(text string) []string {
	var names []string
	for _, m := range ref.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// Spelled is text with its references as people write them, also those that an address escaped.
func Spelled(text string) string {
	return ref.ReplaceAllStringFunc(text, func(found string) string { return Ref(ref.FindStringSubmatch(found)[1]) })
}

// Only reports whether text is nothing but references.
func Only(text string) bool {
	return text != "" && strings.TrimSpace(ref.ReplaceAllString(text, "")) == ""
}

// Sink is what a secret would be put into.
type Sink struct {
	Place Place
	// Origin is scheme://host[:port] of where it would go, or "mcp:" and a server's name.
	Origin string
	// Command is the command line of that server.
	Command string
}

// Refusal says why a secret is not put in. It never holds a value.
type Refusal struct {
	Kind       toolspec.ErrorType
	Message    string
	Suggestion string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Message + ". " + r.Suggestion }

// Result is the refusal as a call's outcome.
func (r *Refusal) Result() toolspec.Result {
	return toolspec.Fail(r.Kind, r.Message, r.Suggestion)
}

// Refused is err as a call's outcome: the Refusal in it, or a fault of ours.
func Refused(err error) toolspec.Result {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Result()
	}
	return toolspec.Fail(toolspec.SystemError, err.Error(), "Nothing was sent.")
}

// Known reports whether there is a secret of that name, and what may be told of it.
func (v *Vault) Known(name string) (Secret, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh()
	s, ok := v.index.Secrets[name]
	return s, ok
}

// Check reports, as a *Refusal, that the secrets of these names may not be put into sink; nil when
// they may.
func (v *Vault) Check(names []string, sink Sink) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh()
	for _, name := range names {
		if r := v.refusal(name, sink); r != nil {
			return r
		}
	}
	return nil
}

// Fill puts the values in place of the references in text, each written by escape (nil writes it as
// it is), and counts the use. Text without references comes back as it is. The error is a *Refusal
// and then nothing was put in. What comes back must go nowhere but into the sink.
func (v *Vault) Fill(text string, sink Sink, escape func(value string) string) (string, error) {
	names := Names(text)
	if len(names) == 0 {
		return text, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.fresh()
	for _, name := range names {
		if r := v.refusal(name, sink); r != nil {
			return "", r
		}
	}
	filled := ref.ReplaceAllStringFunc(text, func(found string) string {
		value := v.values[secretPrefix+ref.FindStringSubmatch(found)[1]]
		if escape != nil {
			value = escape(value)
		}
		return value
	})
	v.used(names)
	return filled, nil
}

// refusal is why a secret may not go into sink. The caller holds mu.
func (v *Vault) refusal(name string, sink Sink) *Refusal {
	s, ok := v.index.Secrets[name]
	if !ok {
		next := "There are no secrets yet: the person adds one in Settings, Secrets."
		if all := slices.Sorted(maps.Keys(v.index.Secrets)); len(all) > 0 {
			next = "There are: " + strings.Join(all, ", ") + ". Others the person adds in Settings, Secrets."
		}
		return &Refusal{toolspec.UserError, fmt.Sprintf("there is no secret of the name %q", name), next}
	}
	shown := Ref(name)
	if !boundTo(s.Host, sink.Origin) {
		next := "Use it with " + s.Host + " only."
		if s.Host != "" && strings.HasPrefix(sink.Origin, "http://") {
			next += " Over http it goes only where its host is written with the port, such as " + s.Host + ":80."
		}
		return &Refusal{
			toolspec.SecurityError, fmt.Sprintf("%s is bound to %s and was not given to %s", shown, s.Host,
				orUnknown(sink.Origin)), next,
		}
	}
	if !slices.Contains(s.Places, sink.Place) {
		return &Refusal{
			toolspec.SecurityError, fmt.Sprintf("%s may not stand in the %s", shown, sink.Place),
			"It may be put into: " + list(s.Places) + ". The person can change that in Settings, Secrets.",
		}
	}
	if s.Command != sink.Command {
		return &Refusal{
			toolspec.SecurityError, fmt.Sprintf("%s was given to the command %q, and that server is %q now", shown,
				s.Command, sink.Command),
			"Save the secret again in Settings, Secrets, if this command may have it.",
		}
	}
	if _, there := v.values[secretPrefix+name]; !there {
		return &Refusal{
			toolspec.SystemError,
			fmt.Sprintf("the value of %s cannot be read: it is in the keychain, which does not give it", shown),
			"Unlock the keychain, or save the secret again in Settings, Secrets.",
		}
	}
	return nil
}

func orUnknown(origin string) string {
	if origin == "" {
		return "a page whose address is not known"
	}
	return origin
}

// serverMark begins the host of a secret for an MCP server that is a program.
const serverMark = "mcp:"

// Server is the host of secrets for the MCP server name.
func Server(name string) string { return serverMark + name }

func ofServer(host string) (name string, is bool) { return strings.CutPrefix(host, serverMark) }

// ServerOf is the name of the MCP server that a host names, false for a host of the network.
func ServerOf(host string) (name string, is bool) {
	return ofServer(strings.TrimSpace(host))
}

// binding is a host as it is kept.
func binding(written string) (string, error) {
	written = strings.TrimSpace(written)
	if name, server := ofServer(written); server {
		if strings.TrimSpace(name) == "" || len(name) > 64 {
			return "", fmt.Errorf("%w: after mcp: stands the name of an MCP server", ErrInvalid)
		}
		return written, nil
	}
	host := policy.NormalizeHost(written)
	if host == "" || host == "?" || strings.Contains(written, "/") {
		return "", fmt.Errorf("%w: %q is no host; write one such as api.example.com or localhost:8080, without "+
			"https:// and *", ErrInvalid, written)
	}
	return host, nil
}

// boundTo reports whether origin is the one that host means. A host without a port means https on
// its usual port: over plain http a secret goes only where its port was written.
func boundTo(host, origin string) bool {
	if _, server := ofServer(host); server || strings.HasPrefix(origin, serverMark) {
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
