package verb

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"sextant/app/cli/progress"
	"sextant/app/config"
	"sextant/app/instance"
	"sextant/backend/store/eventlog"
	"sextant/shared/navigation"
	"sextant/shared/wire"
)

// RunningInstance is a running Sextant that a verb joins.
type RunningInstance struct{ instance.Client }

// FindRunning looks for a running Sextant that a verb can join, and tells the person if there is one. separate names an
// option that requires a separate instance, "" for none. ok is false if there is such an option or none is running.
func FindRunning(
	ctx context.Context, g *Global, separate string, out Streams,
) (at RunningInstance, cfg *config.Config, ok bool, err error) {
	cfg, err = config.Load(g.Flags())
	if err != nil {
		return RunningInstance{}, nil, false, err
	}
	at.Client, err = instance.Connect(ctx, cfg.DataDir)
	switch {
	case err != nil:
		return RunningInstance{}, cfg, false, nil
	case separate != "":
		_, _ = fmt.Fprintf(out.Err,
			"sextant: Sextant is already running (process %d), but %s needs an instance of its own, so "+
				"this one does not join it.\n", at.PID, separate)
		return at, cfg, false, nil
	}
	_, _ = fmt.Fprintf(out.Err, "sextant: joined the running Sextant (process %d).\n", at.PID)
	return at, cfg, true, nil
}

// SeparateOption returns the first option in use that a running Sextant cannot apply, "" for none.
func (g *Global) SeparateOption() string {
	for _, o := range []struct {
		name string
		set  bool
	}{
		{"--workspace", g.Workspace != ""},
		{"--allow-hosts", len(g.AllowHosts) > 0},
		{"--profile", g.Profile != nil},
		{"--deny-hosts", len(g.DenyHosts) > 0},
		{"--panels", len(g.PanelDirs) > 0},
		{"--chromium", g.Chromium != ""},
	} {
		if o.set {
			return o.name
		}
	}
	return ""
}

// OptionIf returns name if the option is set, otherwise "".
func OptionIf(set bool, name string) string {
	if set {
		return name
	}
	return ""
}

// CallRoute sends body to a route of the navigation map and decodes the answer into v.
func (i RunningInstance) CallRoute(ctx context.Context, route, query string, body, v any) error {
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	method, path := nav.Route(route)
	if query != "" {
		path += "?" + query
	}
	return i.Call(ctx, method, path, body, v)
}

// Call sends body to a route and decodes the answer into v, if it is not nil.
func (i RunningInstance) Call(ctx context.Context, method, path string, body, v any) error {
	b, err := i.Do(ctx, method, path, body)
	if err != nil {
		return Failure(ExitFailed, "the running Sextant answered: %v", err)
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return Failure(ExitFailed, "the answer of the running Sextant could not be read: %v", err)
	}
	return nil
}

// Subscribe returns a WebSocket with the events after seq.
func (i RunningInstance) Subscribe(ctx context.Context, seq int64) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: 10 * time.Second}
	conn, res, err := dialer.DialContext(ctx, "ws"+strings.TrimPrefix(i.URL, "http")+"/ws", nil)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	conn.SetReadLimit(64 << 20)
	if err := conn.WriteJSON(wire.ClientMessage{
		V: wire.Version, Kind: "hello", Token: i.Token,
		After: seq,
	}); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// PrintProgress prints the progress of a call until stop is called. It prints nothing if the events cannot be read; the
// call does not depend on them.
func (i RunningInstance) PrintProgress(
	ctx context.Context, tool string, args json.RawMessage, lines *progress.Lines,
) (stop func()) {
	stream, err := i.Subscribe(ctx, eventlog.FromNow)
	if err != nil {
		return func() {}
	}
	return lines.Follow(stream, tool, args)
}
