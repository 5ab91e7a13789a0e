package tray

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"

	"sextant/build/sessionbus"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// host is a tray that shows nothing.
type host struct{ registered chan dbus.Sender }

// RegisterStatusNotifierItem implements org.kde.StatusNotifierWatcher.
func (h *host) RegisterStatusNotifierItem(_ string, sender dbus.Sender) *dbus.Error {
	h.registered <- sender
	return nil
}

// pixmap is a picture of the icon in ARGB.
type pixmap struct {
	W, H int32
	Data []byte
}

// shown is set once the process has its icon: there is only one.
var shown bool

func TestIconShowsStateAndOpensWindow(t *testing.T) {
	if shown {
		t.Skip("the process has its icon")
	}
	shown = true
	conn := sessionbus.Start(t)
	pressed := make(chan string, 9)
	begin := func() (*Icon, error) {
		return Show(t.Context(), func() { pressed <- "open" }, func() { pressed <- "quit" })
	}
	if _, err := begin(); !errors.Is(err, ErrNoHost) {
		t.Fatalf("without a tray: %v", err)
	}
	h := &host{registered: make(chan dbus.Sender, 9)}
	if err := conn.Export(h, watcherPath, watcher); err != nil {
		t.Fatal(err)
	}
	hosted := map[string]*prop.Prop{"IsStatusNotifierHostRegistered": {Value: true}}
	if _, err := prop.Export(conn, watcherPath, prop.Map{watcher: hosted}); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(watcher, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	icon, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	item := conn.Object(string(<-h.registered), "/StatusNotifierItem")
	corner := func() string {
		v, err := item.GetProperty("org.kde.StatusNotifierItem.IconPixmap")
		var pictures []pixmap
		if err == nil {
			err = v.Store(&pictures)
		}
		if err != nil || len(pictures) != 1 || pictures[0].W != size {
			t.Fatalf("%d pictures, %v", len(pictures), err)
		}
		at := ((size-dot-1)*size + size - dot - 1) * 4
		return fmt.Sprintf("%x", pictures[0].Data[at+1:at+4])
	}
	idle := corner()
	for _, step := range []struct {
		kind  event.Kind
		data  any
		color string
	}{
		{event.TurnStarted, event.Turn{}, "4a8fe7"},
		{event.ApprovalAsked, event.Approval{ID: "q"}, "e5484d"},
		{event.ApprovalAnswered, event.ApprovalAnswer{ID: "q"}, "4a8fe7"},
		{event.TurnEnded, event.Turn{Status: chat.StatusDone}, "3fa764"},
		{event.TurnStarted, event.Turn{}, "4a8fe7"},
		{event.TurnEnded, event.Turn{Status: chat.StatusStopped}, idle},
		{event.TurnEnded, event.Turn{Status: chat.StatusFailed}, "3fa764"},
	} {
		icon.Handle(event.New(step.kind, step.data).InTurn("c", "t"))
		if got := corner(); got != step.color {
			t.Errorf("after %s the dot is %s, want %s", step.kind, got, step.color)
		}
	}
	if v, err := item.GetProperty("org.kde.StatusNotifierItem.ToolTip"); err != nil ||
		v.Value().([]any)[2] != "Sextant has finished" {
		t.Errorf("the tooltip is %v, %v", v, err)
	}
	icon.Seen()
	if got := corner(); got != idle {
		t.Errorf("after a look the dot is %s", got)
	}
	menu := conn.Object(item.Destination(), "/StatusNotifierItem/menu")
	choose := func(entry int32) error {
		return menu.Call("com.canonical.dbusmenu.Event", 0, entry, "clicked", dbus.MakeVariant(0), uint32(0)).Err
	}
	for _, press := range []struct {
		want string
		do   func() error
	}{
		{"open", func() error { return item.Call("org.kde.StatusNotifierItem.Activate", 0, int32(1), int32(1)).Err }},
		{"open", func() error { return choose(1) }},
		{"quit", func() error { return choose(2) }},
	} {
		// The library drops a press that comes while the one before is handled.
		expectPress(t, pressed, press.want, press.do)
	}
}

// expectPress presses until it has an effect.
func expectPress(t *testing.T, pressed <-chan string, want string, press func() error) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		if err := press(); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-pressed:
			if got != want {
				t.Errorf("%s was pressed, want %s", got, want)
			}
			return
		case <-time.After(time.Second):
		}
	}
	t.Fatalf("nothing was pressed, want %s", want)
}
