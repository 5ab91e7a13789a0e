package created

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// unseen tells of a text of p that holds a character nobody sees, "" for none. A person reads a
// tool before it is kept, and has to read what runs: a control of writing direction shows it in
// another order, and what is not drawn hides words and names.
func (p createParams) unseen() string {
	var schema bytes.Buffer
	var parameters any
	if json.Unmarshal(p.Parameters, &parameters) == nil {
		// Decoded, for an escape in JSON is the character to whoever reads the schema.
		enc := json.NewEncoder(&schema)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(parameters)
	}
	for _, part := range []struct{ name, text string }{
		{"name", p.Name}, {"description", p.Description}, {"body", p.Body}, {"schema of the parameters", schema.String()},
	} {
		for i, r := range part.text {
			if hidden(r) {
				line := 1 + strings.Count(part.text[:i], "\n")
				return fmt.Sprintf("the %s holds the character %U in line %d, which a person who reads it does not see", part.name, r, line)
			}
		}
	}
	return ""
}

// hidden reports whether a character is not drawn, or steers how others are. The selector of the
// coloured form that follows an emoji is common and hides nothing.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\ufe0f':
		return false
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true // letters and signs without a shape
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Noncharacter_Code_Point)
}
