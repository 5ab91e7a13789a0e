package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/loop"
	"sextant/backend/api/route"
	"sextant/backend/mcp/resources"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// panelPrefix starts the source of text that the page of a panel proposed.
const panelPrefix = "panel:"

// Given is what goes with a message: texts of MCP servers, and the servers and
// panels whose words the message has.
type Given struct {
	Attached []resources.Attachment `json:"attached,omitempty" maxItems:"8" doc:"Texts of MCP servers that a model reads with it, as text from outside."`
	From     []string               `json:"from,omitempty" maxItems:"8" doc:"MCP servers whose words stand in the text, and panels as panel:<id>."`
}

// with adds what goes with a message to ask. Where it is from is said by us: a server has to be known.
func (s *Server) with(ask *loop.Ask, g Given) error {
	list := s.rooms.MCP.List()
	source := func(server string) (string, error) {
		if !slices.ContainsFunc(list, func(one event.MCPServer) bool { return one.Name == server }) {
			return "", route.BadRequest(fmt.Sprintf("There is no MCP server %.64q any more, whose text goes with "+
				"the message. Nothing was sent; take its text out.", server))
		}
		return "mcp:" + server, nil
	}
	for _, a := range g.Attached {
		from, err := source(a.Server)
		if err != nil {
			return err
		}
		ask.Attached = append(ask.Attached, chat.Attached{Source: from, Title: a.Title, Text: a.Text})
	}
	for _, name := range g.From {
		from, err := name, error(nil)
		if id, panel := strings.CutPrefix(name, panelPrefix); !panel || s.knownPanel(id) != nil {
			from, err = source(name)
		}
		if err != nil {
			return err
		}
		ask.From = append(ask.From, from)
	}
	return nil
}
