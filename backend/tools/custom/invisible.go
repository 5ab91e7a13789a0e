package custom

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Invisible characters would hide words from the person who reads a tool before it is stored, or show them in another
// order.
func (p createParams) invisibleCharacter() string {
	var schema bytes.Buffer
	var parameters any
	if json.Unmarshal(p.Parameters, &parameters) == nil {
		// The schema is decoded first, because JSON can escape the character.
		enc := json.NewEncoder(&schema)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(parameters)
	}
	for _, part := range []struct{ name, text string }{
		{"name", p.Name},
		{"description", p.Description},
		{"body", p.Body},
		{"schema of the parameters", schema.String()},
	} {
		for i, r := range part.text {
			if isInvisible(r) {
				line := 1 + strings.Count(part.text[:i], "\n")
				return fmt.Sprintf("the %s contains the invisible character %U in line %d", part.name, r, line)
			}
		}
	}
	return ""
}

// The variation selector after an emoji (U+FE0F) is common and hides nothing.
func isInvisible(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\ufe0f':
		return false
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return true // characters without a visible glyph
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Noncharacter_Code_Point)
}
