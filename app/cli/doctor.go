package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"sextant/app"
	"sextant/app/config"
	"sextant/app/desktop"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/sqlite"
	"sextant/frontend"
)

type doctorVerb struct {
	JSON  bool `help:"Print JSON."`
	Fresh bool `help:"If the database is damaged, rename its file and start with an empty one."`
}

// finding is one result of the checks. State is ok, warn or bad.
type finding struct {
	State string `json:"state"`
	What  string `json:"what"`
	Says  string `json:"says"`
	Hint  string `json:"hint,omitempty"`
}

// Run opens a System, starts the browser and prints the findings. The exit code is 1 if a finding is bad.
func (v *doctorVerb) Run(ctx context.Context, streams Streams, g *Global) error {
	if v.Fresh {
		if err := startFresh(ctx, streams, g); err != nil {
			return err
		}
	}
	sys, err := openForVerb(ctx, g.flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true},
		Streams{In: streams.In, Out: streams.Out, Err: io.Discard})
	if err != nil {
		return err
	}
	defer sys.Close()
	findings := diagnose(ctx, sys)
	if v.JSON {
		if err := printJSON(streams, findings); err != nil {
			return err
		}
	}
	bad := 0
	for _, f := range findings {
		if f.State == "bad" {
			bad++
		}
		if v.JSON {
			continue
		}
		_, _ = fmt.Fprintf(streams.Out, "%-5s %-10s %s\n", f.State, f.What, f.Says)
		if f.Hint != "" {
			_, _ = fmt.Fprintf(streams.Out, "%17s%s\n", "", f.Hint)
		}
	}
	if bad > 0 {
		return failure(exitFailed, "%d of %d checks failed", bad, len(findings))
	}
	return nil
}

// startFresh renames a damaged database and creates an empty one. It does not change a database that can be opened.
func startFresh(ctx context.Context, io Streams, g *Global) error {
	config, err := config.Load(g.flags())
	if err != nil {
		return err
	}
	path := filepath.Join(config.DataDir, app.DatabaseName)
	s, err := sqlite.Open(ctx, path, slog.New(slog.DiscardHandler))
	if errors.Is(err, sqlite.ErrDamaged) {
		var kept string
		if s, kept, err = sqlite.OpenFresh(ctx, path, slog.New(slog.DiscardHandler)); err == nil {
			_, _ = fmt.Fprintf(io.Err, "sextant: started with an empty database; the damaged one is kept as %s\n", kept)
		}
	}
	if err != nil {
		return explain(err)
	}
	return s.Close()
}

func diagnose(ctx context.Context, sys *app.System) []finding {
	out := []finding{
		{State: "ok", What: "program", Says: fmt.Sprintf("sextant %s, %s, %s/%s", app.Version, runtime.Version(),
			runtime.GOOS, runtime.GOARCH)},
		{State: "ok", What: "data", Says: sys.Config.DataDir},
		{State: "ok", What: "config", Says: sys.Config.ConfigDir},
	}
	for _, p := range sys.Config.Problems {
		out = append(out, finding{State: "bad", What: "config", Says: p, Hint: "Correct " + sys.Config.File()})
	}
	if sys.TemporaryData != "" {
		out = append(out, finding{State: "warn", What: "data", Says: sys.TemporaryData})
	}
	browser := finding{State: "ok", What: "browser", Says: "Chromium starts and answers"}
	if err := sys.Browser.Start(ctx); err != nil {
		browser = finding{State: "bad", What: "browser", Says: err.Error(), Hint: sys.Browser.State().Hint}
	}
	out = append(out, browser, windowFinding(), sandboxFinding(sys.Confine), secretsFinding(sys.Secrets))
	for _, m := range sys.Models.List(ctx) {
		f := finding{State: "ok", What: "model", Says: m.Name}
		if m.State != "ready" {
			f = finding{State: "warn", What: "model", Says: strings.TrimSuffix(m.Label+": "+m.Detail, ": ")}
		}
		out = append(out, f)
	}
	for _, s := range sys.MCP.List() {
		f := finding{State: "ok", What: "mcp", Says: fmt.Sprintf("%s: %d tools", s.Name, len(s.Tools))}
		if s.State == "down" || s.State == "degraded" {
			f = finding{State: "bad", What: "mcp", Says: s.Name + ": " + s.Error}
		}
		out = append(out, f)
	}
	for _, p := range sys.Panels.Panels() {
		if len(p.Problems) > 0 {
			out = append(out, finding{State: "warn", What: "panel", Says: p.ID + ": " +
				strings.Join(p.ProblemLines(), "; ")})
		}
	}
	return out
}

func windowFinding() finding {
	switch {
	case !frontend.Built():
		return finding{
			State: "bad", What: "window", Says: "the interface was not built into this program",
			Hint: "Run make build",
		}
	case !desktop.Built:
		return finding{
			State: "warn", What: "window",
			Says: "this build has no window; sextant serve shows the same interface in a browser",
		}
	case !hasDisplay():
		return finding{
			State: "warn", What: "window",
			Says: "no display (DISPLAY and WAYLAND_DISPLAY are empty), so Sextant runs as a server", Hint: "pid " +
				fmt.Sprint(os.Getpid()),
		}
	}
	return finding{State: "ok", What: "window", Says: "a display was found"}
}

func sandboxFinding(c *confine.Sandbox) finding {
	ok, how, why := c.Available()
	if !ok {
		return finding{
			State: "warn", What: "sandbox",
			Says: "commands run without a sandbox, and Sextant asks before each: " + why,
			Hint: "Install bubblewrap (Linux 5.19 or newer)",
		}
	}
	return finding{State: "ok", What: "sandbox", Says: "commands run in " + how}
}

func secretsFinding(v *secrets.Vault) finding {
	where := v.StorageInfo()
	f := finding{State: "ok", What: "secrets", Says: "in the desktop's keychain"}
	if where.Storage != "keychain" {
		f.Says = "in " + where.Path + ", which only you can read: " + where.Reason
	}
	for _, one := range v.List() {
		if one.Missing {
			return finding{
				State: "bad", What: "secrets", Says: "the value of " + one.Name + " cannot be read",
				Hint: "Unlock the keychain, or save the secret again.",
			}
		}
	}
	return f
}
