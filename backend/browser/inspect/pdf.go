package inspect

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/downloaddir"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
	"sextant/shared/event"
)

// checkPrintable refuses a page that shows a secret, because a PDF cannot be painted over.
func checkPrintable(ctx context.Context, s *page.Session, docs []*cdp.Document) error {
	var all []observe.PlacedDocument
	for _, d := range docs {
		raw, err := d.Call(ctx, "() => location.origin")
		var origin string
		if err == nil && json.Unmarshal(raw, &origin) == nil {
			all = append(all, observe.PlacedDocument{
				Document: d, Origin: origin,
				Placement: cdp.Placement{ScaleX: 1, ScaleY: 1},
			})
		}
	}
	boxes, err := s.SecretBoxes(ctx, all, nil)
	if err == nil && len(boxes) > 0 {
		return &surface.Fault{
			Kind:       surface.FaultBlocked,
			Message:    "The page shows a secret that was typed into it, and a PDF would show it: nothing was printed.",
			Suggestion: "Send the form or empty the field first, or take_screenshot: there it is painted over.",
		}
	}
	return err
}

const maxPDF = 256 << 20

const printTimeout = 2 * time.Minute

// maxTagged is how many elements a page may have to get tags and an outline. The time that Chromium needs for them
// grows with the square of the elements.
const maxTagged = 5000

// PDFOptions says how to print a page. Name is the file name ("": made from the title). Paper is a4 (default),
// letter, legal, a3 or a5. Scale is 0.1 to 2 (0: 1). Pages is a list such as "1-3, 5" ("": all).
type PDFOptions struct {
	Name, Paper, Pages string
	Landscape          bool
	Scale              float64
	// Plain omits backgrounds.
	Plain bool
}

// paperSize returns the size of a paper format in inches.
func paperSize(name string) (width, height float64, ok bool) {
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

// PrintPDF prints the active tab's page into the session's folder of downloads and adds it to the list of downloads.
func PrintPDF(ctx context.Context, s *page.Session, o PDFOptions) (event.Download, error) {
	width, height, ok := paperSize(o.Paper)
	if !ok {
		return event.Download{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: fmt.Sprintf("unknown paper %q", o.Paper), Suggestion: "Send a4, a3, a5, letter or legal.",
		}
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return event.Download{}, err
	}
	dir, err := s.Manager.DownloadDir(s.Owner)
	if err != nil {
		return event.Download{}, err
	}
	from := filepath.Join(dir, downloaddir.PartialFolder, fmt.Sprintf("page-%p.pdf", &o))
	var size int64
	err = s.Read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		if err := checkPrintable(ctx, s, docs); err != nil {
			return err
		}
		tagged := countElements(ctx, docs[0]) <= maxTagged
		size, err = printTo(ctx, t, docs[0], from, proto.PagePrintToPDF{
			Landscape: o.Landscape, PrintBackground: !o.Plain, Scale: &o.Scale, PaperWidth: &width,
			PaperHeight: &height,
			PageRanges:  o.Pages, TransferMode: proto.PagePrintToPDFTransferModeReturnAsStream,
			GenerateTaggedPDF: tagged, GenerateDocumentOutline: tagged,
		})
		return err
	})
	if err != nil {
		_ = os.Remove(from)
		return event.Download{}, err
	}
	s.Manager.Lock()
	name, url := o.Name, t.URL
	if name == "" {
		name = surface.Truncate(t.Title, 80)
	}
	s.Manager.Unlock()
	if name = downloaddir.FileName(name); !strings.EqualFold(filepath.Ext(name), ".pdf") {
		name += ".pdf"
	}
	path, err := downloaddir.MoveInto(from, dir, name)
	if err != nil {
		_ = os.Remove(from)
		return event.Download{}, err
	}
	return s.AddFinishedDownload(event.Download{
		Name: filepath.Base(path), Path: path, URL: surface.Truncate(url, network.MaxURL), Received: size, Size: size,
		State: page.DownloadDone, Tab: t.ID,
	}), nil
}

func countElements(ctx context.Context, doc *cdp.Document) (n int) {
	raw, err := doc.Call(ctx, "() => document.getElementsByTagName('*').length")
	if err != nil || json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return n
}

func printTo(
	ctx context.Context, t *page.Tab, doc *cdp.Document, path string, req proto.PagePrintToPDF,
) (int64, error) {
	c := doc.Client(ctx)
	stream, err := startPrint(ctx, t, doc, req)
	if err != nil {
		return 0, &surface.Fault{
			Kind: surface.FaultInvalid, Message: "The page could not be printed: " + surface.Truncate(err.Error(), 200),
			Suggestion: "Check pages and scale; a browser with a window of its own may not print.",
		}
	}
	defer closeStream(ctx, doc, stream)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, fmt.Errorf("writing the PDF: %w", err)
	}
	size, err := copyStream(f, c, stream)
	if err2 := f.Close(); err == nil && err2 != nil {
		err = fmt.Errorf("writing the PDF: %w", err2)
	}
	return size, err
}

// The browser continues to print when ctx ends first; startPrint then closes its stream, a file, when it arrives.
func startPrint(
	ctx context.Context, t *page.Tab, doc *cdp.Document, req proto.PagePrintToPDF,
) (proto.IOStreamHandle, error) {
	type outcome struct {
		stream proto.IOStreamHandle
		err    error
	}
	done := make(chan outcome)
	t.WithLock(func() { t.Prints++ })
	go func() {
		defer t.WithLock(func() { t.Prints-- })
		long, cancel := context.WithTimeout(context.WithoutCancel(ctx), printTimeout)
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
				closeStream(ctx, doc, o.stream)
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

func closeStream(ctx context.Context, doc *cdp.Document, stream proto.IOStreamHandle) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = proto.IOClose{Handle: stream}.Call(doc.Client(ctx))
}

func copyStream(w io.Writer, c proto.Client, stream proto.IOStreamHandle) (int64, error) {
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
			return size, &surface.Fault{Kind: surface.FaultInvalid, Message: "The PDF is larger than " +
				downloaddir.FormatBytes(maxPDF) + ".", Suggestion: "Send pages, e.g. 1-20."}
		}
		if _, err := w.Write(data); err != nil {
			return size, fmt.Errorf("writing the PDF: %w", err)
		}
		if part.EOF {
			return size, nil
		}
	}
}
