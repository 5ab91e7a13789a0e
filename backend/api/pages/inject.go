package pages

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

var errEncoding = errors.New("the page is written in UTF-16; save it as UTF-8")

// srcdoc matches the attribute that makes a document without our script; HTML has no other spelling of it.
var srcdoc = regexp.MustCompile(`(?i)srcdoc`)

// inject inserts tag as the first element of a document. A script there opens the head, and a following <html> or
// <head> is merged into it. It also disables every srcdoc attribute.
func inject(page []byte, tag string) ([]byte, error) {
	if bytes.HasPrefix(page, []byte{0xFE, 0xFF}) || bytes.HasPrefix(page, []byte{0xFF, 0xFE}) {
		return nil, errEncoding
	}
	text := bytes.TrimPrefix(page, []byte("\xEF\xBB\xBF"))
	at := afterDoctype(text)
	out := make([]byte, 0, len(text)+len(tag))
	out = append(out, text[:at]...)
	out = append(out, tag...)
	return append(out, srcdoc.ReplaceAllLiteral(text[at:], []byte("srcd0c"))...), nil
}

func afterDoctype(text []byte) int {
	z := html.NewTokenizer(bytes.NewReader(text))
	read := 0
	for {
		kind := z.Next()
		read += len(z.Raw())
		switch kind {
		case html.CommentToken:
		case html.TextToken:
			if strings.TrimSpace(string(z.Text())) != "" {
				return 0
			}
		case html.DoctypeToken:
			return read
		default:
			return 0
		}
	}
}
