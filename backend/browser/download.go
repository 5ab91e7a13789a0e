package browser

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
	"sextant/shared/event"
)

const (
	// maxRunning is how many a session loads at once, maxDownloads how many are remembered.
	maxRunning   = 10
	maxDownloads = 50
	// downloadPatience is how long an action waits for a download to end.
	downloadPatience = time.Second
	// progressEvery bounds how often the window hears of one that runs.
	progressEvery = 250 * time.Millisecond
)

// The states of event.Download.
const (
	downloadRunning   = "running"
	downloadDone      = "done"
	downloadCancelled = "cancelled"
	downloadFailed    = "failed"
)

// download is one file on its way or there. It is guarded by Browser.mu, guid, dir and
// tracked aside, which never change.
type download struct {
	event.Download
	guid, dir string
	t         *tab
	why       string
	begun     time.Time
	published time.Time
}

// Effect implements effectSource.
func (d *download) Effect() (kind, text string) { return kindDownload, d.sentence() }

// sentence is the download in an answer. Called under the lock.
func (d *download) sentence() string {
	name := fmt.Sprintf("download: %q", surface.Clip(d.Name, 80))
	switch d.State {
	case downloadDone:
		return fmt.Sprintf("%s, %s, saved as %s", name, bytesOf(d.Received), d.Path)
	case downloadRunning:
		size := bytesOf(d.Received)
		if d.Size > 0 {
			size += " of " + bytesOf(d.Size)
		}
		return fmt.Sprintf("%s is running, %s (downloads tells of number %d)", name, size, d.ID)
	case downloadFailed:
		return fmt.Sprintf("%s failed: %s", name, d.why)
	}
	return name + " was cancelled"
}

// Downloads lists the session's downloads, newest last.
func (s *Session) Downloads() []event.Download {
	s.b.Lock()
	defer s.b.Unlock()
	return s.downloading()
}

// downloading is Downloads. Called under mu.
func (s *Session) downloading() []event.Download {
	list := make([]event.Download, 0, len(s.downloads))
	for _, d := range s.downloads {
		list = append(list, d.Download)
	}
	return list
}

// DownloadsKept reports whether downloaded files outlive the browser.
func (s *Session) DownloadsKept() bool { return s.b.cfg.DownloadDir != "" }

// CancelDownload stops a running download.
func (s *Session) CancelDownload(ctx context.Context, id int) error {
	s.b.Lock()
	i := slices.IndexFunc(s.downloads, func(d *download) bool { return d.ID == id })
	if i < 0 {
		s.b.Unlock()
		return &surface.Fault{Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no download %d.", id), Suggestion: "Call downloads for the numbers."}
	}
	d, e, contextID := s.downloads[i], s.b.conn, s.contextID
	state := d.State
	s.b.Unlock()
	if state != downloadRunning || e == nil {
		return &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("Download %d does not run: it is %s.", id, state), Suggestion: "Call downloads to see them."}
	}
	err := proto.BrowserCancelDownload{GUID: d.guid, BrowserContextID: proto.BrowserBrowserContextID(contextID)}.Call(e.reg.Client(ctx))
	if err != nil {
		return fmt.Errorf("cancelling download %d: %w", id, err)
	}
	s.b.Lock()
	if d.State == downloadRunning {
		d.end(downloadCancelled, "")
	}
	s.b.Unlock()
	s.b.events.state()
	return nil
}

// allowDownloads says where a browser context's downloads go; a browser on another machine
// cannot reach our disk and loads nothing.
func (e *connection) allowDownloads(ctx context.Context, owner, contextID string) error {
	req := proto.BrowserSetDownloadBehavior{
		Behavior:         proto.BrowserSetDownloadBehaviorBehaviorDeny,
		BrowserContextID: proto.BrowserBrowserContextID(contextID), EventsEnabled: true,
	}
	if e.m.isLocal() {
		dir, err := e.m.downloadDir(owner)
		if err != nil {
			e.m.log.Warn("downloads are off", "error", err)
		} else {
			req.Behavior, req.DownloadPath = proto.BrowserSetDownloadBehaviorBehaviorAllowAndName, filepath.Join(dir, partial)
		}
	}
	if err := req.Call(e.reg.Client(ctx)); err != nil {
		return fmt.Errorf("saying where downloads go: %w", err)
	}
	return nil
}

// downloadDir is the folder of a session's downloads, made when it is missing.
func (b *manager) downloadDir(owner string) (string, error) {
	b.Lock()
	defer b.Unlock()
	base := b.cfg.DownloadDir
	if base == "" {
		if b.tempDownloads == "" {
			dir, err := os.MkdirTemp("", "sextant-downloads-")
			if err != nil {
				return "", fmt.Errorf("making a folder for downloads: %w", err)
			}
			b.tempDownloads = dir
		}
		base = b.tempDownloads
	}
	dir := sessionFolder(base, owner)
	if err := os.MkdirAll(filepath.Join(dir, partial), 0o700); err != nil {
		return "", fmt.Errorf("making a folder for downloads: %w", err)
	}
	return dir, nil
}

// downloadBegan takes in the start of a download. p is nil when its page is not known: it
// opened a tab that is gone again.
func (e *connection) downloadBegan(p *cdp.Page, ev cdp.Event) {
	w, ok := cdp.DecodeEvent[proto.BrowserDownloadWillBegin](ev)
	if !ok {
		return
	}
	b := e.m
	b.Lock()
	t := e.tabs[p]
	if t == nil {
		t = e.someTab()
	}
	if t != nil && t.opener != nil && !t.opener.closed && (t.url == "" || t.url == blank) {
		// A tab that was opened for the download alone goes again; who opened it hears of it.
		t = t.opener
	}
	b.Unlock()
	if t == nil {
		e.cancel(w.GUID, "") // nobody is there to be told of it
		return
	}
	dir := ""
	if b.isLocal() {
		dir, _ = b.downloadDir(t.s.owner)
	}
	b.Lock()
	d := t.s.starts(t, &w, dir)
	running := d.State == downloadRunning
	contextID := t.s.contextID
	b.Unlock()
	t.tracker.Stopped(string(w.FrameID))
	if running {
		t.tracker.RequestStarted(d.guid, d.guid)
	} else {
		e.cancel(d.guid, contextID)
	}
	b.events.state()
}

// someTab is the tab that most likely began what no page is known for: the one that acts.
// Called under mu.
func (e *connection) someTab() *tab {
	var some *tab
	for _, t := range e.tabs {
		if t.acting {
			return t
		}
		if some == nil || t.id > some.id {
			some = t
		}
	}
	return some
}

// starts books a download. Called under mu.
func (s *Session) starts(t *tab, w *proto.BrowserDownloadWillBegin, dir string) *download {
	s.lastDownload++
	d := &download{
		Download: event.Download{
			ID: s.lastDownload, Name: fileName(w.SuggestedFilename), URL: surface.Clip(w.URL, maxURL), State: downloadRunning, Tab: t.id,
		},
		guid: w.GUID, dir: dir, t: t, begun: time.Now(),
	}
	running := 0
	for _, other := range s.downloads {
		if other.State == downloadRunning {
			running++
		}
	}
	switch {
	case dir == "":
		d.end(downloadFailed, "downloads are off in this browser")
	case running >= maxRunning:
		d.end(downloadFailed, fmt.Sprintf("%d downloads run already", running))
	}
	s.forgetDownload()
	s.downloads = append(s.downloads, d)
	t.effects.noteSource(kindDownload, t.id, d)
	return d
}

// forgetDownload makes room for one more. Called under mu.
func (s *Session) forgetDownload() {
	if len(s.downloads) < maxDownloads {
		return
	}
	if i := slices.IndexFunc(s.downloads, func(o *download) bool { return o.State != downloadRunning }); i >= 0 {
		s.downloads = slices.Delete(s.downloads, i, i+1)
	}
}

// sweep removes what a download that came to nothing left on the disk.
func (d *download) sweep() { removePartial(d.dir, d.guid) }

// end closes a download. Called under mu.
func (d *download) end(state, why string) { d.State, d.why, d.Why = state, why, why }

func (e *connection) cancel(guid, contextID string) {
	e.reg.Conn().Post("", proto.BrowserCancelDownload{}.ProtoReq(), proto.BrowserCancelDownload{
		GUID: guid, BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}, nil)
}

// downloadMoved takes in how far a download is.
func (e *connection) downloadMoved(ev cdp.Event) {
	m, ok := cdp.DecodeEvent[proto.BrowserDownloadProgress](ev)
	if !ok {
		return
	}
	b := e.m
	b.Lock()
	d := b.download(m.GUID)
	if d == nil || d.State != downloadRunning {
		b.Unlock()
		if d != nil && m.State != proto.BrowserDownloadProgressStateInProgress {
			d.sweep() // it was there before it could be stopped
		}
		return
	}
	d.Received, d.Size = int64(m.ReceivedBytes), int64(m.TotalBytes)
	contextID := d.t.s.contextID
	tell := time.Since(d.published) >= progressEvery
	waited := time.Since(d.begun) >= downloadPatience
	stop := ""
	switch {
	case m.State == proto.BrowserDownloadProgressStateCanceled:
		d.end(downloadCancelled, "")
	default:
		// One that came all at once has had no progress to be judged by.
		if stop = overLimit(d.dir, b.cfg.MaxDownload, d.Received, d.Size, m.State == proto.BrowserDownloadProgressStateCompleted); stop != "" {
			d.end(downloadFailed, stop)
		}
	}
	over := d.State != downloadRunning
	if tell {
		d.published = time.Now()
	}
	b.Unlock()
	if stop != "" {
		e.cancel(m.GUID, contextID)
	}
	if over {
		d.sweep()
	}
	if !over && m.State == proto.BrowserDownloadProgressStateCompleted {
		b.Go(func() { d.settle(b) })
		return
	}
	if over || waited {
		d.t.tracker.RequestEnded(d.guid)
	}
	if tell || over {
		b.events.state()
	}
}

// download finds one by the browser's name for it. Called under mu.
func (b *manager) download(guid string) *download {
	for _, s := range b.sessions {
		for _, d := range s.downloads {
			if d.guid == guid {
				return d
			}
		}
	}
	return nil
}

// settle gives a finished file its name.
func (d *download) settle(b *manager) {
	path, err := place(filepath.Join(d.dir, partial, d.guid), d.dir, d.Name)
	b.Lock()
	switch {
	case d.State != downloadRunning:
		// It was cancelled while its file came to its place.
		if err == nil {
			_ = os.Remove(path)
		}
	case err != nil:
		d.end(downloadFailed, "it could not be saved")
		b.log.Warn("saving a download", "error", err)
	default:
		d.Path = path
		d.end(downloadDone, "")
	}
	b.Unlock()
	d.t.tracker.RequestEnded(d.guid)
	b.events.state()
}

// cleanDownloads removes what earlier runs left unfinished, before the first Chromium starts.
func (b *manager) cleanDownloads() {
	if b.cfg.DownloadDir != "" {
		tidyAll(b.cfg.DownloadDir)
	}
}

// forgetFiles ends the download folder of a session: unfinished files are removed, finished ones stay where
// downloads are kept.
func (b *manager) forgetFiles(owner string) {
	b.Lock()
	temporary := b.tempDownloads
	b.Unlock()
	switch {
	case b.cfg.DownloadDir != "":
		tidy(sessionFolder(b.cfg.DownloadDir, owner))
	case temporary != "":
		_ = os.RemoveAll(sessionFolder(temporary, owner))
	}
}

// nearby reports whether the browser runs on this machine and so shares our disk.
func (b *manager) isLocal() bool {
	if b.cfg.AttachURL == "" {
		return true
	}
	u, err := url.Parse(b.cfg.AttachURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
