package web

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"sextant/backend/tools/web/readable"
	"sextant/shared/excerpt"
)

const (
	maxText   = 1 << 20 // characters for a model
	maxBody   = 1 << 20 // bytes in the value, for programs
	maxMarkup = 2 << 20 // bytes of HTML that are converted to text
)

type content struct {
	mime string
	// binary is true if the body is not text; raw and text are then empty.
	binary bool
	// raw is the unconverted text in UTF-8, and text is its readable form.
	raw, text string
}

func (r *response) decode() content {
	declared := r.header.Get("Content-Type")
	c := content{}
	c.mime, _, _ = mime.ParseMediaType(declared)
	if c.mime == "" || c.mime == "application/octet-stream" {
		c.mime, _, _ = mime.ParseMediaType(http.DetectContentType(r.body))
	}
	if encoding := r.header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		// This encoding was not requested and cannot be decoded.
		c.mime, c.binary = c.mime+" ("+encoding+")", true
		return c
	}
	utf16 := bytes.HasPrefix(r.body, []byte{0xff, 0xfe}) || bytes.HasPrefix(r.body, []byte{0xfe, 0xff}) ||
		strings.Contains(strings.ToLower(declared), "utf-16")
	if !isText(c.mime) || !utf16 && bytes.IndexByte(r.body[:min(len(r.body), 1024)], 0) >= 0 {
		c.binary = len(r.body) > 0
		return c
	}
	c.raw = excerpt.Printable(toUTF8(r.body, declared))
	c.text = c.raw
	if c.mime == "text/html" || c.mime == "application/xhtml+xml" {
		text, _, err := readable.ExtractHTML(c.raw[:excerpt.PrefixLen(c.raw, maxMarkup)], r.url.String(), "markdown")
		if err != nil {
			// The HTML may be nested too deeply to convert.
			text = withoutTags(c.raw)
		}
		c.text = excerpt.Printable(text)
	}
	return c
}

func withoutTags(source string) string {
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

func isText(mime string) bool {
	if strings.HasPrefix(mime, "text/") || strings.HasSuffix(mime, "+json") || strings.HasSuffix(mime, "+xml") ||
		strings.HasSuffix(mime, "+yaml") {
		return true
	}
	switch mime {
	case "application/json", "application/xml", "application/javascript", "application/x-javascript",
		"application/ecmascript",
		"application/x-www-form-urlencoded", "application/yaml", "application/x-yaml", "application/toml",
		"application/sql",
		"application/x-ndjson", "application/jsonl", "application/graphql", "application/x-sh", "application/rtf",
		"message/rfc822":
		return true
	}
	return false
}

func toUTF8(body []byte, contentType string) string {
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	if name == "utf-8" || !certain && utf8.Valid(body[:excerpt.PrefixLen(body, len(body))]) {
		return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\ufeff"), "\ufffd")
	}
	text, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return strings.ToValidUTF8(string(body), "\ufffd")
	}
	return strings.TrimPrefix(string(text), "\ufeff")
}

func limitText(text string, more bool) (string, bool) {
	n := utf8.RuneCountInString(text)
	cut := n > maxText
	if cut {
		text = string([]rune(text)[:maxText])
	}
	switch {
	case more:
		text += fmt.Sprintf("\n[Cut: the answer is longer than %s, the most that is read; shown are %d characters.]",
			humanize.IBytes(maxRead), min(n, maxText))
	case cut:
		text += fmt.Sprintf("\n[Cut after %d of %d characters.]", maxText, n)
	}
	return text, cut || more
}
