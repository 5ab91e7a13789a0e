//go:build desktop

package desktop

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"

	"sextant/app"
	"sextant/app/tray"
	"sextant/backend/store/eventlog"
)

// closeToTray decides what happens when the window is closed: with an icon in the tray, Sextant keeps running.
type closeToTray struct {
	sys    *app.System
	window context.Context //nolint:containedctx // Wails identifies the window by it
	show   func()

	quits  atomic.Bool
	mu     sync.Mutex
	icon   *tray.Icon
	events *eventlog.Subscription
}

// maxTrayWait is how long a hidden window waits for the tray, which the desktop may start after Sextant.
const maxTrayWait = 20 * time.Second

// begin shows the icon, if the desktop has a tray. A hidden window is shown if it has none.
func (s *closeToTray) begin(window context.Context, show func(), hidden bool) {
	s.window = window
	s.show = func() {
		show()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.icon != nil {
			s.icon.Seen()
		}
	}
	go func() {
		end := time.Now().Add(maxTrayWait)
		for !s.findTray() && hidden && !s.quits.Load() {
			if time.Now().After(end) {
				show()
				return
			}
			time.Sleep(time.Second)
		}
	}()
}

// findTray shows the icon unless it is shown already, and reports whether the person can see it.
func (s *closeToTray) findTray() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.icon != nil {
		return tray.FindHost(s.window) == nil
	}
	icon, err := tray.Show(s.window, s.show, s.quit)
	if err != nil {
		s.sys.Log.Debug("no icon in the tray", "err", err)
		return false
	}
	s.icon = icon
	s.events = s.sys.Events.Subscribe(eventlog.Filter{Kinds: tray.Kinds}, eventlog.FromNow)
	go func() {
		for e := range s.events.C() {
			icon.Handle(e)
			if s.sys.Desktop.InFront() {
				icon.Seen()
			}
		}
	}()
	return true
}

// beforeClose hides the window, if the person can reach Sextant through the tray, and returns true. Else the window
// closes.
func (s *closeToTray) beforeClose(window context.Context) bool {
	if s.quits.Load() || s.sys.Settings.Get("close_to_tray") != "on" || !s.findTray() {
		return false
	}
	runtime.WindowHide(window)
	s.sys.Desktop.ShowHidden()
	return true
}

// quit ends Sextant, as if there were no tray.
func (s *closeToTray) quit() {
	s.quits.Store(true)
	runtime.Quit(s.window)
}

func (s *closeToTray) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events != nil {
		s.events.Close()
	}
}
