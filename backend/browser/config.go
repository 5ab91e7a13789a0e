package browser

import (
	"context"
	"log/slog"

	"sextant/backend/browser/observe/settle"
	"sextant/shared/event"
)

// Config configures a Browser. New reads it once.
type Config struct {
	// Path is the path or name of Chromium; "" searches PATH.
	Path string
	// ProfileDir is the folder for cookies and storage; "" is a temporary profile.
	ProfileDir string
	// DownloadDir is the folder for downloads; sessions other than the window's have subfolders. "" is a temporary
	// folder that Close removes.
	DownloadDir string
	// MaxDownload bounds one downloaded file in bytes; 0 means 2 GB.
	MaxDownload int64
	// Proxy is the host:port of the filtering proxy for all requests of the browser.
	Proxy string
	// Headless runs Chromium without a window.
	Headless bool
	// AttachURL is the debugging address of a running Chromium (http://127.0.0.1:9222) to attach to instead of
	// starting one. Every session then gets its own browser context.
	AttachURL string
	// CheckAddress returns an error for an address that must not be opened in a tab; nil allows all. It is called by
	// navigate_page, for new tabs, and when a page itself goes to a file: or chrome: address.
	CheckAddress func(ctx context.Context, url string) error
	// Publish receives BrowserChanged, MarksChanged and PointerMoved of the window's session.
	// It is called by one goroutine, in order; nil drops them.
	Publish func(event.Event)
	// OnPersonStep receives the steps that the person takes in the window's session. One goroutine calls it, in
	// order; the last call is before Close returns. nil drops them.
	OnPersonStep func(Step)
	Log          *slog.Logger
	// Limits bound the wait for a page to settle; the zero value means settle.DefaultLimits.
	Limits settle.Limits
	// Flags are additional command line flags for Chromium.
	Flags []string
}
