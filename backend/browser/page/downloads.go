package page

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/launch"
	"sextant/backend/browser/page/downloaddir"
	"sextant/backend/browser/page/effects"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
	"sextant/shared/event"
)

const (
	maxRunning   = 10
	maxDownloads = 50
	// downloadWait is about how long an action waits for a download to end.
	downloadWait  = time.Second
	progressEvery = 250 * time.Millisecond
)

// The values of event.Download.State.
const (
	downloadRunning  = "running"
	DownloadDone     = "done"
	downloadCanceled = "cancelled"
	downloadFailed   = "failed"
)

// The manager's lock guards a download, except for the fields that never change.
type download struct {
	event.Download
	guid, dir string
	t         *Tab
	why       string
	begun     time.Time
	published time.Time
}

func (d *download) Effect() (kind, text string) { return effects.KindDownload, d.sentence() }

// sentence is called under the lock.
func (d *download) sentence() string {
	name := fmt.Sprintf("download: %q", surface.Truncate(d.Name, 80))
	switch d.State {
	case DownloadDone:
		return fmt.Sprintf("%s, %s, saved as %s", name, downloaddir.FormatBytes(d.Received), d.Path)
	case downloadRunning:
		size := downloaddir.FormatBytes(d.Received)
		if d.Size > 0 {
			size += " of " + downloaddir.FormatBytes(d.Size)
		}
		return fmt.Sprintf("%s is running, %s (call downloads for number %d)", name, size, d.ID)
	case downloadFailed:
		return fmt.Sprintf("%s failed: %s", name, d.why)
	}
	return name + " was canceled"
}

// Downloads returns the session's downloads, newest last.
func (s *Session) Downloads() []event.Download {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	return s.downloadList()
}

// downloadList is Downloads for callers that have the lock.
func (s *Session) downloadList() []event.Download {
	list := make([]event.Download, 0, len(s.downloads))
	for _, d := range s.downloads {
		list = append(list, d.Download)
	}
	return list
}

// KeepsDownloads reports whether downloaded files remain after the browser is closed.
func (s *Session) KeepsDownloads() bool { return s.Manager.Config.DownloadDir != "" }

// CancelDownload stops a running download.
func (s *Session) CancelDownload(ctx context.Context, id int) error {
	s.Manager.Lock()
	i := slices.IndexFunc(s.downloads, func(d *download) bool { return d.ID == id })
	if i < 0 {
		s.Manager.Unlock()
		return &surface.Fault{
			Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no download %d.", id),
			Suggestion: "Call downloads for the numbers.",
		}
	}
	d, e, contextID := s.downloads[i], s.Manager.conn, s.contextID
	state := d.State
	s.Manager.Unlock()
	if state != downloadRunning || e == nil {
		return &surface.Fault{
			Kind:       surface.FaultInvalid,
			Message:    fmt.Sprintf("Download %d is not running: it is %s.", id, state),
			Suggestion: "Call downloads to see them.",
		}
	}
	err := proto.BrowserCancelDownload{
		GUID:             d.guid,
		BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}.Call(e.Registry.Client(ctx))
	if err != nil {
		return fmt.Errorf("canceling download %d: %w", id, err)
	}
	s.Manager.Lock()
	if d.State == downloadRunning {
		d.end(downloadCanceled, "")
	}
	s.Manager.Unlock()
	d.t.Tracker.RecordRequestEnd(d.guid)
	s.Manager.Events.PublishState()
	return nil
}

// allowDownloads denies downloads to a browser on another machine, which cannot write to our disk.
func (c *Connection) allowDownloads(ctx context.Context, owner, contextID string) error {
	req := proto.BrowserSetDownloadBehavior{
		Behavior:         proto.BrowserSetDownloadBehaviorBehaviorDeny,
		BrowserContextID: proto.BrowserBrowserContextID(contextID), EventsEnabled: true,
	}
	if c.manager.isLocal() {
		dir, err := c.manager.DownloadDir(owner)
		if err != nil {
			c.manager.Log.Warn("downloads are off", "err", err)
		} else {
			req.Behavior, req.DownloadPath = proto.BrowserSetDownloadBehaviorBehaviorAllowAndName,
				filepath.Join(dir, downloaddir.PartialFolder)
		}
	}
	if err := req.Call(c.Registry.Client(ctx)); err != nil {
		return fmt.Errorf("setting the folder for downloads: %w", err)
	}
	return nil
}

// DownloadDir returns the folder of a session's downloads, which it creates if necessary.
func (b *Manager) DownloadDir(owner string) (string, error) {
	b.Lock()
	defer b.Unlock()
	base := b.Config.DownloadDir
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
	dir := downloaddir.SessionFolder(base, owner)
	if err := os.MkdirAll(filepath.Join(dir, downloaddir.PartialFolder), 0o700); err != nil {
		return "", fmt.Errorf("making a folder for downloads: %w", err)
	}
	return dir, nil
}

// downloadWillBegin gets a nil p when the page is not known.
func (c *Connection) downloadWillBegin(p *cdp.Page, ev cdp.Event) {
	w, ok := cdp.DecodeEvent[proto.BrowserDownloadWillBegin](ev)
	if !ok {
		return
	}
	b := c.manager
	b.Lock()
	t := c.tabs[p]
	if t == nil {
		t = c.likelyTab()
	}
	if t != nil && t.opener != nil && !t.opener.Closed && (t.URL == "" || t.URL == BlankPage) {
		// A tab opened only for the download closes again, so the download is reported in its opener.
		t = t.opener
	}
	b.Unlock()
	if t == nil {
		c.cancel(w.GUID, "") // no session would report it
		return
	}
	dir := ""
	if b.isLocal() {
		dir, _ = b.DownloadDir(t.Session.Owner)
	}
	b.Lock()
	d := t.Session.addDownload(t, &w, dir)
	running := d.State == downloadRunning
	contextID := t.Session.contextID
	b.Unlock()
	t.Tracker.RecordLoadStop(string(w.FrameID))
	if running {
		t.Tracker.RecordRequestStart(d.guid, d.guid)
	} else {
		c.cancel(d.guid, contextID)
	}
	b.Events.PublishState()
}

// likelyTab guesses the tab of a download whose page is not known. Called under the lock.
func (c *Connection) likelyTab() *Tab {
	var some *Tab
	for _, t := range c.tabs {
		if t.acting {
			return t
		}
		if some == nil || t.ID > some.ID {
			some = t
		}
	}
	return some
}

// addDownload adds a failed download when dir is "" or too many are running. Called under the lock.
func (s *Session) addDownload(t *Tab, w *proto.BrowserDownloadWillBegin, dir string) *download {
	s.lastDownload++
	d := &download{
		Download: event.Download{
			ID: s.lastDownload, Name: downloaddir.FileName(w.SuggestedFilename),
			URL: surface.Truncate(w.URL, network.MaxURL), State: downloadRunning, Tab: t.ID,
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
		d.end(downloadFailed, fmt.Sprintf("%d downloads are running already", running))
	}
	s.dropOldDownload()
	s.downloads = append(s.downloads, d)
	t.Effects.AddSource(effects.KindDownload, t.ID, d)
	return d
}

// AddFinishedDownload adds an existing file to the list of downloads and returns it with its id.
func (s *Session) AddFinishedDownload(f event.Download) event.Download {
	s.Manager.Lock()
	s.lastDownload++
	f.ID = s.lastDownload
	s.dropOldDownload()
	s.downloads = append(s.downloads, &download{Download: f})
	s.Manager.Unlock()
	s.Manager.Events.PublishState()
	return f
}

// dropOldDownload is called under the lock.
func (s *Session) dropOldDownload() {
	if len(s.downloads) < maxDownloads {
		return
	}
	if i := slices.IndexFunc(s.downloads, func(o *download) bool { return o.State != downloadRunning }); i >= 0 {
		s.downloads = slices.Delete(s.downloads, i, i+1)
	}
}

func (d *download) removePartial() { downloaddir.RemovePartial(d.dir, d.guid) }

// end is called under the lock.
func (d *download) end(state, why string) {
	d.State, d.why, d.Reason = event.DownloadState(state), why, why
}

func (c *Connection) cancel(guid, contextID string) {
	c.Registry.Conn().Post("", proto.BrowserCancelDownload{}.ProtoReq(), proto.BrowserCancelDownload{
		GUID: guid, BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}, nil)
}

func (c *Connection) downloadProgress(ev cdp.Event) {
	m, ok := cdp.DecodeEvent[proto.BrowserDownloadProgress](ev)
	if !ok {
		return
	}
	b := c.manager
	b.Lock()
	d := b.download(m.GUID)
	if d == nil || d.State != downloadRunning {
		b.Unlock()
		if d != nil && m.State != proto.BrowserDownloadProgressStateInProgress {
			d.removePartial()
		}
		return
	}
	d.Received, d.Size = int64(m.ReceivedBytes), int64(m.TotalBytes)
	contextID := d.t.Session.contextID
	publish := time.Since(d.published) >= progressEvery
	waited := time.Since(d.begun) >= downloadWait
	stop := ""
	switch {
	case m.State == proto.BrowserDownloadProgressStateCanceled:
		d.end(downloadCanceled, "")
	default:
		// A download that arrived in one piece has reported no progress to check the limits against.
		if stop = downloaddir.OverLimitReason(d.dir, b.Config.MaxDownload, d.Received, d.Size,
			m.State == proto.BrowserDownloadProgressStateCompleted); stop != "" {
			d.end(downloadFailed, stop)
		}
	}
	over := d.State != downloadRunning
	if publish {
		d.published = time.Now()
	}
	b.Unlock()
	if stop != "" {
		c.cancel(m.GUID, contextID)
	}
	if over {
		d.removePartial()
	}
	if !over && m.State == proto.BrowserDownloadProgressStateCompleted {
		b.Go(func() { d.finish(b) })
		return
	}
	if over || waited {
		d.t.Tracker.RecordRequestEnd(d.guid)
	}
	if publish || over {
		b.Events.PublishState()
	}
}

// download is called under the lock.
func (b *Manager) download(guid string) *download {
	for _, s := range b.sessions {
		for _, d := range s.downloads {
			if d.guid == guid {
				return d
			}
		}
	}
	return nil
}

func (d *download) finish(b *Manager) {
	path, err := downloaddir.MoveInto(filepath.Join(d.dir, downloaddir.PartialFolder, d.guid), d.dir, d.Name)
	b.Lock()
	switch {
	case d.State != downloadRunning:
		// The download was canceled while its file was moved.
		if err == nil {
			_ = os.Remove(path)
		}
	case err != nil:
		d.end(downloadFailed, "it could not be saved")
		b.Log.Warn("saving a download", "err", err)
	default:
		d.Path = path
		d.end(DownloadDone, "")
	}
	b.Unlock()
	d.t.Tracker.RecordRequestEnd(d.guid)
	b.Events.PublishState()
}

// RemovePartialDownloads removes the partial files of earlier runs. Call it before the first Chromium starts.
func (b *Manager) RemovePartialDownloads() {
	if b.Config.DownloadDir != "" {
		downloaddir.TidyAll(b.Config.DownloadDir)
	}
}

func (b *Manager) closeDownloadDir(owner string) {
	b.Lock()
	temporary := b.tempDownloads
	b.Unlock()
	switch {
	case b.Config.DownloadDir != "":
		downloaddir.Tidy(downloaddir.SessionFolder(b.Config.DownloadDir, owner))
	case temporary != "":
		_ = os.RemoveAll(downloaddir.SessionFolder(temporary, owner))
	}
}

func (b *Manager) isLocal() bool {
	return b.Config.AttachURL == "" || launch.IsLocal(b.Config.AttachURL)
}
