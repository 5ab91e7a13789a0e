package transfer

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"sextant/backend/policy/redact"
)

// Veil returns copies of conversations in which secrets are hidden, and how many were. mask hides the values that the
// person stored as secrets; others are recognized by their names and shapes.
func Veil(list []Conversation, mask func(string) string) ([]Conversation, int, error) {
	r, labeled := redact.New(nil), 0
	out := make([]Conversation, len(list))
	for i, c := range list {
		out[i] = Conversation{ID: c.ID, Events: make([]Event, len(c.Events))}
		for j, e := range c.Events {
			data, err := veilData(r, e.Data, mask, &labeled)
			if err != nil {
				return nil, 0, err
			}
			e.Data = data
			out[i].Events[j] = e
		}
	}
	n, _ := r.CountHidden()
	return out, n + labeled, nil
}

func veilData(
	r *redact.Redactor, data json.RawMessage, mask func(string) string, hidden *int,
) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := appendJSON(&b, veilStrings(r, v, mask, hidden)); err != nil {
		return nil, err
	}
	// Names of members tell what their values are.
	text := r.Body("application/json", b.String(), "the conversation", false)
	if !json.Valid([]byte(text)) {
		return nil, FormatError("Secrets could not be hidden in an event.")
	}
	return json.RawMessage(text), nil
}

func veilStrings(r *redact.Redactor, v any, mask func(string) string, hidden *int) any {
	switch v := v.(type) {
	case string:
		text, n := veilLabeled(r.Body("", mask(v), "the conversation", false))
		*hidden += n
		return text
	case []any:
		for i := range v {
			v[i] = veilStrings(r, v[i], mask, hidden)
		}
	case map[string]any:
		for name := range v {
			v[name] = veilStrings(r, v[name], mask, hidden)
		}
	}
	return v
}

// labelPattern matches a name and its value: "password: x", "DB_PASSWORD=x", "X-Api-Key: x".
var labelPattern = regexp.MustCompile(`([\p{L}\p{N}_.-]{2,80})(["']?\s{0,3}[:=]\s{0,3}["'` + "`" + `]?)([^\s"'` + "`" + `<>,;]{4,})`)

// veilLabeled hides the values of names that ask for a secret. In a file for others, a harmless value may be hidden
// too.
func veilLabeled(text string) (string, int) {
	n := 0
	text = labelPattern.ReplaceAllStringFunc(text, func(found string) string {
		m := labelPattern.FindStringSubmatch(found)
		name := strings.NewReplacer("_", " ", "-", " ", ".", " ").Replace(m[1])
		if strings.Contains(m[3], redact.Placeholder) || !redact.AsksForSecret(name) {
			return found
		}
		n++
		return m[1] + m[2] + redact.Placeholder
	})
	return text, n
}
