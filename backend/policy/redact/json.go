package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
)

// maxEmbedded limits how deep JSON inside JSON strings is parsed. maxNesting limits the depth of arrays and objects.
const (
	maxEmbedded = 3
	maxNesting  = 500
)

var errNesting = errors.New("nested too deep")

// json hides the values of secret names in JSON and copies the rest unchanged. From the first syntax error on, such as
// in truncated JSON, it only looks for assignments.
func (r *Redactor) json(text, where string, sent bool, depth int) string {
	w := &jsonWalker{redactor: r, text: text, where: where, sent: sent, depth: depth}
	w.dec = json.NewDecoder(strings.NewReader(text))
	w.dec.UseNumber()
	for {
		if err := w.value("", notSecret); err != nil {
			rest := r.Text(r.assignments(text[w.copied:], where, sent), where)
			if errors.Is(err, io.EOF) {
				rest = r.Text(text[w.copied:], where)
			}
			return w.out.String() + rest
		}
	}
}

type jsonWalker struct {
	redactor *Redactor
	dec      *json.Decoder
	text     string
	where    string
	sent     bool
	depth    int
	level    int
	out      strings.Builder
	copied   int
}

// value copies one value. name is the name that applies to it, and s the strength of that name.
func (w *jsonWalker) value(name string, s strength) error {
	before := int(w.dec.InputOffset())
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	end := int(w.dec.InputOffset())
	start := before + len(w.text[before:end]) - len(strings.TrimLeft(w.text[before:end], " \t\r\n:,"))
	switch t := t.(type) {
	case json.Delim:
		return w.container(t, name, s)
	case string:
		w.replace(start, end, w.redacted(name, s, t))
	case json.Number:
		if !countsTokens(name) && s.isSecret(t.String(), w.sent) {
			w.replace(start, end, quoteJSON(w.redactor.mark(name, w.where)))
		}
	}
	return nil
}

func (w *jsonWalker) container(open json.Delim, name string, s strength) error {
	if w.level++; w.level > maxNesting {
		return errNesting
	}
	defer func() { w.level-- }()
	for w.dec.More() {
		innerName, innerStrength := name, s
		if open == '{' {
			k, err := w.dec.Token()
			if err != nil {
				return err
			}
			key, _ := k.(string)
			if own := nameStrength(key); own >= s {
				innerName, innerStrength = key, own
			}
		}
		if err := w.value(innerName, innerStrength); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

// redacted returns a JSON string with its secrets hidden, "" if nothing was hidden.
func (w *jsonWalker) redacted(name string, s strength, value string) string {
	if value == "" || value == Placeholder {
		return ""
	}
	if s.isSecret(value, w.sent) {
		return quoteJSON(w.redactor.mark(name, w.where))
	}
	redacted := value
	trimmed := strings.TrimSpace(value)
	if w.depth < maxEmbedded && (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) {
		redacted = w.redactor.json(value, w.where, w.sent, w.depth+1)
	} else if strings.Contains(value, "<") {
		redacted = w.redactor.markup(value, w.where)
	}
	redacted = w.redactor.Text(w.redactor.parameters(redacted, w.where), w.where)
	if redacted == value {
		return ""
	}
	return quoteJSON(redacted)
}

// replace copies the text up to start, and then writes with instead of the text up to end. If with is "", it does
// nothing.
func (w *jsonWalker) replace(start, end int, with string) {
	if with == "" {
		return
	}
	w.out.WriteString(w.redactor.Text(w.text[w.copied:start], w.where) + with)
	w.copied = end
}

func quoteJSON(text string) string { return `"` + jsonText(text) + `"` }

func jsonText(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// assignmentPattern matches a name with a quoted value or a number, as in scripts and in truncated JSON.
var assignmentPattern = regexp.MustCompile(`(["']?)([\w.$-]{1,80})["']?(\s*[:=]\s*)("(?:[^"\\\n]|\\.)*(?:"|$)|'(?:[^'\\\n]|\\.)*(?:'|$)|\d{4,}\b)`)

func (r *Redactor) assignments(text, where string, sent bool) string {
	return assignmentPattern.ReplaceAllStringFunc(text, func(found string) string {
		m := assignmentPattern.FindStringSubmatch(found)
		value := strings.Trim(m[4], `"'`)
		s := nameStrength(m[2])
		if value == "" || value == Placeholder || !s.isSecret(value, sent) || countsTokens(m[2]) && m[4] == value {
			return found
		}
		at := strings.LastIndex(found, m[4])
		return found[:at] + quoteJSON(r.mark(m[2], where))
	})
}
