package annotation

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Reference describes an element without its number, so that it can be found again on another day.
type Reference struct {
	Role string `json:"role"`
	Name string `json:"name"`
	// Group is the landmark or heading that contains the element, "" for any.
	Group string `json:"group,omitempty"`
	// Row is the text of the row that contains the element, if others of its group have the same role and name. #
	// stands for any number. "" is any row.
	Row string `json:"row,omitempty"`
	// Twins is true if other elements of the page had the same role and name.
	Twins bool `json:"twins,omitempty"`
	// Near are the names of other elements of the group, by which it is recognized under another name.
	Near []string `json:"near,omitempty"`
	// InOtherTab is true if the element was not in the active tab.
	InOtherTab bool `json:"in_other_tab,omitempty"`
	// Frame is the address of the frame that contains the element, without its query; "" for the main document.
	Frame string `json:"frame,omitempty"`
}

// Reference returns what identifies e without its number. Its texts are clean and at most as long as in a line.
func (e Element) Reference() Reference {
	r := Reference{
		Role: Clean(e.Role, maxRole), Name: Clean(e.Name, maxName), Group: Clean(e.Group, maxName),
		Frame: withoutQuery(e.Frame),
	}
	for _, s := range e.States {
		if row, ok := strings.CutPrefix(s, "in "); ok {
			if inner, quoted := strings.CutPrefix(row, `"`); quoted && strings.HasSuffix(inner, `"`) {
				row = strings.TrimSuffix(inner, `"`)
			}
			r.Row = Clean(strings.ReplaceAll(row, "#", " "), maxState)
		}
	}
	return r
}

const maxNear = 4

// ReferenceAmong returns the reference of e among all elements of its page, in the order of the page.
func (e Element) ReferenceAmong(elements []Element) Reference {
	r := e.Reference()
	row := r.Row
	r.Row = ""
	numbersDecide := false
	at := -1
	for i := range elements {
		other := &elements[i]
		switch {
		case other.ID == e.ID:
			at = i
		case other.Role == e.Role && other.Name == e.Name:
			r.Twins = true
			if sameGroup(other, &e) {
				r.Row = row
				numbersDecide = numbersDecide || WithoutNumbers(other.Reference().Row) == WithoutNumbers(row)
			}
		}
	}
	if !numbersDecide {
		r.Row = WithoutNumbers(r.Row)
	}
	if at < 0 {
		return r
	}
	for distance := 1; distance < len(elements) && len(r.Near) < maxNear; distance++ {
		for _, i := range []int{at - distance, at + distance} {
			if i < 0 || i >= len(elements) || len(r.Near) == maxNear || !sameGroup(&elements[i], &e) {
				continue
			}
			name := Clean(elements[i].Name, maxName)
			if name != "" && name != r.Name && !slices.Contains(r.Near, name) {
				r.Near = append(r.Near, name)
			}
		}
	}
	return r
}

func sameGroup(a, b *Element) bool { return a.Group == b.Group && a.Frame == b.Frame }

// WithoutNumbers returns s with # in place of each number.
func WithoutNumbers(s string) string {
	var b strings.Builder
	in := false
	for _, c := range s {
		digit := unicode.IsDigit(c)
		switch {
		case digit && !in:
			b.WriteByte('#')
		case !digit:
			b.WriteRune(c)
		}
		in = digit
	}
	return b.String()
}

// AnyRole is the role of a Reference of which only the name is known.
const AnyRole = "any"

// UnknownRole is the role of a Reference of which only a selector of another program is known, its name. No element
// fits it.
const UnknownRole = "element"

// String returns the reference in words for people: button “Delete” in “Ana Lima”.
func (r Reference) String() string {
	s := map[string]string{
		"textbox": "field", "searchbox": "search field", "combobox": "list", "listbox": "list", "spinbutton": "field",
		"clickable": "", AnyRole: "",
	}[r.Role]
	if s == "" && r.Role != "clickable" && r.Role != AnyRole {
		s = r.Role
	}
	if r.Name != "" {
		s += " “" + r.Name + "”"
	}
	if r.Row != "" {
		s += " in “" + r.Row + "”"
	}
	return strings.TrimSpace(s)
}

func withoutQuery(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.RawQuery, u.Fragment, u.User = "", "", nil
	return Clean(u.String(), maxName)
}

// Change is what an action caused on its page, as far as a later run of the same action can be compared with it.
type Change struct {
	// URL is the address of the page after the action.
	URL string `json:"url,omitempty"`
	// Events are the kinds of events: navigated, opened_tab, closed_tab, dialog, file_chooser or download.
	Events []string `json:"events,omitempty"`
	// Appeared are the roles and names of elements that are new or changed after the action, at most eight.
	Appeared []Reference `json:"appeared,omitempty"`
	// Texts are the lines of text that appeared, at most two, each with a word. It is empty if there were more, as when
	// a page shows another part of itself.
	Texts []string `json:"texts,omitempty"`
}

const (
	maxAppeared = 8
	maxTexts    = 2
)

// Map returns c with the result of change for each of its texts. c may be nil.
func (c *Change) Map(change func(string) string) *Change {
	if c == nil {
		return nil
	}
	out := *c
	out.URL, out.Appeared, out.Texts = change(c.URL), slices.Clone(c.Appeared), slices.Clone(c.Texts)
	for i := range out.Appeared {
		r := &out.Appeared[i]
		r.Name, r.Group, r.Row = change(r.Name), change(r.Group), change(r.Row)
	}
	for i := range out.Texts {
		out.Texts[i] = change(out.Texts[i])
	}
	return &out
}

// hasWord reports whether text has three letters in a row, or one of a script such as Chinese, so that it is more than
// numbers and signs.
func hasWord(text string) bool {
	n := 0
	for _, r := range text {
		if n++; !unicode.IsLetter(r) {
			n = 0
		}
		if n == 3 || n > 0 && r > unicode.MaxLatin1 && !unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			return true
		}
	}
	return false
}

// Change returns what the action of the observation caused. Without an action, it is only the address of the page.
func (o *Observation) Change() *Change {
	c := Change{URL: o.Page.URL}
	if o.Outcome == "" {
		return &c
	}
	for _, e := range o.Events {
		switch e.Kind {
		case "navigated", "opened_tab", "closed_tab", "dialog", "file_chooser", "download":
			c.Events = append(c.Events, e.Kind)
		}
	}
	for _, e := range o.Elements {
		if len(c.Appeared) < maxAppeared && e.Name != "" && !e.Incidental {
			c.Appeared = append(c.Appeared, Reference{Role: Clean(e.Role, maxRole), Name: Clean(e.Name, maxName)})
		}
	}
	if len(o.NewText) <= maxTexts && o.MoreText == 0 {
		c.Texts = slices.DeleteFunc(slices.Clone(o.NewText), func(line string) bool { return !hasWord(line) })
	}
	return &c
}
