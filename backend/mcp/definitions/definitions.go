// Package definitions turns the tools that an MCP server lists into Sextant's tool definitions, with distinct names.
// A server's hints never exempt a tool from confirmation. Definitions are pinned, so that a later change can be
// shown to a person. The package does no I/O.
package definitions

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/toolprovider/argschema"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// These bound what a server may add to the catalog.
const (
	MaxTools = 128
	// MaxName is the longest tool name that model services accept, in bytes.
	MaxName        = 64
	maxSchema      = 64 << 10
	maxDescription = 4000
	callLimit      = 2 * time.Minute
)

// PublicName returns the catalog's name of a server's tool, made from the server's prefix and the tool's name in
// snake_case (see SnakeCaseNames). A name longer than MaxName is cut and ends in a hash.
func PublicName(prefix, snakeCaseName string) string {
	name := prefix + "__" + snakeCaseName
	if len(name) <= MaxName {
		return name
	}
	return name[:MaxName-9] + "_" + hash(name, 4)
}

func hash(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// snakeCase converts "getWeather" and "get-weather" to "get_weather".
func snakeCase(name string) string {
	var b strings.Builder
	var last rune
	for _, c := range name {
		if unicode.IsUpper(c) && (unicode.IsLower(last) || unicode.IsDigit(last)) {
			b.WriteByte('_')
		}
		last = c
		c = unicode.ToLower(c)
		if c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			c = '_'
		}
		b.WriteRune(c)
	}
	out := strings.Join(strings.FieldsFunc(b.String(), func(c rune) bool { return c == '_' }), "_")
	if out == "" || out[0] >= '0' && out[0] <= '9' {
		out = "t_" + out
	}
	return strings.TrimSuffix(out, "_")
}

var hashSuffix = regexp.MustCompile(`_[0-9a-f]{8}$`)

// SnakeCaseNames maps each name to a distinct name in snake_case, whatever the order of names. A name that would not be
// distinct, or that looks as if it ended in a hash, gets a hash of the original. Names that still collide, which only
// happens on purpose, are left out.
func SnakeCaseNames(names []string) map[string]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	count := map[string]int{}
	for _, name := range names {
		count[snakeCase(name)]++
	}
	forms, owners := map[string]string{}, map[string][]string{}
	for _, name := range names {
		form := snakeCase(name)
		if count[form] > 1 || hashSuffix.MatchString(form) {
			form += "_" + hash(name, 4)
		}
		forms[name], owners[form] = form, append(owners[form], name)
	}
	for _, same := range owners {
		for _, name := range same {
			if len(same) > 1 {
				delete(forms, name)
			}
		}
	}
	return forms
}

// Prefixes maps the name of each server to the part of its tools' names before "__".
func Prefixes(servers []string) map[string]string {
	prefixes := SnakeCaseNames(servers)
	for _, name := range servers {
		if prefixes[name] == "" {
			prefixes[name] = "t_" + hash(name, 16)
		}
	}
	return prefixes
}

// FromTool returns the definition of a server's tool, without a name. The error says why its schema cannot be used.
func FromTool(server string, remote bool, t *sdk.Tool) (toolspec.Definition, error) {
	schema, err := inputSchema(t.InputSchema)
	if err != nil {
		return toolspec.Definition{}, err
	}
	description := t.Description
	if description == "" {
		description = t.Title
	}
	return toolspec.Definition{
		Description: excerpt.TruncateRunes(description,
			maxDescription), Parameters: schema, Origin: toolspec.OriginMCP, Owner: server,
		Group: "mcp", TimeoutMS: int(callLimit.Milliseconds()), Hints: Hints(t.Annotations, remote),
	}, nil
}

// Hints converts a tool's annotations. Confirm is always set, and readOnlyHint is ignored: a server could lie.
func Hints(a *sdk.ToolAnnotations, remote bool) toolspec.Hints {
	isTrue := func(p *bool) bool { return p != nil && *p }
	h := toolspec.Hints{Confirm: true, OpenWorld: remote}
	if a != nil {
		h.Destructive, h.OpenWorld = isTrue(a.DestructiveHint), remote || isTrue(a.OpenWorldHint)
		h.Idempotent = a.IdempotentHint
	}
	return h
}

func inputSchema(from any) (json.RawMessage, error) {
	b, err := json.Marshal(from)
	if err != nil {
		return nil, fmt.Errorf("its schema is not JSON: %w", err)
	}
	if len(b) > maxSchema {
		return nil, fmt.Errorf("its schema is larger than %d KB", maxSchema>>10)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		members = map[string]json.RawMessage{}
	}
	if kind := string(members["type"]); kind != `"object"` {
		if kind != "" {
			return nil, fmt.Errorf("its schema has type %s, not object", kind)
		}
		members["type"] = json.RawMessage(`"object"`)
	}
	if b, err = json.Marshal(members); err != nil {
		return nil, fmt.Errorf("its schema is not JSON: %w", err)
	}
	if err := argschema.Check(b); err != nil {
		return nil, fmt.Errorf("its schema cannot be used: %w", err)
	}
	return b, nil
}
