package pipeline

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"sextant/backend/policy/redact"
	"sextant/shared/excerpt"
)

// maxValue limits a quoted name or value, in characters. After maxShown bytes, no more arguments are quoted. hidden
// stands for what is left out.
const (
	maxValue = 60
	maxShown = 200
	// maxPurpose limits what a model said a call is for, in characters.
	maxPurpose = 300
	hidden     = "…"
)

// FormatCall writes a call as tool(name="value", …) for people. It shortens values. It hides the values of the
// arguments in secret and of arguments with a name that suggests a secret.
func FormatCall(tool string, args json.RawMessage, secret ...string) string {
	var object map[string]json.RawMessage
	tool = excerpt.TruncateRunes(tool, maxValue)
	if json.Unmarshal(args, &object) != nil {
		return tool + "(" + excerpt.TruncateRunes(string(args), maxValue) + ")"
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > maxShown {
			b.WriteString(hidden)
			break
		}
		b.WriteString(excerpt.TruncateRunes(name, maxValue) + "=" + formatValue(name, object[name], secret))
	}
	return tool + "(" + b.String() + ")"
}

func formatValue(name string, raw json.RawMessage, secret []string) string {
	if secretName(name) || slices.Contains(secret, name) {
		return `"` + hidden + `"`
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		text = strings.Join(strings.FieldsFunc(text, unicode.IsControl), " ")
		return `"` + excerpt.TruncateRunes(text, maxValue) + `"`
	}
	return excerpt.TruncateRunes(string(hideSecrets(raw)), maxValue)
}

// hideSecrets returns args with the values of secret-looking names replaced at any depth, and those of the arguments in
// secret. Text that is not JSON is returned as a JSON string.
func hideSecrets(args json.RawMessage, secret ...string) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		v = excerpt.TruncateRunes(strings.ToValidUTF8(string(args), "\uFFFD"), maxReported)
	}
	if object, ok := v.(map[string]any); ok {
		for _, name := range secret {
			if _, given := object[name]; given {
				object[name] = hidden
			}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(hideNested(v)); err != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}

func hideNested(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if secretName(name) {
				v[name] = hidden
				continue
			}
			v[name] = hideNested(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = hideNested(inner)
		}
	}
	return v
}

// secretName reports whether a parameter's name suggests a secret value: "password", "apiKey" and "X-Auth-Token" do,
// "max_tokens" does not.
func secretName(name string) bool {
	parts := redact.SplitName(name)
	for i, word := range parts {
		switch word {
		case "password", "passwd", "passphrase", "pwd", "secret", "token", "authorization", "cookie",
			"credential", "credentials", "apikey", "pin", "otp":
			return true
		case "key":
			if i > 0 && slices.Contains([]string{"api", "private", "access", "secret", "signing"}, parts[i-1]) {
				return true
			}
		}
	}
	return false
}
