package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
)

// deepest is how far JSON in the strings of JSON is looked into, nested how deep its lists and
// objects may lie in each other.
const (
	deepest = 3
	nested  = 500
)

var errNested = errors.New("too deep")

// json hides the values of secret names in JSON without writing the rest anew. What cannot be
// read any more, as where it was cut, is taken as a script's text.
func (v *Veil) json(text, where string, asked bool, depth int) string {
	w := &walk{veil: v, text: text, where: where, asked: asked, depth: depth}
	w.dec = json.NewDecoder(strings.NewReader(text))
	w.dec.UseNumber()
	for {
		if err := w.value("", harmless); err != nil {
			rest := v.Text(v.assignments(text[w.copied:], where, asked), where)
			if errors.Is(err, io.EOF) {
				rest = v.Text(text[w.copied:], where)
			}
			return w.out.String() + rest
		}
	}
}

// walk goes through one JSON text and copies it.
type walk struct {
	veil   *Veil
	dec    *json.Decoder
	text   string
	where  string
	asked  bool
	depth  int
	level  int
	out    strings.Builder
	copied int
}

// value copies one value; name is what it is called and s what that says of it.
func (w *walk) value(name string, s strength) error {
	before := int(w.dec.InputOffset())
	t, err := w.dec.Token()
	if err != nil {
		return err
	}
	end := int(w.dec.InputOffset())
	start := before + len(w.text[before:end]) - len(strings.TrimLeft(w.text[before:end], " \t\r\n:,"))
	switch t := t.(type) {
	case json.Delim:
		return w.inside(t, name, s)
	case string:
		w.put(start, end, w.shown(name, s, t))
	case json.Number:
		if !counted(name) && s.tells(t.String(), w.asked) {
			w.put(start, end, quote(w.veil.hide(name, w.where)))
		}
	}
	return nil
}

// inside copies what an object or a list holds. A secret name counts for all that is in it.
func (w *walk) inside(open json.Delim, name string, s strength) error {
	if w.level++; w.level > nested {
		return errNested
	}
	defer func() { w.level-- }()
	for w.dec.More() {
		inner, is := name, s
		if open == '{' {
			k, err := w.dec.Token()
			if err != nil {
				return err
			}
			key, _ := k.(string)
			if own := nameOf(key); own >= s {
				inner, is = key, own
			}
		}
		if err := w.value(inner, is); err != nil {
			return err
		}
	}
	_, err := w.dec.Token()
	return err
}

// shown is a string of JSON as it may be shown, "" when it may stay as it is.
func (w *walk) shown(name string, s strength, value string) string {
	if value == "" || value == Mark {
		return ""
	}
	if s.tells(value, w.asked) {
		return quote(w.veil.hide(name, w.where))
	}
	shown := value
	if t := strings.TrimSpace(value); w.depth < deepest && (strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[")) {
		shown = w.veil.json(value, w.where, w.asked, w.depth+1)
	} else if strings.Contains(value, "<") {
		shown = w.veil.markup(value, w.where)
	}
	shown = w.veil.Text(w.veil.pairs(shown, w.where), w.where)
	if shown == value {
		return ""
	}
	return quote(shown)
}

// put copies the text up to start and with in place of what stands up to end; "" keeps that.
func (w *walk) put(start, end int, with string) {
	if with == "" {
		return
	}
	w.out.WriteString(w.veil.Text(w.text[w.copied:start], w.where) + with)
	w.copied = end
}

func quote(text string) string { return `"` + jsonText(text) + `"` }

// jsonText is text as it stands between the quotes of JSON.
func jsonText(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil {
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// assignment is a name with a quoted value or a number, as scripts and cut JSON have it.
var assignment = regexp.MustCompile(`(["']?)([\w.$-]{1,80})["']?(\s*[:=]\s*)("(?:[^"\\\n]|\\.)*(?:"|$)|'(?:[^'\\\n]|\\.)*(?:'|$)|\d{4,}\b)`)

// assignments hides the values of secret names in what is no whole JSON.
func (v *Veil) assignments(text, where string, asked bool) string {
	return assignment.ReplaceAllStringFunc(text, func(found string) string {
		m := assignment.FindStringSubmatch(found)
		value := strings.Trim(m[4], `"'`)
		s := nameOf(m[2])
		if value == "" || value == Mark || !s.tells(value, asked) || counted(m[2]) && m[4] == value {
			return found
		}
		at := strings.LastIndex(found, m[4])
		return found[:at] + quote(v.hide(m[2], where))
	})
}
