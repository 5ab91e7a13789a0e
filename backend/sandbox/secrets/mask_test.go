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

// wrappings are what pages, servers and programs make of a text they tell again.
func wrappings() map[string]func(string) string {
	return map[string]func(string) string{
		"as it is": func(s string) string { return s },
		"JSON": func(s string) string {
			b, _ := json.Marshal(s)
			return string(b)
		},
		"JSON in JSON": func(s string) string {
			b, _ := json.Marshal(s)
			c, _ := json.Marshal(string(b))
			return string(c)
		},
		"a query": url.QueryEscape,
		"a path":  url.PathEscape,
		"small percent": func(s string) string {
			return strings.ToLower(fmt.Sprintf("%%%x", s[0])) +
				url.QueryEscape(s[1:])
		},
		"all percent": func(s string) string {
			var b strings.Builder
			for i := range len(s) {
				fmt.Fprintf(&b, "%%%02x", s[i])
			}
			return b.String()
		},
		"HTML":           html.EscapeString,
		"a Go string":    strconv.Quote,
		"ASCII":          strconv.QuoteToASCII,
		"hex":            func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX":            func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"base64 of URLs": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"basic auth":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte("ana:" + s)) },
		"within base64":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("a=" + s + "&b")) },
		"base64 escaped": func(s string) string {
			return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s)))
		},
	}
}

func TestAValueIsMaskedInEveryWrappingAndTheRestStays(t *testing.T) {
	values := []string{
		"tr0ub4dor", `q"u\o/te<d>&'x`, "spaces and ümlauts ✓", "per%41cent%", "a+b+c+d+e+f", `\\\\\\\\`, "123456789",
		"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END " +
			"PRIVATE KEY-----\n",
	}
	for _, value := range values {
		v := open(t, t.TempDir())
		put(t, v, "it", "a.example", value)
		for name, wrap := range wrappings() {
			told := v.Mask("before " + wrap(value) + " after")
			if strings.Contains(told, wrap(value)) || !strings.Contains(told, "{{secret:it}}") {
				t.Errorf("%q in %s is told: %s", value, name, told)
			}
			if !strings.HasPrefix(told, "before ") || !strings.HasSuffix(told, " after") {
				t.Errorf("%q in %s: the rest is %s", value, name, told)
			}
		}
	}
}

func TestAValueThatWasCutOffIsMaskedToo(t *testing.T) {
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
		if told := v.Mask(text); told != want {
			t.Errorf("%s is told as %s, want %s", text, told, want)
		}
	}
}

func TestMaskedJSONIsJSON(t *testing.T) {
	v := open(t, t.TempDir())
	put(t, v, "number", "a.example", "123456789")
	put(t, v, "odd", "a.example", `","x":"`)
	for text, want := range map[string]string{
		`{"n":123456789,"m":[1.50]}`: `{"m":[1.50],"n":"{{secret:number}}"}`,
		`{"a":"1","x":"2"}`:          `{"a":"1","x":"2"}`,
		`{"123456789":"<b>"}`:        `{"{{secret:number}}":"<b>"}`,
		`{"nothing": 1}`:             `{"nothing": 1}`,
	} {
		if got := string(v.MaskJSON([]byte(text))); got != want {
			t.Errorf("%s is told as %s, want %s", text, got, want)
		}
	}
}

// TestPiecesOfAStreamLeakNothing cuts a text that holds a value anywhere, as output comes.
func TestPiecesOfAStreamLeakNothing(t *testing.T) {
	v := open(t, t.TempDir())
	value := `s3cret"value\with/odd`
	put(t, v, "it", "a.example", value)
	rapid.Check(t, func(r *rapid.T) {
		wrap := rapid.SampledFrom([]func(string) string{
			wrappings()["as it is"], wrappings()["JSON"],
			wrappings()["all percent"], wrappings()["hex"],
		}).Draw(r, "wrap")
		text := rapid.StringMatching(`[a-z ]{0,20}`).Draw(r, "before") + wrap(value) +
			rapid.StringMatching(`[a-z ]{0,20}`).Draw(r, "after")
		var told strings.Builder
		waiting := ""
		for text != "" {
			n := rapid.IntRange(1, len(text)).Draw(r, "piece")
			waiting += text[:n]
			text = text[n:]
			keep := v.Unsure(waiting)
			told.WriteString(v.Mask(waiting[:len(waiting)-keep]))
			waiting = waiting[len(waiting)-keep:]
		}
		told.WriteString(v.Mask(waiting))
		if strings.Contains(told.String(), wrap(value)) || !strings.Contains(told.String(), "{{secret:it}}") {
			r.Fatalf("told %q", told.String())
		}
	})
}

func TestALogHoldsNoValue(t *testing.T) {
	v := open(t, t.TempDir())
	put(t, v, "it", "a.example", "tr0ub4dor")
	if err := v.SetKey("openai_api_key", "sk-verysecret"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	log := slog.New(secrets.NewHandler(slog.NewJSONHandler(&out, nil), v)).With("with", "tr0ub4dor").WithGroup("g")
	log.Error("a tr0ub4dor", "err", errors.New("b tr0ub4dor"), "any", []string{"tr0ub4dor"},
		slog.Group("h", "x", "sk-verysecret"), "n", 7)
	if strings.Contains(out.String(), "tr0ub") || strings.Contains(out.String(), "sk-very") ||
		strings.Count(out.String(), "{{secret:it}}") != 4 || !strings.Contains(out.String(), `"n":7`) {
		t.Errorf("the log says %s", out.String())
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
