// Package notify shows notifications of the desktop.
package notify

import (
	"context"
	"fmt"
	"html"
	"time"

	"github.com/godbus/dbus/v5"

	"sextant/shared/excerpt"
	"sextant/shared/schedule"
)

const (
	service     = "org.freedesktop.Notifications"
	servicePath = "/org/freedesktop/Notifications"
	maxTitle    = 100
	maxDetail   = 300
)

// notify shows a notification through the service of the freedesktop specification, and returns its id. It fails where
// there is none. The texts may come from outside: they are cut, and shown as they are. The actions are keys and labels
// in turn.
func notify(ctx context.Context, conn *dbus.Conn, title, text string, actions []string) (id uint32, err error) {
	// The body may contain markup, the summary may not.
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("sextant")}
	body := html.EscapeString(excerpt.Line(text, maxDetail))
	call := conn.Object(service, servicePath).CallWithContext(ctx, service+".Notify", 0,
		"Sextant", uint32(0), "sextant", excerpt.Line(title, maxTitle), body, actions, hints, int32(-1))
	if err := call.Store(&id); err != nil {
		return 0, fmt.Errorf("showing a notification: %w", err)
	}
	return id, nil
}

// limit is how long a notification may take to show.
const limit = 3 * time.Second

// titleOf returns the title of the notification about a run, "" for none.
func titleOf(one schedule.Schedule, run schedule.Run) string {
	switch {
	case run.Slot.IsZero():
		return ""
	case run.Status == schedule.StatusParked:
		return "“" + one.Name + "” waits for you"
	case run.Status == schedule.StatusFailed:
		return "“" + one.Name + "” failed"
	case run.Changed:
		return "“" + one.Name + "” has another result"
	}
	return ""
}
