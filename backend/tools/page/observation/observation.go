// Package observation makes the Result of a page tool from the observation of the page: text for models within a token
// budget, a sentence for people, a value for programs, and the sources of the text.
package observation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize/english"

	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// DefaultMaxTokens is the usual limit of a result's text.
const DefaultMaxTokens = 2000

// Value is the result value of a tool that returns an observation.
type Value struct {
	annotation.Observation
	// Text is the text for the model.
	Text string
	// extra contains further members of the JSON object, each after a comma.
	extra []byte
	// full is the observation before it was cut to a budget.
	full annotation.Observation
}

var _ toolspec.JSONAppender = Value{}

// AppendJSON implements toolspec.JSONAppender. It leaves out the text, which the Result already contains.
func (v Value) AppendJSON(b []byte) []byte {
	b = annotation.AppendJSON(b, &v.Observation)
	return append(append(b[:len(b)-1], v.extra...), '}')
}

// MarshalJSON implements json.Marshaler. It includes the text, for callers that get only the value.
func (v Value) MarshalJSON() ([]byte, error) {
	b := v.AppendJSON(make([]byte, 0, 256+200*len(v.Elements)+len(v.Text)))
	b = append(b[:len(b)-1], `,"text":`...)
	return append(annotation.AppendString(b, v.Text), '}'), nil
}

// With returns a copy of v with one more member in its JSON object.
func (v Value) With(name string, value any) (Value, error) {
	b, err := json.Marshal(value)
	if err != nil {
		return v, fmt.Errorf("writing %s: %w", name, err)
	}
	v.extra = append(append(v.extra, `,"`+name+`":`...), b...)
	return v, nil
}

// FullObservation returns the observation in a Result's value before it was cut to a budget. ok is false if value is
// not a Value.
func FullObservation(value any) (a annotation.Observation, ok bool) {
	v, ok := value.(Value)
	return v.full, ok
}

// Result returns the Result of an observation. The text for the model is before followed by the observation, in about
// maxTokens tokens by count; 0 is no limit. before is never cut. sentence is for people.
func Result(
	a annotation.Observation, before string, maxTokens int, count func(string) int, sentence string,
) toolspec.Result {
	full := a
	budget := annotation.Budget{Max: maxTokens, Count: count}
	if maxTokens > 0 && before != "" {
		budget.Max = max(maxTokens-count(before), 1)
	}
	text := before + annotation.TextWithin(&a, budget)
	r := toolspec.OK(Value{Observation: a, Text: text, full: full})
	r.Text = text
	r.Sentence = sentence
	r.Preview = preview(a)
	r.Sources = Sources(a.Page.URL)
	r.Change = full.Change()
	return r
}

func preview(a annotation.Observation) []string {
	var parts []string
	switch n := len(a.Elements) + a.LeftOut; {
	case !a.OnlyChanges:
		parts = append(parts, english.Plural(n, "element", ""))
	case n > 0:
		parts = append(parts, english.Plural(n, "change", ""))
	}
	if title := annotation.Clean(a.Page.Title, 60); title != "" {
		parts = append(parts, title)
	}
	lines := []string{strings.Join(parts, " · ")}
	var events []string
	for _, e := range a.Events[:min(len(a.Events), 3)] {
		events = append(events, annotation.Clean(e.String(), 100))
	}
	if len(events) > 0 {
		lines = append(lines, strings.Join(events, " · "))
	}
	return lines
}

// Escape replaces control, format, private-use and line-separator characters by \u escapes, so that the text stays on
// one line. Those above U+FFFF become \ufffd.
func Escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) {
			if r > 0xFFFF {
				r = unicode.ReplacementChar
			}
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Quote returns text as a JSON string, so that outside text cannot imitate a line written by Sextant.
func Quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return ""
	}
	return Escape(strings.TrimSuffix(b.String(), "\n"))
}

// WithBoxes returns elements with their boxes as states.
func WithBoxes(elements []annotation.Element) []annotation.Element {
	elements = slices.Clone(elements)
	for i, e := range elements {
		box := fmt.Sprintf("%.0f×%.0f at %.0f,%.0f", e.Box.Width, e.Box.Height, e.Box.X, e.Box.Y)
		elements[i].States = append(slices.Clone(e.States), box)
	}
	return elements
}
