package attachment

import (
	"bytes"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	xunicode "golang.org/x/text/encoding/unicode"
)

// decodeText decodes text in UTF-8, in UTF-16 with a byte order mark, or in Windows-1252. It returns false for other
// data.
func decodeText(data []byte) (text, mime string, ok bool) {
	mime = "text/plain"
	if strings.Contains(http.DetectContentType(data), "xml") && bytes.Contains(data[:min(len(data), 1<<16)],
		[]byte("<svg")) {
		mime = "image/svg+xml" // its source is text
	}
	switch {
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}), bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		decoded, err := xunicode.UTF16(xunicode.LittleEndian, xunicode.ExpectBOM).NewDecoder().Bytes(data)
		if err != nil {
			return "", "", false
		}
		data = decoded
	case !utf8.Valid(data):
		decoded, err := charmap.Windows1252.NewDecoder().Bytes(data)
		if err != nil {
			return "", "", false
		}
		data = decoded
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	if !isPlain(data) {
		return "", "", false
	}
	return strings.ReplaceAll(string(data), "\r\n", "\n"), mime, true
}

// isPlain reports whether decoded text has no NUL and few control or undefined characters.
func isPlain(text []byte) bool {
	odd, all := 0, 0
	for _, r := range string(text) {
		all++
		switch {
		case r == 0:
			return false
		case r == '\t', r == '\n', r == '\r', r == '\f', r == 0x1B:
		case r < ' ', r >= 0x7F && r < 0xA0, r == utf8.RuneError:
			odd++
		}
	}
	return odd <= 4+all/200
}
