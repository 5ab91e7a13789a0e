package app

import (
	"crypto/rand"
	"os"
	"strings"

	"sextant/app/config"
	"sextant/backend/api/mcpserver"
	"sextant/shared/wire"
)

// programs are those connected over MCP, as the person sees them.
type programs struct{ sys *System }

// Programs implements httpapi.Programs.
func (p programs) Programs() wire.Programs {
	out := wire.Programs{
		Command: "sextant", Args: []string{"mcp"}, URL: "http://" + p.sys.Host() + mcpserver.JoinPath,
		Token:   p.sys.Token(),
		Session: strings.ToLower(rand.Text()[:8]), Programs: []wire.Program{},
	}
	if self, err := os.Executable(); err == nil {
		out.Command = self
	}
	// Another program has the environment of its own start, not ours.
	if usual, err := config.Load(nil); err != nil || usual.DataDir != p.sys.Config.DataDir ||
		usual.ConfigDir != p.sys.Config.ConfigDir || os.Getenv("SEXTANT_DATA")+os.Getenv("SEXTANT_CONFIG") != "" {
		out.Args = append(out.Args, "--data", p.sys.Config.DataDir, "--config", p.sys.Config.ConfigDir)
	}
	for _, v := range p.sys.guests.Clients() {
		out.Programs = append(out.Programs, wire.Program{
			ID: v.ID, Name: readable(v.Client), Via: v.Via, Since: v.Since, Last: v.Last, Calls: v.Calls,
			Tabs: p.sys.Browser.Tabs(v.Session), Shares: v.Session == "", Panel: v.Panel,
		})
	}
	return out
}

// Disconnect implements httpapi.Programs.
func (p programs) Disconnect(id string) bool { return p.sys.guests.Disconnect(id) }
