package app

import (
	"crypto/rand"
	"os"
	"strings"

	"sextant/app/config"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/programroutes"
	"sextant/shared/excerpt"
	"sextant/shared/wire"
)

type programs struct{ sys *System }

var _ programroutes.Programs = programs{}

// Programs implements programroutes.Programs.
func (p programs) Programs() wire.Programs {
	out := wire.Programs{
		Command: "sextant", Args: []string{"mcp"}, URL: "http://" + p.sys.Host() + mcpserver.JoinPath,
		Token:   p.sys.Token(),
		Session: strings.ToLower(rand.Text()[:8]), Programs: []wire.MCPClient{},
	}
	if self, err := os.Executable(); err == nil {
		out.Command = self
	}
	// Another program may have a different environment, so pass the folders explicitly.
	if usual, err := config.Load(nil); err != nil || usual.DataDir != p.sys.Config.DataDir ||
		usual.ConfigDir != p.sys.Config.ConfigDir || os.Getenv("SEXTANT_DATA")+os.Getenv("SEXTANT_CONFIG") != "" {
		out.Args = append(out.Args, "--data", p.sys.Config.DataDir, "--config", p.sys.Config.ConfigDir)
	}
	for _, c := range p.sys.mcpClients.Clients() {
		out.Programs = append(out.Programs, wire.MCPClient{
			ID: c.ID, Name: excerpt.EscapeLines(c.Client), Transport: c.Transport, Since: c.ConnectedAt,
			Last:  c.LastRequest,
			Calls: c.Calls,
			Tabs:  p.sys.Browser.TabCount(c.Session), SharesTabs: c.Session == "", Panel: c.Panel,
		})
	}
	return out
}

// Disconnect implements programroutes.Programs.
func (p programs) Disconnect(id string) bool { return p.sys.mcpClients.Disconnect(id) }
