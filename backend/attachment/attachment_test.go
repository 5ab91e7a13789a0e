package attachment_test

import (
	"bytes"
	"errors"
	"image"
	_ "image/png"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"sextant/backend/attachment"
	"sextant/backend/store/blobs"
	"sextant/shared/chat"
)

// cache is the folder of the compiled PDF reader. The tests share it, because compiling takes long.
var cache string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "attachment")
	if err != nil {
		panic(err)
	}
	cache = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

func newStore(t *testing.T) (*attachment.Store, *blobs.Store) {
	t.Helper()
	b, err := blobs.New(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := attachment.New(attachment.Config{
		Blobs: b, Cache: cache, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, b
}

func blob(t *testing.T, b *blobs.Store, id string) []byte {
	t.Helper()
	f, _, err := b.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAttachedFilesAreReadByTheirBytes(t *testing.T) {
	t.Parallel()
	s, b := newStore(t)
	for _, tt := range []struct {
		name, file string
		data       []byte
		kind       chat.FileKind
		mime       string
		pages      int
		text       string
	}{
		{"markdown", "notes.md", []byte("# Plan\r\nbuy milk"), chat.FileText, "text/plain", 0, "# Plan\nbuy milk"},
		{"UTF-8 with mark", "a.txt", []byte("\xEF\xBB\xBFGrüße"), chat.FileText, "text/plain", 0, "Grüße"},
		{
			"UTF-16 little-endian", "a.txt", []byte("\xFF\xFEG\x00r\x00\xFC\x00n\x00"), chat.FileText, "text/plain", 0,
			"Grün",
		},
		{
			"UTF-16 big-endian", "a.txt", []byte("\xFE\xFF\x00G\x00r\x00\xFC\x00n"), chat.FileText, "text/plain", 0,
			"Grün",
		},
		{"Windows-1252", "a.csv", []byte("Gr\xFCn;\x80"), chat.FileText, "text/plain", 0, "Grün;€"},
		{
			"SVG as its source", "a.svg", []byte(`<?xml version="1.0"?><svg onload="x()"/>`), chat.FileText,
			"image/svg+xml", 0, `<svg onload="x()"/>`,
		},
		{"picture named as text", "a.txt", pngOf(t, picture(4, 4)), chat.FilePicture, "image/png", 0, "4 × 4 pixels"},
		{"GIF", "a.gif", gifOf(t, picture(8, 4)), chat.FilePicture, "image/gif", 0, "8 × 4 pixels"},
		{
			"PDF", "q.pdf", pdf("Quarterly report", "Total 41873"), chat.FilePDF, "application/pdf", 2,
			"[page 2 of 2]\nTotal 41873",
		},
		{
			"docx", "a.docx", docx(t,
				`<w:p><w:r><w:t>Dear</w:t><w:tab/><w:t>Ada &amp; Bob</w:t></w:r></w:p>`+
					`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p></w:tc>`+
					`<w:tc><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`),
			chat.FileDocument, "", 0, "Dear\tAda & Bob\none \ttwo",
		},
		{
			"xlsx", "a.xlsx", xlsx(t, `<si><t>Lamp</t></si><si><r><t>Desk</t></r><rPh><t>x</t></rPh></si>`,
				`<row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>19.5</v></c></row>`+
					`<row><c r="A2" t="s"><v>1</v></c><c r="B2" t="inlineStr"><is><t>oak</t></is></c>`+
					`<c r="C2" t="b"><v>1</v></c></row>`),
			chat.FileDocument, "", 1, "[sheet Prices]\nLamp\t\t19.5\nDesk\toak\tTRUE",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := s.Add(t.Context(), tt.file, tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if f.Kind != tt.kind || tt.mime != "" && f.MIME != tt.mime || f.Pages != tt.pages || f.Tokens < 1 {
				t.Errorf("got %+v", f)
			}
			if !bytes.Equal(blob(t, b, f.Blob), tt.data) {
				t.Error("the stored bytes differ")
			}
			a, err := s.Attach(t.Context(), f.Blob, tt.file, "")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(a.Text, tt.text) || a.Source != "attachment:"+tt.file || a.Title != tt.file {
				t.Errorf("attached %+v", a)
			}
			if diff := cmp.Diff(&f, a.File); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPicturesAreReducedAndUpright(t *testing.T) {
	t.Parallel()
	s, b := newStore(t)
	for _, tt := range []struct {
		name          string
		data          []byte
		width, height int
		format        string
	}{
		{"small PNG", pngOf(t, picture(40, 20)), 40, 20, "png"},
		{"large PNG", pngOf(t, picture(4000, 1000)), 1568, 392, "png"},
		{"large photo", jpegOf(t, picture(2000, 1000)), 1568, 784, "jpeg"},
		{"photo on its side", withOrientation(jpegOf(t, picture(2000, 1000)), 6), 784, 1568, "jpeg"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := s.Add(t.Context(), "p", tt.data)
			if err != nil {
				t.Fatal(err)
			}
			small := blob(t, b, f.Picture)
			m, format, err := image.Decode(bytes.NewReader(small))
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Bounds().Size(); got != image.Pt(tt.width, tt.height) || format != tt.format {
				t.Errorf("sent is %v as %s", got, format)
			}
			// The red half is on the left, and on top after a quarter turn to the right.
			if r, _, blue, _ := m.At(tt.width/4, tt.height/4).RGBA(); r < blue {
				t.Error("the picture is turned the wrong way")
			}
			if bytes.Contains(small, []byte("Exif")) {
				t.Error("the metadata is sent")
			}
		})
	}
}

func TestLongTextsAreCutAndReadOn(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	long := strings.Repeat("0123456789", 5000)
	f, err := s.Add(t.Context(), "long.txt", []byte(long))
	if err != nil || !f.Cut {
		t.Fatalf("%+v, %v", f, err)
	}
	a, err := s.Attach(t.Context(), f.Blob, "long.txt", "https://shop.example")
	if err != nil || len(a.Text) > 24_000 || !strings.Contains(a.Text, "read_attachment") ||
		a.Source != "https://shop.example" {
		t.Fatalf("%d characters from %s, %v", len(a.Text), a.Source, err)
	}
	var all strings.Builder
	for from := 1; from > 0; {
		part, next, err := s.ReadFrom(t.Context(), f, from)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(part)
		from = next
	}
	if all.String() != long {
		t.Errorf("read %d of %d characters", all.Len(), len(long))
	}
}

func TestPagesOfAPDFAreReadAndDrawn(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	var pages []string
	for range 30 {
		pages = append(pages, strings.Repeat("word ", 400))
	}
	pages = append(pages, "the last page")
	f, err := s.Add(t.Context(), "long.pdf", pdf(pages...))
	if err != nil || f.Pages != 31 || !f.Cut {
		t.Fatalf("%+v, %v", f, err)
	}
	read := 0
	for from := 1; from > 0; {
		part, next, err := s.ReadFrom(t.Context(), f, from)
		if err != nil || next > 0 && next <= from {
			t.Fatal(next, err)
		}
		read += strings.Count(part, "[page ")
		if next == 0 && !strings.Contains(part, "the last page") {
			t.Errorf("the end is %q", part)
		}
		from = next
	}
	if read != 31 {
		t.Errorf("read %d pages", read)
	}
	drawn, err := s.PagePicture(t.Context(), f, 31)
	if err != nil {
		t.Fatal(err)
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(drawn)); err != nil || size.Width != 1400 {
		t.Errorf("drawn %+v, %v", size, err)
	}
	var refused *attachment.RefusedError
	if _, err := s.PagePicture(t.Context(), f, 32); !errors.As(err, &refused) {
		t.Errorf("page 32: %v", err)
	}
}

func TestNamesAreOnlyNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"../../etc/passwd":                "passwd",
		`C:\Users\ada\plan.docx`:          "plan.docx",
		"a\x00b\nc.txt":                   "abc.txt",
		"in\u202Efdp.exe":                 "infdp.exe",
		"..":                              "attachment",
		"":                                "attachment",
		"a\u2028b":                        "ab",
		strings.Repeat("x", 300) + ".pdf": strings.Repeat("x", 115) + "….pdf",
		"\xFF\xFEname":                    "name",
	} {
		if got := attachment.CleanName(name); got != want {
			t.Errorf("%q is shown as %q, want %q", name, got, want)
		}
	}
}
