package browser

import (
	"context"
	"log/slog"

	"sextant/backend/browser/observe/settle"
	"sextant/shared/event"
)

// Config configures a Browser.
type Config struct {
	// Path is the path of Chromium's executable or its name in PATH; "" tries the usual names and places.
	Path string
	// ProfileDir is the folder for cookies and storage. When it is "" or another process uses it, a temporary one is
	// used.
	ProfileDir string
	// DownloadDir is the folder for downloads; sessions other than the window's have subfolders. "" is a temporary
	// folder that Close removes.
	DownloadDir string
	// SharesDownloadDir is true if other browsers use DownloadDir at the same time. Partial files of earlier runs then
	// stay there.
	SharesDownloadDir bool
	// MaxDownload bounds one downloaded file in bytes; 0 means 2 GB.
	MaxDownload int64
	// Proxy is the host:port of the filtering proxy for all requests of the browser, "" for none. A browser that is
	// attached on another machine does not use it.
	Proxy string
	// Headless runs Chromium without a window.
	Headless bool
	// AttachURL is the debugging address of a running Chromium (http://127.0.0.1:9222) to attach to instead of
	// starting one. Every session then gets its own browser context.
	AttachURL string
	// CheckAddress returns an error for an address that must not be opened in a tab; nil allows all. It is also called
	// when a page itself goes to an address that the proxy cannot check, such as file: or chrome:.
	CheckAddress func(ctx context.Context, url string) error
	// ExplainFailure returns why Proxy could not connect to an address: a title and sentences, "" if it does not know.
	// Chromium does not show what a proxy says about an https address. nil explains nothing.
	ExplainFailure func(address string) (head, text string)
	// Publish receives the live events of the window's session: BrowserChanged, MarksChanged, PointerMoved,
	// PagePointed, PickerOpened and PageCopied. One goroutine calls it, with only the newest state and marks when it
	// is slow. nil drops the events.
	Publish func(event.Event)
	// OnPersonStep receives the steps that the person takes in the window's session. One goroutine calls it, in
	// order; the last call is before Close returns. nil drops them.
	OnPersonStep func(PersonStep)
	Log          *slog.Logger
	// Limits bound the wait for a page to settle; the zero value means settle.DefaultLimits.
	Limits settle.Limits
	// Flags are additional command line flags for Chromium.
	Flags []string
}
