package browser

import (
	"context"
	"log/slog"

	"sextant/backend/browser/observe/settle"
	"sextant/shared/event"
)

// Config says how the browser is run. It is read once by New.
type Config struct {
	// Path is the setting that names Chromium; "" searches PATH.
	Path string
	// ProfileDir keeps cookies and storage; "" is a throw-away profile.
	ProfileDir string
	// DownloadDir keeps downloaded files, those of sessions other than the window's in folders
	// below it; "" is a throw-away folder that Close removes.
	DownloadDir string
	// MaxDownload bounds one downloaded file in bytes; 0 means 2 GB.
	MaxDownload int64
	// Proxy is host:port of the filtering proxy that all of the browser's requests take.
	Proxy string
	// Headless runs without a window of its own.
	Headless bool
	// AttachURL is the debugging address of a running Chromium (http://127.0.0.1:9222) to
	// attach to instead of starting one; every session has a browser context of its own there.
	AttachURL string
	// CheckAddress says whether an address may be opened in a tab; nil allows all. It is called for
	// navigate_page, for new tabs, and when a page goes to a file: or chrome: address on its own.
	CheckAddress func(ctx context.Context, url string) error
	// Publish receives BrowserChanged, MarksChanged and PointerMoved of the window's session.
	// It is called by one goroutine, in order; nil drops them.
	Publish func(event.Event)
	// OnPersonStep receives what a person does on the picture of the window's session. It
	// is called by one goroutine, in order, the last time before Close returns; nil drops it.
	OnPersonStep func(Step)
	Log          *slog.Logger
	// Limits bound waiting; the zero value means settle.DefaultLimits.
	Limits settle.Limits
	// Flags are further command line flags for Chromium.
	Flags []string
}
