// Package clipboard reads and writes the clipboard of a Chromium without a window, which is not the system's. All pages
// of such a browser share it.
package clipboard

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/shared/wire"
)

// Clipboard is the clipboard of one browser. Nothing of the person's stays in it, where another page or the model could
// get it. Its methods may be called concurrently; one runs at a time.
type Clipboard struct {
	// turn contains a token while a method runs.
	turn chan struct{}
	reg  *cdp.Registry
	page *cdp.HiddenPage
}

const (
	// secureAddress is an empty page that Chromium lets use the clipboard. It contacts nobody.
	secureAddress = "file:///dev/null"
	emptyTimeout  = 2 * time.Second
)

//go:embed clipboard.js
var script string

// New returns the clipboard of a browser, which need not run yet.
func New() *Clipboard { return &Clipboard{turn: make(chan struct{}, 1)} }

// Take empties the clipboard of reg's browser and returns what was in it.
func (c *Clipboard) Take(ctx context.Context, reg *cdp.Registry) (wire.Clipboard, error) {
	if err := c.begin(ctx, reg); err != nil {
		return wire.Clipboard{}, err
	}
	defer c.end()
	raw, err := c.page.Call(ctx, script)
	if err != nil {
		return wire.Clipboard{}, fmt.Errorf("reading the clipboard: %w", err)
	}
	content, err := cdp.Decode[wire.Clipboard](raw)
	if err != nil || content.IsEmpty() {
		return wire.Clipboard{}, err
	}
	return content, c.write(ctx, wire.Clipboard{})
}

// Hold calls use while content is in the clipboard of reg's browser, and empties the clipboard afterwards.
func (c *Clipboard) Hold(ctx context.Context, reg *cdp.Registry, content wire.Clipboard, use func() error) error {
	if err := c.begin(ctx, reg); err != nil {
		return err
	}
	defer c.end()
	if err := c.write(ctx, content); err != nil {
		return err
	}
	err := use()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), emptyTimeout)
	defer cancel()
	return errors.Join(err, c.write(ctx, wire.Clipboard{}))
}

func (c *Clipboard) write(ctx context.Context, content wire.Clipboard) error {
	if _, err := c.page.Call(ctx, script, content); err != nil {
		return fmt.Errorf("writing the clipboard: %w", err)
	}
	return nil
}

// begin waits for the turn and opens the hidden page if reg's browser has none.
func (c *Clipboard) begin(ctx context.Context, reg *cdp.Registry) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("waiting for the clipboard: %w", context.Cause(ctx))
	}
	if c.reg == reg {
		return nil
	}
	page, err := reg.OpenHidden(ctx, secureAddress, proto.BrowserPermissionTypeClipboardReadWrite,
		proto.BrowserPermissionTypeClipboardSanitizedWrite)
	if err != nil {
		c.end()
		return err
	}
	c.reg, c.page = reg, page
	return nil
}

func (c *Clipboard) end() { <-c.turn }
