package web

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"sextant/backend/tools/readable"
)

// Bounds of what is told of an answer.
const (
	maxText   = 1 << 20 // characters for a model
	maxBody   = 1 << 20 // bytes in the value, for programs
	maxMarkup = 2 << 20 // bytes of HTML that are turned into text
)

// content is an answer's body as it can be told.
type content struct {
	mime string
	// binary is true when it is no text; raw and text are empty then.
	binary bool
	// raw is the text as it was sent, in UTF-8, and text what can be read of it.
	raw, text string
}

// read finds out what the body of r is and decodes it.
func (r *reply) read() content {
	declared := r.header.Get("Content-Type")
	c := content{}
	c.mime, _, _ = mime.ParseMediaType(declared)
	if c.mime == "" || c.mime == "application/octet-stream" {
		c.mime, _, _ = mime.ParseMediaType(http.DetectContentType(r.body))
	}
	if encoding := r.header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		// We asked for none that we cannot undo.
		c.mime, c.binary = c.mime+" ("+encoding+")", true
		return c
	}
	wide := bytes.HasPrefix(r.body, []byte{0xff, 0xfe}) || bytes.HasPrefix(r.body, []byte{0xfe, 0xff}) || strings.Contains(strings.ToLower(declared), "utf-16")
	if !isText(c.mime) || !wide && bytes.IndexByte(r.body[:min(len(r.body), 1024)], 0) >= 0 {
		c.binary = len(r.body) > 0
		return c
	}
	c.raw = plain(decoded(r.body, declared))
	c.text = c.raw
	if c.mime == "text/html" || c.mime == "application/xhtml+xml" {
		text, _, err := readable.Source(c.raw[:whole(c.raw, maxMarkup)], r.url.String(), "markdown")
		if err != nil {
			// Deeper than a page is: the words alone are left.
			text = tagless(c.raw)
		}
		c.text = plain(text)
	}
	return c
}

// tagless is the text between the tags of HTML.
func tagless(source string) string {
	var b strings.Builder
	skip := ""
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return b.String()
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "script" || string(name) == "style" {
				skip = string(name)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == skip {
				skip = ""
			}
		case html.TextToken:
			if skip == "" {
				b.Write(z.Text())
			}
		}
	}
}

// isText reports whether a type is one that people can read.
func isText(mime string) bool {
	if strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+json") || strings.HasSuffix(mime, "+xml") || strings.HasSuffix(mime, "+yaml") {
		return true
	}
	switch mime {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/ecmascript",
		"application/x-www-form-urlencoded", "application/yaml", "application/x-yaml", "application/toml", "application/sql",
		"application/x-ndjson", "application/jsonl", "application/graphql", "application/x-sh", "application/rtf", "message/rfc822":
		return true
	}
	return false
}

// decoded is body in UTF-8: by its mark, by what the server or the page says, as UTF-8 when it
// is that, else as browsers guess.
func decoded(body []byte, contentType string) string {
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && utf8.Valid(body[:whole(string(body), len(body))]) {
		return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\ufeff"), "\ufffd")
	}
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return strings.ToValidUTF8(string(body), "\ufffd")
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}

// whole is the longest length of at most n bytes that ends with a whole character of s.
func whole(s string, n int) int {
	if n >= len(s) {
		n = len(s)
		for back := 1; back < utf8.UTFMax && back <= n; back++ {
			if b := s[n-back]; utf8.RuneStart(b) {
				if b >= utf8.RuneSelf && !utf8.FullRuneInString(s[n-back:]) {
					return n - back
				}
				break
			}
		}
		return n
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// plain drops control characters, which a terminal or a log would obey.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// shown is at most maxText characters of text, with a last line that says what is missing.
func shown(text string, more bool) (string, bool) {
	n := utf8.RuneCountInString(text)
	cut := n > maxText
	if cut {
		text = string([]rune(text)[:maxText])
	}
	switch {
	case more:
		text += fmt.Sprintf("\n[Cut: the answer is longer than %s, the most that is read; shown are %d characters.]", size(maxRead), min(n, maxText))
	case cut:
		text += fmt.Sprintf("\n[Cut after %d of %d characters.]", maxText, n)
	}
	return text, cut || more
}
