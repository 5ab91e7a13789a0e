// Package pinning compares a definition that a panel or an MCP server gives with the one that the user accepted: by a
// hash, and as a diff for reading. It stores nothing. All text in a definition is untrusted.
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

// maxDiff bounds a diff in bytes.
const maxDiff = 64 << 10

// Hash identifies the text of a definition: SHA-256 in hexadecimal.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Diff returns the unified diff of two JSON documents in normal form; name is that of the new one. A diff of more than
// 64 KB is cut and says so.
func Diff(name string, was, is []byte) string {
	text := udiff.Unified("accepted", name, normal(was), normal(is))
	if len(text) > maxDiff {
		kept := text[:strings.LastIndexByte(text[:maxDiff], '\n')+1]
		return kept + fmt.Sprintf(" … %d more bytes of differences; see %s itself\n", len(text)-len(kept), name)
	}
	return text
}

// normal is JSON with sorted names and one value per line, with invisible characters escaped.
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
