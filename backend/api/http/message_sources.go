package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/loop"
	"sextant/backend/api/route"
	"sextant/backend/mcp/resources"
	"sextant/backend/policy"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// MessageSources lists texts of MCP servers and files to send with a message, and the servers and panels that it
// quotes.
type MessageSources struct {
	Attachments []resources.ServerAttachment `json:"attached,omitempty" maxItems:"8" doc:"Texts of MCP servers to send with it, marked as text from outside."`
	Files       []AttachedFile               `json:"files,omitempty" maxItems:"8" doc:"Files that POST /api/attachments stored."`
	From        []string                     `json:"from,omitempty" maxItems:"8" doc:"MCP servers that the text quotes, and panels as panel:<id>."`
}

func (s *Server) addSources(ctx context.Context, ask *loop.TurnRequest, sources MessageSources) error {
	list := s.services.MCP.List()
	source := func(server string) (string, error) {
		if !slices.ContainsFunc(list, func(known event.MCPServer) bool { return known.Name == server }) {
			return "", route.BadRequest(fmt.Sprintf("The message has text of the MCP server %.64q, which no longer "+
				"exists. Nothing was sent. Remove the text.", server))
		}
		return policy.AppSource(server), nil
	}
	for _, a := range sources.Attachments {
		from, err := source(a.Server)
		if err != nil {
			return err
		}
		ask.Attachments = append(ask.Attachments, chat.Attachment{Source: from, Title: a.Title, Text: a.Text})
	}
	for _, name := range sources.From {
		from, err := name, error(nil)
		if id, panel := strings.CutPrefix(name, policy.PanelSource("")); !panel || s.checkPanel(id) != nil {
			from, err = source(name)
		}
		if err != nil {
			return err
		}
		ask.Sources = append(ask.Sources, from)
	}
	for _, f := range sources.Files {
		a, err := s.services.Attachments.Attach(ctx, f.Blob, f.Name, f.Source)
		if err != nil {
			return attachmentProblem(err)
		}
		ask.Attachments = append(ask.Attachments, a)
	}
	return nil
}
