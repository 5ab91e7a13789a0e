// Package effect decides whether a step of a recipe had the effect that was recorded.
package effect

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/recipes/alike"
	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

// MissingError says that an effect has not come yet.
type MissingError struct{ What string }

// Error implements error.
func (e *MissingError) Error() string {
	return "it was expected that " + e.What + ", which did not happen"
}

// Missing returns an error if a part of want has not come. came is true if its event did, and said contains the text
// that has appeared since before.
func Missing(want recipe.Effect, before, now annotation.Observation, came bool, said []string) error {
	switch {
	case want.Event == "navigated" && !came && now.Page.URL == before.Page.URL,
		want.Event != "" && want.Event != "navigated" && !came:
		return &MissingError{eventSentence(want.Event)}
	case want.URL != "" && !MatchesURL(want.URL, now.Page.URL):
		return &MissingError{"the page is then " + want.URL}
	}
	for _, text := range want.Texts {
		if !isSaid(text, said) {
			return &MissingError{"the page says “" + text + "”"}
		}
	}
	if len(want.Appears) == 0 {
		return nil
	}
	for _, e := range now.Elements {
		isNew := now.OnlyChanges || !slices.ContainsFunc(before.Elements, func(old annotation.Element) bool {
			return old.Role == e.Role && old.Name == e.Name
		})
		isWanted := func(r annotation.Reference) bool { return appearsAs(r, e) }
		if isNew && !e.Incidental && slices.ContainsFunc(want.Appears, isWanted) {
			return nil
		}
	}
	return &MissingError{want.Appears[0].String() + " appears"}
}

// isSaid reports whether text is one of the lines said, apart from numbers and signs. A part of a line is not enough:
// “not saved” is not “saved”.
func isSaid(text string, said []string) bool {
	words := func(text string) string { return alike.Words(annotation.WithoutNumbers(text)) }
	return slices.ContainsFunc(said, func(line string) bool { return words(line) == words(text) })
}

// appearsAs compares without numbers, because an effect is often a counter.
func appearsAs(want annotation.Reference, is annotation.Element) bool {
	return alike.Roles(want.Role, is.Role) &&
		alike.Words(annotation.WithoutNumbers(want.Name)) == alike.Words(annotation.WithoutNumbers(is.Name))
}

func eventSentence(kind string) string {
	switch kind {
	case "navigated":
		return "it leads to another page"
	case "opened_tab":
		return "it opens a tab"
	case "closed_tab":
		return "it closes a tab"
	case "dialog":
		return "the page asks something in a dialog"
	case "file_chooser":
		return "the page asks for a file"
	}
	return "it starts a " + kind
}

// MatchesURL compares an address without its query and fragment with a pattern in which * is any text without a slash.
func MatchesURL(pattern, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `[^/]*`)
	found, err := regexp.Compile("^" + strings.TrimSuffix(quoted, "/") + "/?$")
	return err == nil && found.MatchString(u.Scheme+"://"+u.Host+u.EscapedPath())
}
