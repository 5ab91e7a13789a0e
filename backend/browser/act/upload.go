package act

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

const chooserTimeout = time.Second

const maxFiles = 50

// Upload passes files to the element id: to a file field, to the field that the element labels or contains, or to
// the file chooser that a click on it opens. If there is none of these, it drops the files on the element. Paths
// must be absolute and without symbolic links.
func Upload(ctx context.Context, s *page.Session, id int, paths []string) (annotation.Observation, error) {
	what, err := checkFiles(paths)
	if err != nil {
		return annotation.Observation{}, err
	}
	return onElement(ctx, s, id, func(ctx context.Context, a *page.Action, g *Target) error {
		a.Tab.WithLock(func() { a.Tab.FileChooser = nil })
		if err := g.verify(ctx); err != nil {
			return err
		}
		field, err := collect.FileInputOf(ctx, g.Document, g.Element.Handle)
		if err != nil {
			return g.blockedFault(err)
		}
		if field.Handle == 0 {
			return g.answerChooser(ctx, a, paths, what)
		}
		if len(paths) > 1 && !field.Multiple {
			return g.oneFileFault()
		}
		if _, err := checkFiles(paths); err != nil {
			return err
		}
		a.SetOutcome("gave %s to %s", what, g.Label())
		if err := g.Document.SetFiles(ctx, collect.NodeExpression(field.Handle), paths); err != nil {
			return err
		}
		return g.noteFileField(ctx, a, field)
	})
}

func checkFiles(paths []string) (string, error) {
	bad := func(format string, args ...any) error {
		return &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf(format, args...),
			Suggestion: "Send paths of files that are there.",
		}
	}
	if len(paths) == 0 || len(paths) > maxFiles {
		return "", bad("%d files cannot be given at once", len(paths))
	}
	var names []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return "", bad("%q is not an absolute path", p)
		}
		info, err := os.Stat(p)
		if real, linked := filepath.EvalSymlinks(p); err == nil && (linked != nil || real != filepath.Clean(p)) {
			return "", bad("%s leads to another file now", p)
		}
		switch {
		case errors.Is(err, os.ErrNotExist):
			return "", bad("there is no file %s", p)
		case err != nil:
			return "", bad("%s cannot be read", p)
		case info.IsDir():
			return "", bad("%s is a folder, not a file", p)
		case !info.Mode().IsRegular():
			return "", bad("%s is not a regular file", p)
		}
		names = append(names, fmt.Sprintf("%q (%s)", surface.Truncate(filepath.Base(p), 80), formatSize(info.Size())))
	}
	return strings.Join(names, ", "), nil
}

func formatSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func (t *Target) oneFileFault() error {
	return &surface.Fault{
		Kind: surface.FaultInvalid, Message: t.Label() + " takes one file only.",
		Suggestion: "Send one path.",
	}
}

func (t *Target) noteFileField(ctx context.Context, a *page.Action, f collect.FileInput) error {
	now, err := collect.FileInputOf(ctx, t.Document, f.Handle)
	if errors.Is(err, cdp.ErrReplaced) || errors.Is(err, collect.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	if now.Count == 0 {
		a.Note = "The field is empty again: the page took the files out of it, to send them or because it does not " +
			"want them."
	} else if f.Accept != "" {
		a.Note = "The field asks for " + surface.QuoteText(f.Accept, 100) + "."
	}
	return nil
}

func (t *Target) answerChooser(ctx context.Context, a *page.Action, paths []string, what string) error {
	choosers := make(chan page.FileChooser, 8)
	a.Tab.WithLock(func() { a.Tab.Choosers = choosers })
	defer a.Tab.WithLock(func() { a.Tab.Choosers = nil })
	if err := (proto.PageSetInterceptFileChooserDialog{Enabled: true}).Call(t.Document.Client(ctx)); err != nil {
		return fmt.Errorf("preparing for a file chooser: %w", err)
	}
	if err := t.click(ctx, a, input.MousePress{}, "clicked"); err != nil {
		return err
	}
	timer := time.NewTimer(chooserTimeout)
	defer timer.Stop()
	for other := false; ; {
		select {
		case c := <-choosers:
			if c.FrameID != t.Document.FrameID() || c.SessionID != t.Document.SessionID() || !t.Document.IsCurrent() {
				other = true
				continue
			}
			return t.setChooserFiles(ctx, a, c, paths, what)
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			if other {
				return &surface.Fault{
					Kind: surface.FaultBlocked,
					Message: t.Label() +
						" was clicked, and another document than its own asked for files; it got none.",
					Suggestion: "Call annotate_page and choose the file field itself, in the document that the " +
						"files are meant for.",
				}
			}
			return t.dropFiles(ctx, a, paths, what)
		}
	}
}

// setChooserFiles needs a chooser of the element's own document.
func (t *Target) setChooserFiles(ctx context.Context, a *page.Action, c page.FileChooser, paths []string,
	what string,
) error {
	if c.Node == 0 {
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: t.Label() + " opens a file picker that only a person can answer.",
			Suggestion: "Look for a file field on the page, or ask the person.",
		}
	}
	if len(paths) > 1 && !c.Multiple {
		return t.oneFileFault()
	}
	if _, err := checkFiles(paths); err != nil {
		return err
	}
	a.SetOutcome("gave %s to %s", what, t.Label())
	err := proto.DOMSetFileInputFiles{Files: paths, BackendNodeID: c.Node}.Call(a.Page.ClientOf(ctx, c.SessionID))
	if err != nil {
		return fmt.Errorf("setting files: %w", err)
	}
	return nil
}

func (t *Target) dropFiles(ctx context.Context, a *page.Action, paths []string, what string) error {
	x, y, err := t.aim(ctx, collect.AimOptions{})
	if err != nil {
		return err
	}
	if err := collect.WatchDrag(ctx, t.Document); err != nil {
		return err
	}
	if _, err := checkFiles(paths); err != nil {
		return err
	}
	c := a.Client(ctx)
	data := &proto.InputDragData{Items: []*proto.InputDragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []proto.InputDispatchDragEventType{
		proto.InputDispatchDragEventTypeDragEnter,
		proto.InputDispatchDragEventTypeDragOver,
	} {
		if err := dragEvent(c, kind, x, y, data); err != nil {
			return err
		}
	}
	now, err := collect.DragStateOf(ctx, t.Document)
	if err == nil && now.Accepted {
		a.SetOutcome("dropped %s on %s", what, t.Label())
		if err = dragEvent(c, proto.InputDispatchDragEventTypeDrop, x, y, data); err == nil {
			now, err = collect.EndDrag(ctx, t.Document)
		}
	}
	if errors.Is(err, cdp.ErrReplaced) || (err == nil && now.Dropped) {
		return nil
	}
	a.Page.Post(a.Page.SessionID, proto.InputDispatchDragEvent{
		Type: proto.InputDispatchDragEventTypeDragCancel, X: x,
		Y: y, Data: data,
	})
	if err != nil {
		return err
	}
	return &surface.Fault{
		Kind: surface.FaultBlocked, Message: t.Label() +
			" was clicked but asks for no files, and takes none that are dropped on it.",
		Suggestion: "Call annotate_page and choose the file field or the button that asks for files.",
	}
}

// GiveFiles gives files of the person to the file chooser that the active tab's page opened, or with at drops them
// there. It does not wait for actions.
func GiveFiles(ctx context.Context, s *page.Session, paths []string, at *Point) error {
	if _, err := checkFiles(paths); err != nil {
		return err
	}
	s.Manager.Lock()
	t := s.Active
	var p *cdp.Page
	var c *page.FileChooser
	if t != nil {
		p, c = t.Page, t.FileChooser
	}
	s.Manager.Unlock()
	fault := func(text, next string) error {
		return &surface.Fault{Kind: surface.FaultBlocked, Message: text, Suggestion: next}
	}
	switch {
	case p == nil:
		return page.ErrBrowserEnded
	case at != nil:
		defer s.Manager.Viewer.RequestMarks()
		return dropAt(ctx, p, paths, *at)
	case c == nil:
		return fault("The page no longer asks for a file.", "Click the button that asks for it again.")
	case c.Node == 0:
		return fault("The page asks in a way that cannot be answered here.", "Drop the file on the page instead.")
	case len(paths) > 1 && !c.Multiple:
		return fault("The page takes one file only.", "Choose one.")
	}
	set := proto.DOMSetFileInputFiles{Files: paths, BackendNodeID: c.Node}
	if err := set.Call(p.ClientOf(ctx, c.SessionID)); err != nil {
		return fmt.Errorf("giving files to the page: %w", err)
	}
	t.WithLock(func() { t.FileChooser = nil })
	s.Manager.Events.PublishState()
	s.Manager.Viewer.RequestMarks()
	return nil
}

func dropAt(ctx context.Context, p *cdp.Page, paths []string, at Point) error {
	data := &proto.InputDragData{Items: []*proto.InputDragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []proto.InputDispatchDragEventType{
		proto.InputDispatchDragEventTypeDragEnter,
		proto.InputDispatchDragEventTypeDragOver,
		proto.InputDispatchDragEventTypeDrop,
	} {
		if err := dragEvent(p.Client(ctx), kind, at.X, at.Y, data); err != nil {
			return err
		}
	}
	return nil
}
