// Package doctor checks this machine for what a System needs, and says what is missing and what to do.
package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/app"
	"sextant/app/desktop"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/backups"
	"sextant/frontend"
)

// Finding is one result of the checks. State is ok, warn or bad. Hint is what to do, "" for nothing.
type Finding struct {
	State string `json:"state"`
	What  string `json:"what"`
	Says  string `json:"says"`
	Hint  string `json:"hint,omitempty"`
}

// Diagnose checks what sys needs: the browser, the sandbox, secrets, models, servers, panels and backups. It starts the
// browser. display is whether the machine has a display for the window.
func Diagnose(ctx context.Context, sys *app.System, display bool) []Finding {
	out := []Finding{
		{State: "ok", What: "program", Says: fmt.Sprintf("sextant %s, %s, %s/%s", app.Version, runtime.Version(),
			runtime.GOOS, runtime.GOARCH)},
		{State: "ok", What: "data", Says: sys.Config.DataDir},
		{State: "ok", What: "config", Says: sys.Config.ConfigDir},
	}
	for _, p := range sys.Config.Problems {
		out = append(out, Finding{State: "bad", What: "config", Says: p, Hint: "Correct " + sys.Config.File()})
	}
	if sys.TemporaryData != "" {
		out = append(out, Finding{State: "warn", What: "data", Says: sys.TemporaryData})
	}
	browser := Finding{State: "ok", What: "browser", Says: "Chromium starts and answers"}
	if err := sys.Browser.Start(ctx); err != nil {
		browser = Finding{State: "bad", What: "browser", Says: err.Error(), Hint: sys.Browser.State().Hint}
	}
	out = append(out, browser, windowFinding(display), sandboxFinding(sys.Confine), secretsFinding(sys.Secrets),
		backupFinding(sys.Backups))
	for _, m := range sys.Models.List(ctx) {
		f := Finding{State: "ok", What: "model", Says: m.Name}
		if m.State != "ready" {
			f = Finding{State: "warn", What: "model", Says: strings.TrimSuffix(m.Label+": "+m.Detail, ": ")}
		}
		out = append(out, f)
	}
	out = append(out, serverFindings(sys)...)
	for _, p := range sys.Panels.Panels() {
		if len(p.Problems) > 0 {
			out = append(out, Finding{State: "warn", What: "panel", Says: p.ID + ": " +
				strings.Join(p.ProblemLines(), "; ")})
		}
	}
	return out
}

func serverFindings(sys *app.System) []Finding {
	var out []Finding
	file := filepath.Join(sys.Config.ConfigDir, mcpconfig.FileName)
	if _, _, err := mcpconfig.ReadEntries(file); err != nil {
		out = append(out, Finding{State: "bad", What: "mcp", Says: err.Error(), Hint: "Correct " + file})
	}
	for _, s := range sys.MCP.List() {
		f := Finding{State: "ok", What: "mcp", Says: s.Name + ": " + english.Plural(len(s.Tools), "tool", "")}
		switch s.State {
		case "down", "degraded":
			f = Finding{State: "bad", What: "mcp", Says: s.Name + ": " + s.Error}
		case "ready":
		default:
			f.Says = s.Name + " is " + s.State
		}
		out = append(out, f)
	}
	return out
}

func windowFinding(display bool) Finding {
	switch {
	case !frontend.Built():
		return Finding{
			State: "bad", What: "window", Says: "the interface was not built into this program",
			Hint: "Run make build",
		}
	case !desktop.Built:
		return Finding{
			State: "warn", What: "window",
			Says: "this build has no window; sextant serve shows the same interface in a browser",
		}
	case !display:
		return Finding{
			State: "warn", What: "window",
			Says: "no display (DISPLAY and WAYLAND_DISPLAY are empty), so Sextant runs as a server",
		}
	}
	return Finding{State: "ok", What: "window", Says: "a display was found"}
}

func sandboxFinding(c *confine.Sandbox) Finding {
	ok, how, why := c.Available()
	if !ok {
		return Finding{
			State: "warn", What: "sandbox",
			Says: "commands run without a sandbox, and Sextant asks before each: " + why,
			Hint: "Install bubblewrap (Linux 5.19 or newer)",
		}
	}
	says := "commands run in " + how
	if !c.HasOverlays() {
		says += "; they cannot be tried on a copy of the folder first, which needs bubblewrap, user namespaces and " +
			"overlay file systems"
	}
	return Finding{State: "ok", What: "sandbox", Says: says}
}

func secretsFinding(v *secrets.Vault) Finding {
	where := v.StorageInfo()
	f := Finding{State: "ok", What: "secrets", Says: "in the desktop's keychain"}
	if where.Storage != "keychain" {
		f.Says = "in " + where.Path + ", which only you can read: " + where.Reason
	}
	for _, one := range v.List() {
		if one.Missing {
			return Finding{
				State: "bad", What: "secrets", Says: "the value of " + one.Name + " cannot be read",
				Hint: "Unlock the keychain, or save the secret again.",
			}
		}
	}
	return f
}

func backupFinding(folder backups.Folder) Finding {
	all, err := folder.List()
	switch {
	case err != nil:
		return Finding{State: "warn", What: "backups", Says: err.Error()}
	case len(all) == 0:
		return Finding{State: "ok", What: "backups", Says: "none yet; one is made each day Sextant runs"}
	}
	return Finding{State: "ok", What: "backups", Says: fmt.Sprintf("%d, the newest of %s", len(all), all[0].Name)}
}
