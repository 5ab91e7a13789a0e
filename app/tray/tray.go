// Package tray shows Sextant's icon in the tray of the desktop (StatusNotifierItem), through which a person reaches it
// while its window is closed. The icon shows whether Sextant is working, has a question or has finished.
package tray

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"sync"
	"time"

	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
	"golang.org/x/image/draw"

	"sextant/app/bus"
	"sextant/build/icons"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// watcher is the service with which icons are registered.
const (
	watcher     = "org.kde.StatusNotifierWatcher"
	watcherPath = "/StatusNotifierWatcher"
)

// ErrNoHost is returned where no desktop shows icons.
var ErrNoHost = errors.New("no tray of the desktop answers")

// Kinds are the kinds of events that Handle takes.
var Kinds = []event.Kind{event.TurnStarted, event.TurnEnded, event.ApprovalAsked, event.ApprovalAnswered}

// state is what the icon shows.
type state string

const (
	stateIdle    state = ""
	stateWorking state = "is working"
	stateAsks    state = "has a question"
	stateDone    state = "has finished"
)

var colors = map[state]color.RGBA{
	stateWorking: {0x4a, 0x8f, 0xe7, 0xff}, stateAsks: {0xe5, 0x48, 0x4d, 0xff}, stateDone: {0x3f, 0xa7, 0x64, 0xff},
}

// Icon is the icon. There is at most one in a process. Its methods may be called concurrently.
type Icon struct {
	mu        sync.Mutex
	icons     map[state][]byte
	running   map[string]bool
	questions map[string]bool
	finished  bool
	shown     state
}

// Show shows the icon, or returns ErrNoHost. open and quit are called when the person presses it or its menu.
func Show(ctx context.Context, open, quit func()) (*Icon, error) {
	if err := FindHost(ctx); err != nil {
		return nil, err
	}
	i := &Icon{icons: map[state][]byte{}, running: map[string]bool{}, questions: map[string]bool{}, shown: "unknown"}
	for _, one := range []state{stateIdle, stateWorking, stateAsks, stateDone} {
		picture, err := drawIcon(one)
		if err != nil {
			return nil, err
		}
		i.icons[one] = picture
	}
	systray.SetOnTapped(open)
	ready := make(chan struct{})
	start, _ := systray.RunWithExternalLoop(func() {
		systray.SetTitle("Sextant")
		show, end := systray.AddMenuItem("Show Sextant", ""), systray.AddMenuItem("Quit Sextant", "")
		close(ready)
		for {
			select {
			case <-show.ClickedCh:
				open()
			case <-end.ClickedCh:
				quit()
			}
		}
	}, nil)
	i.update()
	start()
	<-ready
	return i, nil
}

// hostTimeout is how long the tray may take to say that it is there.
const hostTimeout = 2 * time.Second

// FindHost returns ErrNoHost unless a tray shows icons.
func FindHost(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hostTimeout)
	defer cancel()
	conn, err := bus.Connect(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoHost, err)
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost
	var v dbus.Variant
	err = conn.Object(watcher, watcherPath).CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0,
		watcher, "IsStatusNotifierHostRegistered").Store(&v)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoHost, err)
	}
	if hosted, ok := v.Value().(bool); !ok || !hosted {
		return ErrNoHost
	}
	return nil
}

// Handle handles an event of Kinds.
func (i *Icon) Handle(e event.Event) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch e.Kind { //nolint:exhaustive // the others change nothing
	case event.TurnStarted:
		i.running[e.Turn], i.finished = true, false
	case event.TurnEnded:
		var turn event.Turn
		_ = json.Unmarshal(e.Data, &turn) // a turn without status is no news
		delete(i.running, e.Turn)
		i.finished = turn.Status == chat.StatusDone || turn.Status == chat.StatusFailed
	case event.ApprovalAsked, event.ApprovalAnswered:
		var question struct{ ID string }
		if json.Unmarshal(e.Data, &question) == nil {
			delete(i.questions, question.ID)
		}
		if e.Kind == event.ApprovalAsked {
			i.questions[question.ID] = true
		}
	}
	i.update()
}

// Seen removes the news that something has finished, because the person sees the window.
func (i *Icon) Seen() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.finished = false
	i.update()
}

// update is called under the lock, or before others know i.
func (i *Icon) update() {
	now := stateIdle
	switch {
	case len(i.questions) > 0:
		now = stateAsks
	case len(i.running) > 0:
		now = stateWorking
	case i.finished:
		now = stateDone
	}
	if now == i.shown {
		return
	}
	i.shown = now
	systray.SetIcon(i.icons[now])
	tooltip := "Sextant"
	if now != stateIdle {
		tooltip += " " + string(now)
	}
	systray.SetTooltip(tooltip)
}

// size is the size of the icon in pixels, dot the radius of the dot in its corner.
const (
	size = 64
	dot  = 15
)

// drawIcon returns the icon as a PNG, with a dot in the color of the state.
func drawIcon(of state) ([]byte, error) {
	source, err := png.Decode(bytes.NewReader(icons.PNG))
	if err != nil {
		return nil, fmt.Errorf("reading the icon: %w", err)
	}
	out := image.NewRGBA(image.Rect(0, 0, size, size))
	draw.CatmullRom.Scale(out, out.Bounds(), source, source.Bounds(), draw.Src, nil)
	fill, hasDot := colors[of]
	for at := range size * size {
		x, y := at%size, at/size
		if dx, dy := x-(size-dot-1), y-(size-dot-1); hasDot && dx*dx+dy*dy < dot*dot {
			out.Set(x, y, fill)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, out); err != nil {
		return nil, fmt.Errorf("writing the icon: %w", err)
	}
	return b.Bytes(), nil
}
