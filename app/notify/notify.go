// Package notify shows notifications of the desktop.
package notify

import (
	"context"
	"fmt"
	"html"

	"github.com/godbus/dbus/v5"

	"sextant/shared/excerpt"
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
