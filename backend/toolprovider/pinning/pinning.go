// Package pinning compares the definition that a panel or an MCP server supplies with the one that the person accepted,
// by hash and as a diff. It stores nothing. All text in a definition is untrusted.
package pinning

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"sextant/shared/excerpt"
)

const maxDiff = 64 << 10

// Hash returns the SHA-256 of a definition's text in hexadecimal.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Diff returns the unified diff of two JSON documents after sorting their members and writing one value per line. name
// is the name of the new one. Text that is not JSON is compared as it is. A diff over 64 KB is cut and ends in a note.
func Diff(name string, was, is []byte) string {
	text := udiff.Unified("accepted", name, normal(was), normal(is))
	if len(text) > maxDiff {
		kept := text[:strings.LastIndexByte(text[:maxDiff], '\n')+1]
		return kept + fmt.Sprintf(" … %d more bytes of differences; see %s itself\n", len(text)-len(kept), name)
	}
	return text
}

// normal returns JSON with sorted names, one value per line and escaped invisible characters. In text that is not JSON,
// it only escapes these characters.
func normal(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return excerpt.EscapeLines(string(text))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if enc.Encode(value) != nil {
		return excerpt.EscapeLines(string(text))
	}
	return excerpt.EscapeLines(b.String())
}
