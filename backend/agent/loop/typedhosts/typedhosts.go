// Package typedhosts finds the hosts that a person typed in a message. Typing a host permits opening it, so in
// doubt a word is not taken for a host.
package typedhosts

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const maxHosts = 50

// Typed is what a person typed in the messages of a turn, and the hosts in it.
type Typed struct {
	Text  string
	Hosts []string
}

// Read returns what a person added to old, the text that somebody else wrote. The text counts only if there was none.
func Read(text, old string) Typed {
	if old == "" {
		return Typed{Text: text, Hosts: Find(text)}
	}
	were := Find(old)
	return Typed{Hosts: slices.DeleteFunc(Find(text), func(h string) bool { return slices.Contains(were, h) })}
}

// With returns t with the text of a further message. It does not change t.
func (t Typed) With(text string) Typed {
	return Typed{Text: t.Text + "\n" + text, Hosts: slices.Concat(t.Hosts, Find(text))}
}

// Find returns the hosts in text that a person typed, in lower case and without duplicates, at most 50. An address with
// a port gives host:port. Words that look like files ("notes.txt") count only with a scheme, a port or a path.
func Find(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>(){}|,;“”‘’«»\\", r)
	}) {
		h := host(strings.TrimRight(word, ".!?:"))
		if h != "" && !slices.Contains(out, h) {
			out = append(out, h)
		}
		if len(out) == maxHosts {
			break
		}
	}
	return out
}

type wordForm int

const (
	bareForm wordForm = iota
	pathForm
	schemeForm
)

// host returns the host in one word, "" if there is none.
func host(word string) string {
	if i := strings.Index(word, "://"); i > 0 {
		u, err := url.Parse(word)
		if err != nil || !slices.Contains([]string{"http", "https", "ws", "wss"}, strings.ToLower(u.Scheme)) {
			return ""
		}
		return checked(u.Hostname(), u.Port(), schemeForm)
	}
	if strings.Contains(word, "@") {
		return "" // an email address or a handle
	}
	f := bareForm
	if end := strings.IndexAny(word, "/?#"); end >= 0 {
		word, f = word[:end], pathForm
	}
	name, port := word, ""
	if h, p, err := net.SplitHostPort(word); err == nil {
		name, port = h, p
	}
	return checked(strings.Trim(name, "[]"), port, f)
}

func checked(name, port string, f wordForm) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if strings.Trim(port, "0123456789") != "" || len(port) > 5 {
		return ""
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return withPort(ip.WithZone("").String(), port)
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.ContainsFunc(l, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
		}) {
			return ""
		}
	}
	last := labels[len(labels)-1]
	switch {
	case strings.Trim(last, "0123456789") == "":
		return "" // a version or a number, not a name
	case len(labels) == 1 && name != "localhost" && port == "" && f != schemeForm:
		return "" // a word, or words with a slash
	case len(labels) > 1 && port == "" && f == bareForm && fileEnding(last):
		return ""
	}
	return withPort(name, port)
}

func withPort(name, port string) string {
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}

// fileEnding reports whether s is an ending of file names. Some are also top-level domains; for those, an address
// needs a scheme, a port or a path.
func fileEnding(s string) bool {
	return slices.Contains(
		strings.Fields(
			"txt md go js ts py rs sh c h cpp java json xml html htm css csv pdf png jpg jpeg gif svg zip gz "+
				"tar log toml yaml yml ini cfg conf sql db exe dll so mod sum lock doc docx xls xlsx ppt pptx mp3 mp4",
		),
		s,
	)
}
