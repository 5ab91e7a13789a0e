package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sextant/shared/toolspec"
)

// Encodings of text that can be read.
const (
	utf8Text   = "utf-8"
	utf16Text  = "utf-16"
	latin1Text = "latin-1"
	base64Text = "base64"
)

// headBytes is how much of a file is looked at to tell what it is.
const headBytes = 8192

// form is how a file holds its text.
type form struct {
	encoding string
	bom      bool
	// bigEndian is the order of UTF-16.
	bigEndian bool
}

func (f form) String() string {
	name := f.encoding
	if f.encoding == utf16Text {
		name += map[bool]string{true: "be", false: "le"}[f.bigEndian]
	}
	if f.bom {
		name += " with a byte order mark"
	}
	return name
}

// formOf reads the form of a text from its beginning; wanted is an encoding, or "" to find it.
// What is not text is a fault.
func formOf(head []byte, whole bool, wanted string, a target, size int64) (form, error) {
	switch {
	case wanted == latin1Text:
		return form{encoding: latin1Text}, nil
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		return form{encoding: utf8Text, bom: true}, nil
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return form{encoding: utf16Text, bom: true}, nil
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return form{encoding: utf16Text, bom: true, bigEndian: true}, nil
	case wanted == utf16Text:
		return form{encoding: utf16Text}, nil
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return form{}, &fault{
			toolspec.UserError, fmt.Sprintf("%s is not text%s, %s", a.shown, butWhat(head), sized(size)),
			`Send "encoding":"base64" for its bytes, or call file_info.`,
		}
	}
	if !utf8.Valid(wholeRunes(head, whole)) && wanted != utf8Text {
		return form{}, &fault{
			toolspec.UserError, a.shown + " is not UTF-8 text", `Send "encoding":"latin-1" or "utf-16" if it is that, or "base64" for its bytes.`,
		}
	}
	return form{encoding: utf8Text}, nil
}

// wholeRunes drops a character that the end of a part cuts in two.
func wholeRunes(b []byte, whole bool) []byte {
	for n := 1; !whole && n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

// textOf opens r as UTF-8 text of the file a; without its byte order mark.
func textOf(r io.Reader, wanted string, a target, size int64) (io.Reader, form, error) {
	buffered := bufio.NewReaderSize(r, headBytes)
	head, err := buffered.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, form{}, fmt.Errorf("reading %s: %w", a.shown, err)
	}
	f, err := formOf(head, err != nil, wanted, a, size)
	if err != nil {
		return nil, form{}, err
	}
	switch f.encoding {
	case utf16Text:
		order := unicode.LittleEndian
		if f.bigEndian {
			order = unicode.BigEndian
		}
		return transform.NewReader(buffered, unicode.UTF16(order, unicode.UseBOM).NewDecoder()), f, nil
	case latin1Text:
		return transform.NewReader(buffered, charmap.Windows1252.NewDecoder()), f, nil
	}
	if f.bom {
		_, _ = buffered.Discard(3) // it was peeked at
	}
	return buffered, f, nil
}

// encode is text as a file of the form holds it.
func (f form) encode(text string) ([]byte, error) {
	switch f.encoding {
	case utf16Text:
		order := unicode.LittleEndian
		if f.bigEndian {
			order = unicode.BigEndian
		}
		bom := unicode.IgnoreBOM
		if f.bom {
			bom = unicode.UseBOM
		}
		b, err := unicode.UTF16(order, bom).NewEncoder().Bytes([]byte(text))
		return b, err
	case latin1Text:
		return charmap.Windows1252.NewEncoder().Bytes([]byte(text))
	}
	if f.bom {
		return append([]byte{0xEF, 0xBB, 0xBF}, text...), nil
	}
	return []byte(text), nil
}

// obeying is r that ends with ctx.
type obeying struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (o obeying) Read(b []byte) (int, error) {
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.r.Read(b)
}

// tokensOf estimates what a text costs a model: four bytes of plain text a token, and a token
// for each other character.
func tokensOf(s string) int {
	plain, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			plain++
		} else {
			other++
		}
	}
	return (plain+3)/4 + other
}

// sized is a number of bytes for people.
// butWhat names what the bytes of a file that is no text are, where they tell.
func butWhat(head []byte) string {
	kind := http.DetectContentType(head)
	if kind == "application/octet-stream" {
		return ""
	}
	return " but " + kind
}

func sized(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1_000_000_000)
}

// counted is "1 line", "2 lines".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// lineCount is how many lines a text has; what stands after the last line end is one.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
