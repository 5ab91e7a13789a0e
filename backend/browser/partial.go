package browser

import (
	"os"
	"path/filepath"
)

// partial is the folder, in that of a session's downloads, where Chromium writes files on their way.
const partial = ".partial"

const (
	// maxDownload bounds one file unless the Config does.
	maxDownload = 2_000_000_000
	// spare is what a download leaves free on the disk.
	spare = 512 << 20
)

// tooMuch says why a download cannot go on, or be kept when it is there; "" when it can. Called
// under mu.
func (b *manager) tooMuch(d *download, there bool) string {
	limit := int64(maxDownload)
	if b.cfg.MaxDownload > 0 {
		limit = b.cfg.MaxDownload
	}
	need := max(d.Size, d.Received)
	if need > limit {
		return "it is larger than " + bytesOf(limit)
	}
	if there {
		return ""
	}
	if free, known := freeSpace(d.dir); known && free < need-d.Received+spare {
		return "the disk is nearly full"
	}
	return ""
}

// sweep removes what a download that came to nothing left on the disk.
func (d *download) sweep() {
	if d.dir == "" || filepath.Base(d.guid) != d.guid {
		return
	}
	for _, ending := range []string{"", ".crdownload"} {
		_ = os.Remove(filepath.Join(d.dir, partial, d.guid+ending))
	}
}

// tidy removes what is left of downloads that were on their way when a browser or a session
// ended, and the folder when nothing else is in it. Files that arrived are their owner's and stay.
func tidy(dir string) {
	rest, err := os.ReadDir(filepath.Join(dir, partial))
	if err != nil {
		return
	}
	for _, f := range rest {
		if f.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, partial, f.Name()))
		}
	}
	// Only empty folders can be removed this way.
	if os.Remove(filepath.Join(dir, partial)) == nil {
		_ = os.Remove(dir)
	}
}

// cleanDownloads is tidy for the folders of all sessions that ever were, before the first browser.
func (b *manager) cleanDownloads() {
	base := b.cfg.DownloadDir
	if base == "" {
		return
	}
	list, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, f := range list {
		if f.IsDir() && f.Name() != partial {
			tidy(filepath.Join(base, f.Name()))
		}
	}
	tidy(base)
}

// forgetFiles ends the download folder of a session: what was on its way is gone, and what
// arrived is kept where downloads are kept.
func (b *manager) forgetFiles(owner string) {
	b.Lock()
	temporary := b.tempDownloads
	b.Unlock()
	switch {
	case b.cfg.DownloadDir != "":
		tidy(b.folder(b.cfg.DownloadDir, owner))
	case temporary != "":
		_ = os.RemoveAll(b.folder(temporary, owner))
	}
}

// folder is where the downloads of a session lie under base.
func (b *manager) folder(base, owner string) string {
	if owner == "" {
		return base
	}
	return filepath.Join(base, fileName(owner))
}
