package notify

import (
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"sextant/build/sessionbus"
)

// notifications is a notification service that keeps what it would show.
type notifications struct{ shown chan []any }

// Notify implements org.freedesktop.Notifications.
func (n *notifications) Notify(
	program string, replaces uint32, icon, summary, body string, actions []string, _ map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	n.shown <- []any{program, replaces, icon, summary, body, len(actions)}
	return 1, nil
}

func TestTextsFromOutsideAreShownAsTheyAre(t *testing.T) {
	conn := sessionbus.Start(t)
	d := New(Config{})
	t.Cleanup(func() { _ = d.Close() })
	if err := d.post(t.Context(), notice{}, "x", "y"); err == nil {
		t.Error("it succeeded without a service")
	}
	n := &notifications{shown: make(chan []any, 1)}
	if err := conn.Export(n, "/org/freedesktop/Notifications", service); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	text := `<a href="https://evil.example">press</a> ` + strings.Repeat("x", 9000)
	if err := d.post(t.Context(), notice{}, "“Prices”\nwas parked", text); err != nil {
		t.Fatal(err)
	}
	got := <-n.shown
	body, _ := got[4].(string)
	if strings.Contains(body, "<a") || len(body) > 500 {
		t.Errorf("the body is %q", body)
	}
	got[4] = ""
	if diff := cmp.Diff([]any{"Sextant", uint32(0), "sextant", "“Prices” was parked", "", 0}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
