package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"sextant/shared/chat"
)

const (
	// pdfWithin limits the time for one PDF, and pdfPages the WebAssembly memory for it, in pages of 64 KiB.
	pdfWithin = 20 * time.Second
	pdfPages  = 4096
	// pagePixels is the longest side of the picture of a page.
	pagePixels = 1400
)

func isPDF(data []byte) bool { return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) }

// pdfReader reads PDFs with PDFium in WebAssembly. Each PDF gets its own instance, with an empty memory.
type pdfReader struct {
	cache string
	log   *slog.Logger

	mu     sync.Mutex
	pool   pdfium.Pool
	stored wazero.CompilationCache
}

// open compiles PDFium at the first PDF. That takes some seconds once; afterwards it comes from the cache.
func (p *pdfReader) open() (pdfium.Pool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool != nil {
		return p.pool, nil
	}
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling). // PDFium needs them
		WithCloseOnContextDone(true).WithMemoryLimitPages(pdfPages)
	if stored, err := wazero.NewCompilationCacheWithDir(p.cache); err == nil {
		p.stored = stored
		config = config.WithCompilationCache(stored)
	} else {
		p.log.Warn("the PDF reader is compiled at every start", "err", err)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxTotal: 1, FSConfig: wazero.NewFSConfig(), RuntimeConfig: config, Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the PDF reader: %w", err)
	}
	p.pool = pool
	return pool, nil
}

func (p *pdfReader) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	if p.pool != nil {
		err = p.pool.Close()
		p.pool = nil
	}
	if p.stored != nil {
		err = errors.Join(err, p.stored.Close(context.Background()))
		p.stored = nil
	}
	return err
}

// with opens a PDF, calls do, and closes everything. A PDF that takes longer than pdfWithin is stopped.
func (p *pdfReader) with(
	ctx context.Context, name string, data []byte,
	do func(in pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) error,
) error {
	pool, err := p.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, pdfWithin)
	defer cancel()
	in, err := pool.GetInstance(pdfWithin)
	if err != nil {
		return fmt.Errorf("starting the PDF reader: %w", err)
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = in.Kill()
	})
	defer func() {
		if stop() {
			_ = in.Close()
			return
		}
		<-killed
	}()
	err = openPDF(in, name, data, do)
	switch {
	case ctx.Err() != nil:
		return refuse("%s takes too long to read and was stopped after 20 seconds. Nothing else is affected. "+
			"Attach the pages that matter as a PDF of their own.", name)
	case err != nil:
		var refused *RefusedError
		if !errors.As(err, &refused) {
			p.log.Info("a PDF was not read", "err", err)
			return refuse("%s is damaged and cannot be read. Print it to a new PDF, or attach a picture of it.", name)
		}
	}
	return err
}

func openPDF(in pdfium.Pdfium, name string, data []byte,
	do func(in pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) error,
) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the PDF reader failed: %v", p)
		}
	}()
	doc, err := in.OpenDocument(&requests.OpenDocument{File: &data})
	if errors.Is(err, pdferrors.ErrPassword) {
		return refuse("%s is protected with a password. Save a copy without it, then attach that.", name)
	}
	if err != nil {
		return err
	}
	n, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return err
	}
	return do(in, doc.Document, n.PageCount)
}

func pageOf(doc references.FPDF_DOCUMENT, page int) requests.Page {
	return requests.Page{ByIndex: &requests.PageByIndex{Document: doc, Index: page - 1}}
}

// read returns the text of the pages from first on, until there is more than a message may contain.
func (p *pdfReader) read(ctx context.Context, name string, data []byte, first int) (content, error) {
	c := content{kind: chat.FilePDF, mime: "application/pdf"}
	err := p.with(ctx, name, data, func(in pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) error {
		if pages == 0 {
			return refuse("%s has no pages.", name)
		}
		if first < 1 || first > pages {
			return refuse("%s has the pages 1 to %d.", name, pages)
		}
		c.pages = pages
		var b strings.Builder
		for i := first; i <= pages; i++ {
			text, err := in.GetPageText(&requests.GetPageText{Page: pageOf(doc, i)})
			if err != nil {
				return err
			}
			if i > first && b.Len()+len(text.Text) > maxSentChars {
				c.more = true
				break
			}
			words := strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text.Text, "\r\n", "\n"), ""))
			if words == "" {
				words = "(no text on this page; it may be a picture)"
			}
			fmt.Fprintf(&b, "[page %d of %d]\n%s\n\n", i, pages, words)
			c.last = i
		}
		c.text = b.String()
		return nil
	})
	return c, err
}

// picture draws a page as a PNG.
func (p *pdfReader) picture(ctx context.Context, name string, data []byte, page int) ([]byte, error) {
	var out bytes.Buffer
	err := p.with(ctx, name, data, func(in pdfium.Pdfium, doc references.FPDF_DOCUMENT, pages int) error {
		if page < 1 || page > pages {
			return refuse("%s has the pages 1 to %d.", name, pages)
		}
		drawn, err := in.RenderPageInPixels(&requests.RenderPageInPixels{
			Page: pageOf(doc, page), Width: pagePixels, Height: pagePixels,
		})
		if err != nil {
			return err
		}
		defer drawn.Cleanup()
		return png.Encode(&out, drawn.Result.RenderedImage)
	})
	return out.Bytes(), err
}
