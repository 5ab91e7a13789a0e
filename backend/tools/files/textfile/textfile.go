// Package textfile decodes files to UTF-8 text and encodes text in a file's own encoding, with its byte order mark.
// For content that is not text, the error is a *toolkit.CallError.
package textfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
)

// Encodings of text. Latin1 is read as Windows-1252, which has all printable characters of ISO 8859-1.
const (
	UTF8   = "utf-8"
	UTF16  = "utf-16"
	Latin1 = "latin-1"
)

// HeadBytes is the number of bytes from which the format of a file is detected.
const HeadBytes = 8192

var utf8BOM = []byte{0xEF, 0xBB, 0xBF}

// Format is the encoding of a text file.
type Format struct {
	Encoding string
	BOM      bool
	// BigEndian applies to UTF16.
	BigEndian bool
}

// String names the format, for example "utf-16le with a byte order mark".
func (f Format) String() string {
	name := f.Encoding
	if f.Encoding == UTF16 {
		name += map[bool]string{true: "be", false: "le"}[f.BigEndian]
	}
	if f.BOM {
		name += " with a byte order mark"
	}
	return name
}

func detect(head []byte, whole bool, encoding, name string, size int64) (Format, error) {
	switch {
	case encoding == Latin1:
		return Format{Encoding: Latin1}, nil
	case bytes.HasPrefix(head, utf8BOM):
		return Format{Encoding: UTF8, BOM: true}, nil
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return Format{Encoding: UTF16, BOM: true}, nil
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return Format{Encoding: UTF16, BOM: true, BigEndian: true}, nil
	case encoding == UTF16:
		return Format{Encoding: UTF16}, nil
	}
	if bytes.IndexByte(head, 0) >= 0 {
		what := ""
		if kind := http.DetectContentType(head); kind != "application/octet-stream" {
			what = " but " + kind
		}
		return Format{}, toolkit.UserError(fmt.Sprintf("%s is not text%s, %s", name, what,
			humanize.Bytes(uint64(size))),
			`Send "encoding":"base64" for its bytes, or call file_info.`)
	}
	if !whole {
		head = head[:excerpt.PrefixLen(head, len(head))]
	}
	if !utf8.Valid(head) && encoding != UTF8 {
		return Format{}, toolkit.UserError(name+" is not UTF-8 text",
			`Send "encoding":"latin-1" or "utf-16" if it is that, or "base64" for its bytes.`)
	}
	return Format{Encoding: UTF8}, nil
}

// NewReader returns a reader of r as UTF-8 without a byte order mark. encoding is UTF8, UTF16, Latin1 or "" to detect
// it; a byte order mark overrides all but Latin1; name and size describe the file in errors.
func NewReader(r io.Reader, encoding, name string, size int64) (io.Reader, Format, error) {
	buffered := bufio.NewReaderSize(r, HeadBytes)
	head, err := buffered.Peek(HeadBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, Format{}, fmt.Errorf("reading %s: %w", name, err)
	}
	f, err := detect(head, err != nil, encoding, name, size)
	if err != nil {
		return nil, Format{}, err
	}
	switch f.Encoding {
	case UTF16:
		return transform.NewReader(buffered, unicode.UTF16(f.order(), unicode.UseBOM).NewDecoder()), f, nil
	case Latin1:
		return transform.NewReader(buffered, charmap.Windows1252.NewDecoder()), f, nil
	}
	if f.BOM {
		_, _ = buffered.Discard(len(utf8BOM)) // cannot fail, because the bytes were peeked
	}
	return buffered, f, nil
}

func (f Format) order() unicode.Endianness {
	if f.BigEndian {
		return unicode.BigEndian
	}
	return unicode.LittleEndian
}

// Decode returns the text of the file called name with this content. It fails for content that is not text in UTF-8, or
// in UTF-16 with a byte order mark.
func Decode(content []byte, name string) (string, Format, error) {
	r, f, err := NewReader(bytes.NewReader(content), "", name, int64(len(content)))
	if err != nil {
		return "", f, err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return "", f, err
	}
	// Malformed UTF-16 decodes to U+FFFD, and saving that would lose it.
	if same, err := f.Encode(string(b)); err != nil || !bytes.Equal(same, content) ||
		!utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return "", f, toolkit.UserError(name+" is not text in an encoding that could be saved again", "")
	}
	return string(b), f, nil
}

// Encode returns text in the format. It fails for characters that the encoding does not have.
func (f Format) Encode(text string) ([]byte, error) {
	switch f.Encoding {
	case UTF16:
		bom := unicode.IgnoreBOM
		if f.BOM {
			bom = unicode.UseBOM
		}
		return unicode.UTF16(f.order(), bom).NewEncoder().Bytes([]byte(text))
	case Latin1:
		return charmap.Windows1252.NewEncoder().Bytes([]byte(text))
	}
	if f.BOM {
		return append(bytes.Clone(utf8BOM), text...), nil
	}
	return []byte(text), nil
}

// CountLines returns the number of lines in text, including a last line without a line end.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
