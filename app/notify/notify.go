// Package notify shows notifications of the desktop.
package notify

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"time"

	"github.com/godbus/dbus/v5"

	"sextant/shared/batch"
	"sextant/shared/excerpt"
	"sextant/shared/schedule"
)

const (
	service   = "org.freedesktop.Notifications"
	maxTitle  = 100
	maxDetail = 300
)

// Show shows a notification through the service of the freedesktop specification on the session bus. It fails where
// there is none. The texts may come from outside: they are cut, and shown as they are.
func Show(ctx context.Context, title, text string) error {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("reaching the session bus: %w", err)
	}
	defer conn.Close() //nolint:errcheck // nothing was written that could be lost
	// The body may contain markup, the summary may not. An empty list of actions leaves nothing to press.
	hints := map[string]dbus.Variant{"desktop-entry": dbus.MakeVariant("sextant")}
	body := html.EscapeString(excerpt.Line(text, maxDetail))
	call := conn.Object(service, "/org/freedesktop/Notifications").CallWithContext(ctx, service+".Notify", 0,
		"Sextant", uint32(0), "sextant", excerpt.Line(title, maxTitle), body, []string{}, hints, int32(-1))
	if call.Err != nil {
		return fmt.Errorf("showing a notification: %w", call.Err)
	}
	return nil
}

// limit is how long the notification of a run may take to show.
const limit = 3 * time.Second

// ShowRun shows a notification about a run that nobody started, if a person should know how it ended.
func ShowRun(one schedule.Schedule, run schedule.Run) error {
	if title := titleOf(one, run); title != "" {
		return showInTime(title, cmp.Or(run.Reason, run.Result))
	}
	return nil
}

// ShowBatch shows a notification about a batch that was done or stopped by itself.
func ShowBatch(one batch.Batch) error {
	return showInTime("“"+one.Name+"” "+map[batch.State]string{
		batch.StateDone: "is done", batch.StateStopped: "has stopped",
	}[one.State], one.Reason)
}

func showInTime(title, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return Show(ctx, title, text)
}

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
