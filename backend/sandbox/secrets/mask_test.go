package secrets_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/sandbox/secrets"
)

// textEncodings returns what pages, servers and programs do to a text that they repeat.
func textEncodings() map[string]func(string) string {
	return map[string]func(string) string{
		"plain": func(s string) string { return s },
		"JSON": func(s string) string {
			b, _ := json.Marshal(s)
			return string(b)
		},
		"JSON in JSON": func(s string) string {
			b, _ := json.Marshal(s)
			c, _ := json.Marshal(string(b))
			return string(c)
		},
		"query": url.QueryEscape,
		"path":  url.PathEscape,
		"lower-case percent": func(s string) string {
			return strings.ToLower(fmt.Sprintf("%%%x", s[0])) +
				url.QueryEscape(s[1:])
		},
		"every byte percent": func(s string) string {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, "%%%02x", s[i])
			}
			return b.String()
		},
		"HTML":           html.EscapeString,
		"Go string":      strconv.Quote,
		"ASCII":          strconv.QuoteToASCII,
		"hex":            func(s string) string { return hex.EncodeToString([]byte(s)) },
		"upper-case hex": func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"URL base64":     func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"basic auth":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte("ana:" + s)) },
		"inside base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("a=" + s + "&b")) },
		"escaped base64": func(s string) string {
			return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s)))
		},
	}
}

func TestMaskFindsEveryEncoding(t *testing.T) {
	values := []string{
		"tr0ub4dor", `q"u\o/te<d>&'x`, "spaces and ümlauts ✓", "per%41cent%", "a+b+c+d+e+f", `\\\\\\\\`, "123456789",
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END " +
			"PRIVATE KEY-----\n",
	}
	for _, value := range values {
		v := open(t, t.TempDir())
		put(t, v, "it", "a.example", value)
		for name, encode := range textEncodings() {
			t.Run(name+"/"+value[:6], func(t *testing.T) {
				masked := v.Mask("before " + encode(value) + " after")
				if strings.Contains(masked, encode(value)) || !strings.Contains(masked, "{{secret:it}}") {
					t.Errorf("%q is not masked: %s", value, masked)
				}
				if !strings.HasPrefix(masked, "before ") || !strings.HasSuffix(masked, " after") {
					t.Errorf("%q: the rest changed: %s", value, masked)
				}
			})
		}
	}
}

func TestMaskFindsCutOffValues(t *testing.T) {
	v := open(t, t.TempDir())
	value := "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	put(t, v, "git", "a.example", value)
	for text, want := range map[string]string{
		"it was " + value[:10] + "…": "it was {{secret:git}}…",
		"it was " + value[:30]:       "it was {{secret:git}}",
		`{"v":"` + value[:25] + `"}`: `{"v":"{{secret:git}}"}`,
		"it was " + value[:6] + "…":  "it was " + value[:6] + "…",
		"ghp_9999999999":             "ghp_9999999999",
	} {
		t.Run(text, func(t *testing.T) {
			if masked := v.Mask(text); masked != want {
				t.Errorf("got %s, want %s", masked, want)
			}
		})
	}
}

func TestMaskJSONReturnsValidJSON(t *testing.T) {
	v := open(t, t.TempDir())
	put(t, v, "number", "a.example", "123456789")
	put(t, v, "odd", "a.example", `","x":"`)
	for text, want := range map[string]string{
		`{"n":123456789,"m":[1.50]}`: `{"m":[1.50],"n":"{{secret:number}}"}`,
		`{"a":"1","x":"2"}`:          `{"a":"1","x":"2"}`,
		`{"123456789":"<b>"}`:        `{"{{secret:number}}":"<b>"}`,
		`{"nothing": 1}`:             `{"nothing": 1}`,
	} {
		t.Run(text, func(t *testing.T) {
			if got := string(v.MaskJSON([]byte(text))); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestPendingSuffixMasksStreams cuts a text with a value at random places.
func TestPendingSuffixMasksStreams(t *testing.T) {
	v := open(t, t.TempDir())
	value := `s3cret"value\with/odd`
	put(t, v, "it", "a.example", value)
	rapid.Check(t, func(r *rapid.T) {
		encode := rapid.SampledFrom([]func(string) string{
			textEncodings()["plain"], textEncodings()["JSON"],
			textEncodings()["every byte percent"], textEncodings()["hex"],
		}).Draw(r, "encoding")
		text := rapid.StringMatching(`[a-z ]{0,20}`).Draw(r, "before") + encode(value) +
			rapid.StringMatching(`[a-z ]{0,20}`).Draw(r, "after")
		var masked strings.Builder
		pending := ""
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(r, "piece")
			pending += text[:n]
			text = text[n:]
			held := v.PendingSuffix(pending)
			masked.WriteString(v.Mask(pending[:len(pending)-held]))
			pending = pending[len(pending)-held:]
		}
		masked.WriteString(v.Mask(pending))
		if strings.Contains(masked.String(), encode(value)) || !strings.Contains(masked.String(), "{{secret:it}}") {
			r.Fatalf("got %q", masked.String())
		}
	})
}

func TestLogHandlerMasksValues(t *testing.T) {
	v := open(t, t.TempDir())
	put(t, v, "it", "a.example", "tr0ub4dor")
	if err := v.SetKey("openai_api_key", "sk-verysecret"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(secrets.NewLogHandler(slog.NewJSONHandler(&out, nil), v)).With("attr", "tr0ub4dor").WithGroup("g")
	log.Error("a tr0ub4dor", "err", errors.New("b tr0ub4dor"), "any", []string{"tr0ub4dor"},
		slog.Group("h", "x", "sk-verysecret"), "n", 7)
	if strings.Contains(out.String(), "tr0ub") || strings.Contains(out.String(), "sk-very") ||
		strings.Count(out.String(), "{{secret:it}}") != 4 || !strings.Contains(out.String(), `"n":7`) {
		t.Errorf("the log is %s", out.String())
	}
}

func BenchmarkMask(b *testing.B) {
	v, err := secrets.Open(secrets.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		if _, err := v.Put(secrets.Secret{Name: fmt.Sprintf("s%d", i), Host: "a.example"},
			fmt.Sprintf("sk-%d-0123456789abcdefghijklmnop%d", i*7919, i)); err != nil {
			b.Fatal(err)
		}
	}
	text := strings.Repeat("The quick brown fox skips over <b>100%</b> of the lazy dogs & \"cats\". ", 1<<14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		v.Mask(text)
	}
}
