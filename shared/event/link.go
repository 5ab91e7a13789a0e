package event

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
)

// LinkScheme is the scheme of addresses that show something in the window.
const LinkScheme = "sextant"

// Link is something that a window shows. Opening one runs nothing.
type Link struct {
	Kind LinkKind `json:"kind"`
	// Name is the id of the conversation or panel, the name of the recipe, or the address.
	Name string `json:"name"`
}

// LinkKind says what a Link shows.
type LinkKind string

// The kinds of links.
const (
	LinkConversation LinkKind = "conversation"
	LinkPanel        LinkKind = "panel"
	LinkRecipe       LinkKind = "recipe"
	// LinkAddress offers to open an address. Only the person's press opens it.
	LinkAddress LinkKind = "address"
	// LinkMessage shows the message box of a new conversation, with Name as its text. It sends nothing.
	LinkMessage LinkKind = "message"
)

// ErrLink is returned for a text that is no link.
var ErrLink = errors.New("links look like sextant://conversation/ID, sextant://panel/ID, sextant://recipe/NAME, " +
	"sextant://new or sextant://open?url=https://example.com; only the command ask adds text")

const maxLink = 4_000

// linkName matches the ids of conversations and panels and the names of recipes.
var linkName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// ParseLink parses a sextant:// address. Anybody can have written it.
func ParseLink(text string) (Link, error) {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxLink || u.Scheme != LinkScheme || u.User != nil || u.Fragment != "" {
		return Link{}, ErrLink
	}
	if u.Host == "open" && (u.Path == "" || u.Path == "/") {
		target, err := url.Parse(u.Query().Get("url"))
		isWeb := err == nil && (target.Scheme == "http" || target.Scheme == "https")
		if !isWeb || target.Host == "" || target.User != nil {
			return Link{}, ErrLink
		}
		return Link{LinkAddress, target.String()}, nil
	}
	if u.Host == "new" && (u.Path == "" || u.Path == "/") {
		query := u.Query()
		text := query.Get("text")
		if query.Del("text"); len(query) > 0 {
			return Link{}, ErrLink
		}
		return Link{LinkMessage, text}, nil
	}
	link := Link{LinkKind(u.Host), strings.TrimPrefix(u.EscapedPath(), "/")}
	switch link.Kind {
	case LinkConversation, LinkPanel, LinkRecipe:
		if u.RawQuery == "" && linkName.MatchString(link.Name) {
			return link, nil
		}
	case LinkAddress, LinkMessage:
	}
	return Link{}, ErrLink
}

// Fragment returns the part of a window's address with which it shows l.
func (l Link) Fragment() string {
	return url.Values{"show": {string(l.Kind)}, "name": {l.Name}}.Encode()
}
