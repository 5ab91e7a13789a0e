package annotation

import (
	"net/url"
	"strings"
)

// Reference describes an element without its number, so that it can be found again on another day.
type Reference struct {
	Role string `json:"role"`
	Name string `json:"name"`
	// Row is the text of the row that contains the element, if others on the page have the same role and name; "" if it
	// was the only one.
	Row string `json:"row,omitempty"`
	// Group is the landmark or heading that contains the element.
	Group string `json:"group,omitempty"`
	// Twins is true if other elements of the page had the same role and name. The row or the group then decides.
	Twins bool `json:"twins,omitempty"`
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
			r.Row = Clean(row, maxState)
		}
	}
	return r
}

// String returns the reference in words for people: button “Delete” in “Ana Lima”.
func (r Reference) String() string {
	s := map[string]string{
		"textbox": "field", "searchbox": "search field", "combobox": "list", "listbox": "list", "spinbutton": "field",
		"clickable": "",
	}[r.Role]
	if s == "" && r.Role != "clickable" {
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
	// Appeared are elements that are new or changed after the action, at most eight.
	Appeared []Reference `json:"appeared,omitempty"`
}

const maxAppeared = 8

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
		if len(c.Appeared) < maxAppeared && e.Name != "" && !e.OnlyCoverChanged {
			c.Appeared = append(c.Appeared, e.Reference())
		}
	}
	return &c
}
