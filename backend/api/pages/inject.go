package pages

import (
	"bytes"
	"errors"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

var errEncoding = errors.New("the page is written in UTF-16; save it as UTF-8")

// srcdoc is the attribute that makes a document without our script; its name has no other
// spelling.
var srcdoc = regexp.MustCompile(`(?i)srcdoc`)

// inject puts tag into a document so that it is the first element a browser meets: behind a
// byte order mark, comments and the doctype, before everything else. A script there opens
// the head by itself, and the <html> and <head> that follow are the same ones, so that no
// document is too odd for it.
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

// afterDoctype is where a doctype that stands first ends, 0 when there is none.
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
