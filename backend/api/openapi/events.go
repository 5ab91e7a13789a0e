package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

type streamMessage struct {
	kind string
	data any
}

// eventMessages lists every kind of event with the type of Event.Data; a test compares it with the source.
func eventMessages() []streamMessage {
	kind := func(k event.Kind, data any) streamMessage { return streamMessage{string(k), data} }
	return []streamMessage{
		kind(event.ConversationCreated, chat.Conversation{}),
		kind(event.ConversationUpdated, chat.Conversation{}),
		kind(event.ConversationDeleted, event.Removal{}),
		kind(event.ConversationShared, event.Sharing{}),
		kind(event.MessageAdded, chat.Message{}),
		kind(event.MessageWaiting, event.WaitingMessage{}),
		kind(event.MessageTaken, event.TakenMessage{}),
		kind(event.MessageDropped, event.Removal{}),
		kind(event.BranchStarted, event.Branch{}),
		kind(event.BranchChosen, event.BranchRef{}),
		kind(event.TurnStarted, event.Turn{}),
		kind(event.TextDelta, event.Delta{}),
		kind(event.ReasoningDelta, event.Delta{}),
		kind(event.TurnEnded, event.Turn{}),
		kind(event.TurnNoted, event.Note{}),
		kind(event.RoundEnded, event.Round{}),
		kind(event.BudgetRaised, chat.Bill{}),
		kind(event.CallStarted, event.CallStart{}),
		kind(event.CallOutput, event.CallChunk{}),
		kind(event.CallEnded, event.CallEnd{}),
		kind(event.ApprovalAsked, event.Approval{}),
		kind(event.ApprovalAnswered, event.ApprovalAnswer{}),
		kind(event.PanelOpened, event.PanelRef{}),
		kind(event.PanelClosed, event.PanelRef{}),
		kind(event.PanelsChanged, event.PanelList{}),
		kind(event.CatalogChanged, event.NoData{}),
		kind(event.ActivityBarChanged, event.ActivityBar{}),
		kind(event.SurfaceFocused, event.SurfaceRef{}),
		kind(event.MCPChanged, event.MCPList{}),
		kind(event.MCPNotified, event.MCPNotifications{}),
		kind(event.SettingChanged, event.Setting{}),
		kind(event.BrowserChanged, event.BrowserState{}),
		kind(event.MarksChanged, event.Marks{}),
		kind(event.PointerMoved, event.Pointer{}),
		kind(event.PagePointed, event.PagePoint{}),
		kind(event.PickerOpened, event.Picker{}),
		kind(event.PageCopied, event.NoData{}),
		kind(event.FolderOpened, event.OpenedFolder{}),
		kind(event.DiskChanged, event.Disk{}),
		kind(event.SchedulesChanged, event.ScheduleNotice{}),
		kind(event.BatchesChanged, event.BatchNotice{}),
		kind(event.LinkOpened, event.Link{}),
	}
}

func controlMessages() []streamMessage {
	return []streamMessage{
		{"hello", wire.Hello{}},
		{"error", wire.Problem{}},
		{"surface.ask", wire.SurfaceRequest{}},
		{"surface.cancel", wire.SurfaceCancel{}},
	}
}

// describeEvents makes Event and Envelope unions, so that the kind determines the type of the data.
func describeEvents(schemas huma.Registry) {
	schemas.Schema(reflect.TypeFor[event.Event](), true, "")
	schemas.Schema(reflect.TypeFor[wire.Envelope](), true, "")
	union := func(base *huma.Schema, members []streamMessage) []*huma.Schema {
		var all []*huma.Schema
		for _, m := range members {
			properties := map[string]*huma.Schema{}
			for name, schema := range base.Properties {
				properties[name] = schema
			}
			properties["kind"] = enumSchema([]any{m.kind})
			properties["data"] = schemas.Schema(reflect.TypeOf(m.data), true, "Data")
			all = append(all, &huma.Schema{Type: huma.TypeObject, Properties: properties, Required: base.Required})
		}
		return all
	}
	all := schemas.Map()
	envelopes := append(union(all["Envelope"], controlMessages()), &huma.Schema{Ref: schemaPrefix + "Event"})
	all["Event"] = &huma.Schema{OneOf: union(all["Event"], eventMessages())}
	all["Envelope"] = &huma.Schema{OneOf: envelopes}
}
