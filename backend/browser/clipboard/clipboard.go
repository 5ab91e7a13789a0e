// Package clipboard reads and writes the clipboard of a Chromium without a window, which is not the system's. All pages
// of such a browser share it.
package clipboard

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/shared/wire"
)

// Clipboard is the clipboard of one browser. Its methods may be called concurrently.
type Clipboard struct {
	mu   sync.Mutex
	reg  *cdp.Registry
	page *cdp.HiddenPage
}

// secureAddress is an empty page that Chromium lets use the clipboard. It contacts nobody.
const secureAddress = "file:///dev/null"

//go:embed clipboard.js
var script string

// Read returns the content of the clipboard of reg's browser.
func (c *Clipboard) Read(ctx context.Context, reg *cdp.Registry) (wire.Clipboard, error) {
	page, err := c.open(ctx, reg)
	if err != nil {
		return wire.Clipboard{}, err
	}
	raw, err := page.Call(ctx, script)
	if err != nil {
		return wire.Clipboard{}, fmt.Errorf("reading the clipboard: %w", err)
	}
	return cdp.Decode[wire.Clipboard](raw)
}

// Write replaces the content of the clipboard of reg's browser.
func (c *Clipboard) Write(ctx context.Context, reg *cdp.Registry, content wire.Clipboard) error {
	page, err := c.open(ctx, reg)
	if err != nil {
		return err
	}
	if _, err := page.Call(ctx, script, content); err != nil {
		return fmt.Errorf("writing the clipboard: %w", err)
	}
	return nil
}

// open returns the hidden page of reg's browser. It opens one when the browser has none.
func (c *Clipboard) open(ctx context.Context, reg *cdp.Registry) (*cdp.HiddenPage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reg == reg {
		return c.page, nil
	}
	page, err := reg.OpenHidden(ctx, secureAddress, proto.BrowserPermissionTypeClipboardReadWrite,
		proto.BrowserPermissionTypeClipboardSanitizedWrite)
	if err != nil {
		return nil, err
	}
	c.reg, c.page = reg, page
	return page, nil
}
