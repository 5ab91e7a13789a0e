package recipes

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

// effectMissingError says that an effect has not come yet.
type effectMissingError struct{ what string }

// Error implements error.
func (e *effectMissingError) Error() string {
	return "it was expected that " + e.what + ", which did not happen"
}

// awaitEffect waits until want has come. before is the last look at the page before the step, and after is what the
// step itself reported.
func (r *run) awaitEffect(ctx context.Context, want recipe.Effect, before, after annotation.Observation) error {
	now, looked := after, false
	return r.await(ctx, func() error {
		if looked {
			if err := r.look(ctx); err != nil {
				return err
			}
			now = r.page
		}
		looked = true
		return missing(want, before, now, hasEvent(after, want.Event))
	})
}

// missing returns an error if a part of want has not come. came is true if its event did.
func missing(want recipe.Effect, before, now annotation.Observation, came bool) error {
	switch {
	case want.Event == "navigated" && !came && now.Page.URL == before.Page.URL,
		want.Event != "" && want.Event != "navigated" && !came:
		return &effectMissingError{eventSentence(want.Event)}
	case want.URL != "" && !matchesURL(want.URL, now.Page.URL):
		return &effectMissingError{"the page is then " + want.URL}
	case len(want.Appears) == 0:
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
	return &effectMissingError{want.Appears[0].String() + " appears"}
}

// appearsAs compares without numbers, because an effect is often a counter.
func appearsAs(want annotation.Reference, is annotation.Element) bool {
	return sameKind(want.Role, is.Role) &&
		rowWords(annotation.WithoutNumbers(want.Name)) == rowWords(annotation.WithoutNumbers(is.Name))
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

// matchesURL compares an address without its query and fragment with a pattern in which * is any text without a slash.
func matchesURL(pattern, address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `[^/]*`)
	found, err := regexp.Compile("^" + strings.TrimSuffix(quoted, "/") + "/?$")
	return err == nil && found.MatchString(u.Scheme+"://"+u.Host+u.EscapedPath())
}
