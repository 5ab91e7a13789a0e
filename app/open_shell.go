package app

import (
	"os"
	"path/filepath"

	"sextant/backend/guard/confine"
	"sextant/backend/tools/shell"
)

// openShell opens the tools that run commands: floor 4, on the sandbox of floor 2.
func (s *System) openShell() {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no place is known as the person's
	}
	s.Confine = confine.New(confine.Config{
		Home: home, Secret: []string{s.Config.DataDir, s.Config.ConfigDir},
		Ports: func() []uint16 { return append(s.Guard.OwnPorts(), s.mcpGuard.OwnPorts()...) },
	})
	s.Shell = shell.New(shell.Config{
		Folder: s.Workspace, Home: home, Places: s.Places, Confine: s.Confine, Cache: filepath.Join(s.Config.DataDir, "commands"),
		Long: s.Results.Draft, Log: s.Log,
	})
}

// sandboxFinding says whether commands run confined here.
func sandboxFinding(c *confine.Confine) finding {
	ok, how, why := c.Available()
	if !ok {
		return finding{
			State: "warn", What: "sandbox", Says: "commands run without one, and each is asked for: " + why,
			Hint: "Install bubblewrap (Linux 5.19 or newer)",
		}
	}
	return finding{State: "ok", What: "sandbox", Says: "commands run behind " + how}
}
