// Package attachment stores the files that a person attaches to a message, and turns them into what a model reads:
// text, or a picture of bounded size.
//
// A file is hostile. Its kind is decided from its bytes, never from its name. Nothing in it is run, and no link in it
// is followed. Its size, the decompressed size of its parts, the pixels of a picture and the time for a PDF are
// bounded. A PDF is read by PDFium in WebAssembly, which has no files, no network and a memory of its own.
//
// What a file contains is outside text: its attachment has a source (see chat.Message.Outside).
package attachment

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strings"
	"unicode"

	"sextant/backend/store/blobs"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	// MaxBytes is the largest file that can be attached.
	MaxBytes = 20 << 20
	// maxSentChars limits the text of one file in a message. Models read the rest with read_attachment.
	maxSentChars = 23_000
	// maxText limits the text that is extracted from one file, in bytes.
	maxText = 4 << 20
	maxName = 120
	// pictureTokenPixels is how many pixels cost a token, about what services charge.
	pictureTokenPixels = 750
)

// Blobs stores contents; *blobs.Store implements it.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
	Open(id string) (io.ReadSeekCloser, blobs.Info, error)
}

var _ Blobs = (*blobs.Store)(nil)

// RefusedError says why a file cannot be attached, and what to do instead.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

func refuse(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// Config configures a Store.
type Config struct {
	Blobs Blobs
	// Cache is the folder for the compiled PDF reader.
	Cache string
	Log   *slog.Logger
}

// Store stores attached files and reads them. It is safe for concurrent use.
type Store struct {
	blobs Blobs
	pdf   *pdfReader
	// slot lets one file be read at a time, so that memory is bounded.
	slot chan struct{}
}

// New returns a Store. Close it after use.
func New(c Config) *Store {
	return &Store{blobs: c.Blobs, pdf: &pdfReader{cache: c.Cache, log: c.Log}, slot: make(chan struct{}, 1)}
}

// Close releases the PDF reader.
func (s *Store) Close() error { return s.pdf.close() }

// content is what a file contains for a model.
type content struct {
	kind  chat.FileKind
	mime  string
	text  string
	pages int
	// picture is the reduced picture, nil for none.
	picture       []byte
	width, height int
	// more is true if the file has more text. last is the last page of a PDF in text.
	more bool
	last int
}

// Add stores a file. name is for display. The error is a *RefusedError if the file cannot be attached.
func (s *Store) Add(ctx context.Context, name string, data []byte) (chat.File, error) {
	f, _, err := s.add(ctx, name, data)
	return f, err
}

func (s *Store) add(ctx context.Context, name string, data []byte) (chat.File, content, error) {
	f := chat.File{Name: CleanName(name), Size: int64(len(data))}
	c, err := s.read(ctx, f.Name, data, 1)
	if err != nil {
		return f, c, err
	}
	f.Kind, f.MIME, f.Pages, f.Width, f.Height = c.kind, c.mime, c.pages, c.width, c.height
	if f.Blob, err = s.blobs.Put(bytes.NewReader(data)); err != nil {
		return f, c, err
	}
	if c.picture != nil {
		w, h := reducedSize(c.width, c.height)
		f.Tokens = w*h/pictureTokenPixels + 1
		f.Picture, err = s.blobs.Put(bytes.NewReader(c.picture))
		return f, c, err
	}
	sent, cut := cutText(c)
	f.Tokens, f.Cut = len(sent)/toolspec.BytesPerToken+1, cut
	return f, c, nil
}

// Attach returns a stored file as an attachment of a message. name and source come from the sender; an empty source
// means the file itself.
func (s *Store) Attach(ctx context.Context, blob, name, source string) (chat.Attachment, error) {
	data, err := s.load(blob)
	if err != nil {
		return chat.Attachment{}, err
	}
	f, c, err := s.add(ctx, name, data) // what the sender says of the file is not trusted
	if err != nil {
		return chat.Attachment{}, err
	}
	a := chat.Attachment{Source: cmp.Or(source, Source(f.Name)), Title: f.Name, File: &f}
	if f.Kind == chat.FilePicture {
		a.Text = fmt.Sprintf("(attached picture, %d × %d pixels)", f.Width, f.Height)
		return a, nil
	}
	sent, _ := cutText(c)
	a.Text = heading(f) + sent
	switch {
	case f.Cut:
		a.Text += fmt.Sprintf("\n… only the beginning is here. %s {\"file\":%q,\"from\":%d} reads on.", ToolName,
			f.Blob[:idChars], c.next())
	case f.Kind == chat.FilePDF:
		a.Text += fmt.Sprintf("\n(%s {\"file\":%q,\"from\":1,\"picture\":true} shows page 1 as a picture.)", ToolName,
			f.Blob[:idChars])
	}
	return a, nil
}

// ToolName is the tool with which a model reads on in an attached file, and idChars how many characters of the id of
// its blob name the file there.
const (
	ToolName = "read_attachment"
	idChars  = 12
)

// Source returns the source of the outside text in an attached file.
func Source(name string) string { return "attachment:" + name }

// next is the page or character at which the text after a message's part begins.
func (c content) next() int {
	if c.kind == chat.FilePDF {
		return c.last + 1
	}
	return maxSentChars + 1
}

func heading(f chat.File) string {
	switch {
	case f.Kind == chat.FilePDF && f.Pages == 1:
		return "(attached PDF, 1 page)\n"
	case f.Kind == chat.FilePDF:
		return fmt.Sprintf("(attached PDF, %d pages)\n", f.Pages)
	}
	return "(attached file, " + f.MIME + ")\n"
}

func cutText(c content) (string, bool) {
	sent := excerpt.TruncateRunes(c.text, maxSentChars)
	return sent, c.more || sent != c.text
}

// ReadFrom returns the text of a stored file from a page of a PDF on (the first is 1), or from a character on for other
// files. next is the page or character to continue with, 0 at the end.
func (s *Store) ReadFrom(ctx context.Context, f chat.File, from int) (text string, next int, err error) {
	data, err := s.load(f.Blob)
	if err != nil {
		return "", 0, err
	}
	first := 1
	if f.Kind == chat.FilePDF {
		first = from
	}
	c, err := s.read(ctx, f.Name, data, first)
	if err != nil {
		return "", 0, err
	}
	if f.Kind == chat.FilePDF {
		text = excerpt.TruncateRunes(c.text, maxSentChars)
		if c.more {
			next = c.next()
		}
		return text, next, nil
	}
	runes := []rune(c.text)
	start := min(max(from-1, 0), len(runes))
	end := min(start+maxSentChars, len(runes))
	if end < len(runes) {
		next = end + 1
	}
	return string(runes[start:end]), next, nil
}

// PagePicture returns a page of a stored PDF as a PNG picture. The first page is 1.
func (s *Store) PagePicture(ctx context.Context, f chat.File, page int) ([]byte, error) {
	if f.Kind != chat.FilePDF {
		return nil, refuse("%s is no PDF, so it has no pictures of pages.", f.Name)
	}
	data, err := s.load(f.Blob)
	if err != nil {
		return nil, err
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	return s.pdf.picture(ctx, f.Name, data, page)
}

func (s *Store) load(blob string) ([]byte, error) {
	file, info, err := s.blobs.Open(blob)
	if errors.Is(err, blobs.ErrNotFound) {
		return nil, refuse("The attached file is no longer stored. Nothing was sent. Attach it again.")
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if info.Size > MaxBytes {
		return nil, tooLarge("The file")
	}
	return io.ReadAll(io.LimitReader(file, MaxBytes))
}

func tooLarge(name string) error {
	return refuse("%s is larger than 20 MB. Attach a part of it, or put it into the workspace folder: the assistant "+
		"can read files there in parts.", name)
}

func (s *Store) acquire(ctx context.Context) (release func(), err error) {
	select {
	case s.slot <- struct{}{}:
		return func() { <-s.slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read decides the kind of data and reads it. page is the first page of a PDF to read.
func (s *Store) read(ctx context.Context, name string, data []byte, page int) (c content, err error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return content{}, err
	}
	defer release()
	defer func() {
		if p := recover(); p != nil { // a decoder failed on a hostile file
			c, err = content{}, refuse("%s is damaged and cannot be read. Nothing else is affected.", name)
		}
	}()
	switch {
	case len(data) == 0:
		return content{}, refuse("%s is empty, so there is nothing to attach.", name)
	case len(data) > MaxBytes:
		return content{}, tooLarge(name)
	case pictureType(data) != "":
		return readPicture(name, data)
	case isPDF(data):
		return s.pdf.read(ctx, name, data, page)
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return readOffice(name, data)
	}
	text, mime, ok := decodeText(data)
	if !ok {
		return content{}, refuse("%s is neither text nor a picture, PDF, docx or xlsx file, so no model can read it. "+
			"Save it in one of these formats, or put it into the workspace folder.", name)
	}
	return content{kind: chat.FileText, mime: mime, text: text}, nil
}

// CleanName returns the last element of a name without control and direction characters, at most 120 characters.
func CleanName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return -1
		}
		return r
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if strings.Trim(name, "./ ") == "" {
		return "attachment"
	}
	if runes := []rune(name); len(runes) > maxName {
		ext := []rune(path.Ext(name))
		if len(ext) > 10 {
			ext = nil
		}
		name = string(runes[:maxName-1-len(ext)]) + "…" + string(ext)
	}
	return name
}
