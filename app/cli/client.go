package cli

import (
	"context"
	"fmt"
	"net/url"

	"sextant/app/config"
	"sextant/app/instance"
	"sextant/backend/api/mcpserver"
)

// runningInstance is a running Sextant that a verb joins.
type runningInstance struct{ instance.Client }

func mcpInstance(i instance.Client) (mcpserver.Instance, error) {
	u, err := url.Parse(i.URL)
	if err != nil {
		return mcpserver.Instance{}, fmt.Errorf("reading the instance file: %w", err)
	}
	return mcpserver.Instance{Host: u.Host, Token: i.Token}, nil
}

// findRunning looks for a running Sextant that a verb can join, and tells the person if there is one. separate names an
// option that requires a separate instance, "" for none. ok is false if there is such an option or none is running.
func findRunning(
	ctx context.Context, g *Global, separate string, out Streams,
) (at runningInstance, cfg *config.Config, ok bool, err error) {
	cfg, err = config.Load(g.flags())
	if err != nil {
		return runningInstance{}, nil, false, err
	}
	at.Client, err = instance.Connect(ctx, cfg.DataDir)
	switch {
	case err != nil:
		return runningInstance{}, cfg, false, nil
	case separate != "":
		_, _ = fmt.Fprintf(out.Err,
			"sextant: Sextant is already running (process %d), but %s needs an instance of its own, so "+
				"this one does not join it.\n", at.PID, separate)
		return at, cfg, false, nil
	}
	_, _ = fmt.Fprintf(out.Err, "sextant: joined the running Sextant (process %d).\n", at.PID)
	return at, cfg, true, nil
}

// separateOption returns the first option in use that a running Sextant cannot apply, "" for none.
func (g *Global) separateOption() string {
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

func optionIf(set bool, name string) string {
	if set {
		return name
	}
	return ""
}
