package browser

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
	"sextant/shared/event"
)

// maxPDF bounds a page's PDF, in bytes.
const maxPDF = 256 << 20

// longestPrint is after how long a print in the browser is given up, longer than any call waits.
const longestPrint = 2 * time.Minute

// PDFOptions: Name is the file's ("" is made from the title), Paper a4 (default), letter, legal,
// a3 or a5, Scale 0.1 to 2 (0 is 1), Pages such as "1-3, 5" ("" for all).
type PDFOptions struct {
	Name, Paper, Pages string
	Landscape          bool
	Scale              float64
	// Plain leaves backgrounds out.
	Plain bool
}

// paper is a sheet's size in inches.
func paper(name string) (width, height float64, ok bool) {
	switch strings.ToLower(name) {
	case "", "a4":
		return 8.27, 11.69, true
	case "a3":
		return 11.69, 16.54, true
	case "a5":
		return 5.83, 8.27, true
	case "letter":
		return 8.5, 11, true
	case "legal":
		return 8.5, 14, true
	}
	return 0, 0, false
}

// PDF prints the active tab's page into the session's folder of downloads, where it is listed.
func (s *Session) PDF(ctx context.Context, o PDFOptions) (event.Download, error) {
	width, height, ok := paper(o.Paper)
	if !ok {
		return event.Download{}, &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown paper %q", o.Paper), Suggestion: "Send a4, a3, a5, letter or legal."}
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	dir, err := s.b.downloadDir(s.owner)
	if err != nil {
		return event.Download{}, err
	}
	from := filepath.Join(dir, partial, fmt.Sprintf("page-%p.pdf", &o))
	var size int64
	err = s.read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		if err := s.unprintable(ctx, docs); err != nil {
			return err
		}
		size, err = printTo(ctx, docs[0], from, proto.PagePrintToPDF{
			Landscape: o.Landscape, PrintBackground: !o.Plain, Scale: &o.Scale, PaperWidth: &width, PaperHeight: &height,
			PageRanges: o.Pages, TransferMode: proto.PagePrintToPDFTransferModeReturnAsStream,
			GenerateTaggedPDF: true, GenerateDocumentOutline: true,
		})
		return err
	})
	if err != nil {
		_ = os.Remove(from)
		return event.Download{}, err
	}
	s.b.Lock()
	t := s.active
	name, url, tab := o.Name, "", 0
	if t != nil {
		url, tab = t.url, t.id
		if name == "" {
			name = surface.Clip(t.title, 80)
		}
	}
	s.b.Unlock()
	if name = fileName(name); !strings.EqualFold(filepath.Ext(name), ".pdf") {
		name += ".pdf"
	}
	path, err := place(from, dir, name)
	if err != nil {
		_ = os.Remove(from)
		return event.Download{}, err
	}
	s.b.Lock()
	s.lastDownload++
	d := &download{Download: event.Download{
		ID: s.lastDownload, Name: filepath.Base(path), Path: path, URL: surface.Clip(url, maxURL), Received: size, Size: size, State: downloadDone, Tab: tab,
	}, t: t}
	s.forgetDownload()
	s.downloads = append(s.downloads, d)
	s.b.Unlock()
	s.b.events.state()
	return d.Download, nil
}

// printTo writes a page's PDF into a new file and says how large it is.
func printTo(ctx context.Context, doc *cdp.Document, path string, req proto.PagePrintToPDF) (int64, error) {
	c := doc.Client(ctx)
	stream, err := printed(ctx, doc, req)
	if err != nil {
		return 0, &surface.Fault{
			Kind: surface.FaultInvalid, Message: "The page could not be printed: " + surface.Clip(err.Error(), 200),
			Suggestion: "Check pages and scale; a browser with a window of its own may not print.",
		}
	}
	defer unstream(ctx, doc, stream)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("writing the PDF: %w", err)
	}
	size, err := pour(f, c, stream)
	if err2 := f.Close(); err == nil && err2 != nil {
		err = fmt.Errorf("writing the PDF: %w", err2)
	}
	return size, err
}

// printed makes a page's PDF inside the browser. The browser goes on with one that is not waited for
// any longer; its stream, a file, is then closed when it comes.
func printed(ctx context.Context, doc *cdp.Document, req proto.PagePrintToPDF) (proto.IOStreamHandle, error) {
	type outcome struct {
		stream proto.IOStreamHandle
		err    error
	}
	done := make(chan outcome)
	go func() {
		long, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestPrint)
		defer cancel()
		var o outcome
		res, err := req.Call(doc.Client(long))
		if o.err = err; err == nil {
			o.stream = res.Stream
		}
		select {
		case done <- o:
		case <-ctx.Done():
			if err == nil {
				unstream(ctx, doc, o.stream)
			}
		}
	}()
	select {
	case o := <-done:
		return o.stream, o.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// unstream closes a stream of the browser's, also when ctx has ended.
func unstream(ctx context.Context, doc *cdp.Document, stream proto.IOStreamHandle) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = proto.IOClose{Handle: stream}.Call(doc.Client(ctx))
}

// pour writes a stream of the browser's.
func pour(w io.Writer, c proto.Client, stream proto.IOStreamHandle) (int64, error) {
	var size int64
	chunk := 1 << 20
	for {
		part, err := proto.IORead{Handle: stream, Size: &chunk}.Call(c)
		if err != nil {
			return size, fmt.Errorf("reading the PDF: %w", err)
		}
		data := []byte(part.Data)
		if part.Base64Encoded {
			if data, err = base64.StdEncoding.DecodeString(part.Data); err != nil {
				return size, fmt.Errorf("reading the PDF: %w", err)
			}
		}
		if size += int64(len(data)); size > maxPDF {
			return size, &surface.Fault{Kind: surface.FaultInvalid, Message: "The PDF is larger than " + bytesOf(maxPDF) + ".", Suggestion: "Send pages, e.g. 1-20."}
		}
		if _, err := w.Write(data); err != nil {
			return size, fmt.Errorf("writing the PDF: %w", err)
		}
		if part.EOF {
			return size, nil
		}
	}
}
