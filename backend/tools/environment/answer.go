package environment

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/guard/policy"
	"sextant/backend/surface/panelpage"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

// defaultTokens bounds the text of an answer unless the call says otherwise.
const defaultTokens = 2000

// seen is the value of a tool that answers with what the page holds.
type seen struct {
	annotator.Answer
	// Text is the same as models read it.
	Text string
	// more are further members of the JSON object, each with a comma before it.
	more []byte
	// whole is the answer before it was cut to a budget.
	whole annotator.Answer
}

// AppendJSON implements toolspec.Written: the structure without the text, which goes beside it.
func (v seen) AppendJSON(b []byte) []byte {
	b = annotator.AppendJSON(b, &v.Answer)
	return append(append(b[:len(b)-1], v.more...), '}')
}

// MarshalJSON writes the structure with the text, for callers who get nothing beside it.
func (v seen) MarshalJSON() ([]byte, error) {
	b := v.AppendJSON(make([]byte, 0, 256+200*len(v.Elements)+len(v.Text)))
	b = append(b[:len(b)-1], `,"text":`...)
	return append(annotator.AppendString(b, v.Text), '}'), nil
}

// wholeAnswer is what a tool's value says of the page before it was cut to a budget, false when
// it says nothing of it.
func wholeAnswer(value any) (annotator.Answer, bool) {
	v, ok := value.(seen)
	return v.whole, ok
}

// with gives v one more member.
func (v seen) with(name string, value any) (seen, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return v, fmt.Errorf("writing %s: %w", name, err)
	}
	v.more = append(append(v.more, `,"`+name+`":`...), b...)
	return v, nil
}

// answered shapes a: before and the text models read within maxTokens together (0 unbounded),
// sentence for people.
func (t *Tools) answered(a annotator.Answer, before string, maxTokens int, sentence string) toolspec.Result {
	whole := a
	budget := annotator.Budget{Max: maxTokens, Count: t.tokens.count}
	if maxTokens > 0 && before != "" {
		budget.Max = max(maxTokens-t.tokens.count(before), 1)
	}
	text := before + annotator.Write(&a, budget)
	r := toolspec.OK(seen{Answer: a, Text: text, whole: whole})
	r.Text = text
	r.Sentence = sentence
	r.Preview = preview(a)
	r.Sources = sources(a.Page.URL)
	return r
}

// preview is the line below a card's sentence: `31 elements · Desk lamps · v12`.
func preview(a annotator.Answer) []string {
	n := len(a.Elements) + a.LeftOut
	count := english.Plural(n, "element", "")
	if a.Changes {
		count = english.Plural(n, "change", "")
	}
	parts := []string{count}
	if title := annotator.Clean(a.Page.Title, 60); title != "" {
		parts = append(parts, title)
	}
	lines := []string{strings.Join(append(parts, fmt.Sprintf("v%d", a.Page.Version)), " · ")}
	var happened []string
	for i, e := range a.Events {
		if i == 3 {
			break
		}
		happened = append(happened, annotator.Clean(e.String(), 100))
	}
	if len(happened) > 0 {
		lines = append(lines, strings.Join(happened, " · "))
	}
	return lines
}

// sources names where page text came from: the origin of the page, none for an empty tab.
func sources(address string) []string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "" || u.Scheme == "about":
		return nil
	case strings.HasPrefix(address, panelpage.Scheme):
		return []string{address}
	case u.Host == "":
		return []string{u.Scheme + ":"}
	}
	return []string{strings.ToLower(u.Scheme + "://" + u.Host)}
}

// hostOf is the host (with port) of an address, lower case, "" when it has none. A panel's page is a host
// of its own: what was read there may be typed there (policy knows the form).
func hostOf(address string) string {
	if id, panel := strings.CutPrefix(address, panelpage.Scheme); panel {
		return id + policy.PanelHost
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// called is what a person would call the element id: “Save”, or "element 12".
func called(s session, id int) string {
	if e, ok := elementOf(s, id); ok {
		return calledElement(e)
	}
	return fmt.Sprintf("element %d", id)
}

func calledElement(e annotator.Element) string {
	if name := annotator.Clean(e.Name, 60); name != "" {
		return "“" + name + "”"
	}
	return fmt.Sprintf("the %s %d", annotator.Clean(e.Role, 30), e.ID)
}

// target is the element id for approvals: `[12] button "Save"`.
func target(s session, id int) string {
	if e, ok := elementOf(s, id); ok {
		e.Value, e.States = "", nil
		return annotator.Line(e)
	}
	return fmt.Sprintf("[%d]", id)
}

// present is the description of a call on the element id: its sentence while it runs, and the
// host of the page or frame it stands on.
func present(s session, verb string, id int) toolspec.Description {
	d := toolspec.Description{Present: verb + " " + called(s, id), Target: target(s, id), Annotation: id}
	if h := hostOf(s.OriginOf(id).Origin); h != "" {
		d.Hosts = []string{h}
	}
	return d
}

// giving adds what the call puts into the element. Nothing leaves by one that is gone for good.
func giving(s session, d toolspec.Description, data string) toolspec.Description {
	if !s.OriginOf(d.Annotation).Gone {
		d.Data = data
	}
	return d
}
