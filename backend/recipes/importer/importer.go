// Package importer reads recordings of other programs as recipes: those of the Recorder of Chrome's DevTools, and
// projects of Selenium IDE (.side).
package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"sextant/backend/policy/redact"
	"sextant/backend/recipes"
	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

// Result is a recipe from a recording.
type Result struct {
	Recipe recipe.Recipe
	// Notes say what of the recording is not in the recipe, and which elements are not known, a line each.
	Notes []string
}

// ErrNoRecording means that a text is no recording of a program that is known.
var ErrNoRecording = errors.New("it is no recording of Chrome's DevTools or Selenium IDE")

// Read returns the recipes of a recording: one of a recording of DevTools, one for each test of a Selenium project. The
// error is ErrNoRecording unless it says why a recording has no recipe.
func Read(text []byte) ([]Result, error) {
	var file struct {
		Title, URL string
		Steps      []recorderStep
		Tests      []sideTest
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, ErrNoRecording
	}
	switch {
	case len(file.Tests) > 0:
		return readSide(file.URL, file.Tests)
	case len(file.Steps) > 0 && file.Steps[0].Type != "":
		one, err := readRecorder(file.Title, file.Steps)
		return []Result{one}, err
	}
	return nil, ErrNoRecording
}

// reader collects the actions of a recording.
type reader struct {
	actions []recipes.Action
	notes   []string
	// focus is the selector of the element that was used last.
	focus string
}

func (r *reader) note(step int, format string, args ...any) {
	r.notes = append(r.notes, annotation.Clean(fmt.Sprintf("step %d: ", step)+fmt.Sprintf(format, args...), maxNote))
}

// add adds an action, unless its texts look like placeholders of a recipe. It reports whether it did.
func (r *reader) add(step int, a recipes.Action) bool {
	if text, err := json.Marshal(a.Args); err != nil || strings.Contains(string(text), "{{") {
		r.note(step, "left out, its text has {{")
		return false
	}
	r.actions = append(r.actions, a)
	return true
}

// open adds the opening of an address, without a user name and password.
func (r *reader) open(step int, address string) {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		address = u.String()
	}
	r.add(step, recipes.Action{Tool: "navigate_page", Args: map[string]any{"url": address}})
}

// on adds an action on the element that selectors find, and reports whether it did. step is the number of the step in
// the recording.
func (r *reader) on(step int, selectors []string, tool string, args map[string]any) bool {
	target := reference(selectors)
	switch target.Role {
	case "":
		r.note(step, "left out, it has no selector")
		return false
	case annotation.UnknownRole:
		r.note(step, "its element is known only as %s. A run stops there, and you choose the element.", target.Name)
	}
	return r.add(step, recipes.Action{Tool: tool, Args: args, On: target})
}

// typeInto adds the typing of a text, after what the field contains if after is true. What looks like a password is not
// kept.
func (r *reader) typeInto(step int, selectors []string, text string, after bool) bool {
	if redact.AsksForSecret(separators.Replace(strings.Join(selectors, " "))) {
		text = recipes.HiddenText
	}
	field := reference(selectors)
	tool, args := "type_text", map[string]any{"text": text}
	if after {
		args["clear"] = false
	}
	if field.Role == "combobox" || field.Role == "listbox" {
		tool, args = "select_option", map[string]any{"values": []any{text}}
	}
	// The press that gave the focus to the field may have told less about it.
	if last := len(r.actions) - 1; last >= 0 {
		press := r.actions[last]
		if press.Tool == "click_element" && len(press.Args) == 0 && !press.Navigates && press.On.Name == field.Name &&
			(press.On.Role == field.Role || press.On.Role == annotation.AnyRole) {
			r.actions = r.actions[:last]
		}
	}
	return r.on(step, selectors, tool, args)
}

// separators separate the words of selectors.
var separators = strings.NewReplacer("_", " ", "-", " ", ".", " ", "#", " ", "=", " ")

func (r *reader) result(title string) (Result, error) {
	rec, err := recipes.FromActions(r.actions)
	rec.Name, rec.Description = nameFrom(title), annotation.Clean(title, maxDescription)
	return Result{rec, r.notes}, err
}

const (
	maxName        = 40
	maxDescription = 200
	maxNote        = 300
	maxElementName = 200
)

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// nameFrom returns the name of a recipe from the words of a title.
func nameFrom(title string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(title), "-"), "-")
	if name == "" || name[0] < 'a' {
		name = "recording-" + name
	}
	return strings.Trim(name[:min(len(name), maxName)], "-")
}

// The forms of selectors that name an element. The last group of each is the name.
var (
	ariaSelector = regexp.MustCompile(`^aria/(.*?)(?:\[role="([a-z]+)"\])?$`)
	textSelector = regexp.MustCompile(`^text/(.+)$`)
	linkSelector = regexp.MustCompile(`^(?:linkText|partialLinkText|link)=(.+)$`)
	innerText    = regexp.MustCompile(`^xpath=.*\b(a|button|label|span|div|li|\*)\[(?:contains\()?` +
		`(?:text\(\)|\.|normalize-space\(\.?\))\s*[,=]\s*["'](.+?)["']`)
	attributeText = regexp.MustCompile(`\[(?:aria-label|title|placeholder|alt)=["'](.+?)["']\]`)
	lastTag       = regexp.MustCompile(`(?:^|[\s>/+~])(a|button|select|textarea|input)(?:[.#:\[][^\s>/]*)?$`)
	inputType     = regexp.MustCompile(`type=["']?([a-z]+)`)
)

// reference describes the element that selectors find, by its role and name. If no selector has a name, its role is
// annotation.UnknownRole, and its name is the first selector. Its role is "" if there is no selector.
func reference(selectors []string) annotation.Reference {
	if len(selectors) == 0 || selectors[0] == "" {
		return annotation.Reference{}
	}
	if name := nameOf(selectors); name != "" {
		return annotation.Reference{Role: roleOf(selectors), Name: name}
	}
	return annotation.Reference{
		Role: annotation.UnknownRole, Name: annotation.Clean(selectors[0], maxElementName),
	}
}

func nameOf(selectors []string) string {
	for _, s := range selectors {
		if m := ariaSelector.FindStringSubmatch(s); m != nil && m[1] != "" {
			return annotation.Clean(m[1], maxElementName)
		}
	}
	for _, s := range selectors {
		for _, form := range []*regexp.Regexp{textSelector, linkSelector, innerText, attributeText} {
			if m := form.FindStringSubmatch(s); m != nil {
				return annotation.Clean(strings.TrimSpace(m[len(m)-1]), maxElementName)
			}
		}
	}
	return ""
}

// roleOf returns the role that selectors tell, or annotation.AnyRole.
func roleOf(selectors []string) string {
	for _, s := range selectors {
		if m := ariaSelector.FindStringSubmatch(s); m != nil && m[2] != "" {
			return m[2]
		}
	}
	for _, s := range selectors {
		if linkSelector.MatchString(s) {
			return "link"
		}
		if m := innerText.FindStringSubmatch(s); m != nil && roleOfTag[m[1]] != "" {
			return roleOfTag[m[1]]
		}
		m := lastTag.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		if m[1] != "input" {
			return roleOfTag[m[1]]
		}
		if kind := inputType.FindStringSubmatch(s); kind != nil {
			return cmp.Or(roleOfInput[kind[1]], annotation.AnyRole)
		}
	}
	return annotation.AnyRole
}

var (
	roleOfTag   = map[string]string{"a": "link", "button": "button", "select": "combobox", "textarea": "textbox"}
	roleOfInput = map[string]string{
		"submit": "button", "button": "button", "checkbox": "checkbox", "radio": "radio", "search": "searchbox",
		"text": "textbox", "email": "textbox", "password": "textbox", "tel": "textbox", "url": "textbox",
		"number": "spinbutton",
	}
)
