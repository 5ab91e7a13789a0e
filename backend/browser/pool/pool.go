// Package pool lends browsers to runs that work beside the window's browser, each with its own Chromium.
package pool

import (
	"context"
	"errors"
	"sync"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

// Pool contains the window's browser and those that are lent. It is safe for concurrent use.
type Pool struct {
	window *browser.Browser
	// config is that of the browsers to lend. Each is attached to the next of addresses, if there are any.
	config    browser.Config
	addresses []string

	mu     sync.Mutex
	opened int
	leased map[string]*browser.Browser
	idle   []*browser.Browser
}

// New returns a Pool. The browsers to lend have a config, which must be headless. Each is a Chromium of its own, which
// starts with the first action, or a session of a running one at the next of the debugging addresses.
func New(window *browser.Browser, config browser.Config, addresses []string) *Pool {
	return &Pool{window: window, config: config, addresses: addresses, leased: map[string]*browser.Browser{}}
}

// open makes a browser to lend. The caller must hold the lock.
func (p *Pool) open() *browser.Browser {
	config := p.config
	if n := len(p.addresses); n > 0 {
		config.AttachURL = p.addresses[p.opened%n]
	}
	p.opened++
	return browser.New(config)
}

// Session returns the session of a caller: in the browser that was lent to it, else in the window's.
func (p *Pool) Session(owner string) *browser.Session {
	if b := p.Leased(owner); b != nil {
		return b.Session(owner)
	}
	return p.window.Session(owner)
}

// Leased returns the browser that was lent to a caller, nil for none.
func (p *Pool) Leased(owner string) *browser.Browser {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leased[owner]
}

// Lease lends a browser to a caller until Release. The session of the caller in it is a new one, without cookies. The
// caller limits how many there are.
func (p *Pool) Lease(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b *browser.Browser
	if n := len(p.idle); n > 0 {
		b, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		b = p.open()
	}
	b.Show(owner)
	p.leased[owner] = b
}

// Release closes the session of a caller with its storage, and takes its browser back for the next one.
func (p *Pool) Release(owner string) {
	b := p.Leased(owner)
	if b == nil {
		return
	}
	err := b.CloseSession(owner)
	p.mu.Lock()
	delete(p.leased, owner)
	if err == nil {
		p.idle = append(p.idle, b)
	}
	p.mu.Unlock()
	if err != nil {
		_ = b.Close() // what it cannot forget must not reach the next caller
	}
}

// pictureTokens makes a picture about 800 pixels wide.
const pictureTokens = 600

// Picture returns a picture of the page of a caller that a browser was lent to. It is empty if there is none yet.
func (p *Pool) Picture(ctx context.Context, owner string) (surface.Picture, error) {
	b := p.Leased(owner)
	if b == nil || b.TabCount(owner) == 0 {
		return surface.Picture{}, nil
	}
	picture, err := b.Session(owner).Screenshot(ctx, surface.ScreenshotOptions{MaxTokens: pictureTokens})
	if fault := (*surface.Fault)(nil); errors.As(err, &fault) {
		return surface.Picture{}, nil // the page is loading, or the caller has ended meanwhile
	}
	return picture, err
}

// CloseIdle ends the browsers that nobody has.
func (p *Pool) CloseIdle() error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	return closeAll(idle)
}

// Close ends all browsers that were lent. The window's stays.
func (p *Pool) Close() error {
	p.mu.Lock()
	all := p.idle
	for _, b := range p.leased {
		all = append(all, b)
	}
	p.idle, p.leased = nil, map[string]*browser.Browser{}
	p.mu.Unlock()
	return closeAll(all)
}

func closeAll(all []*browser.Browser) error {
	problems := make([]error, len(all))
	var wait sync.WaitGroup
	for i, b := range all {
		wait.Go(func() { problems[i] = b.Close() })
	}
	wait.Wait()
	return errors.Join(problems...)
}
