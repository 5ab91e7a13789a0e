package sharing

import (
	"encoding/json"
	"strings"

	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// IsStepOf reports whether call is id or a step of it. Steps have the ids id.1, id.2 and so on.
func IsStepOf(call, id string) bool { return call == id || strings.HasPrefix(call, id+".") }

func (p *Provider) progress(id string, sink func(text string)) (stop func()) {
	sub := p.cfg.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.CallOutput, event.ApprovalAsked}},
		eventlog.FromNow)
	p.cfg.Go(func() {
		for e := range sub.C() {
			var data struct {
				event.CallChunk
				Call, Question string
			}
			if json.Unmarshal(e.Data, &data) != nil {
				continue
			}
			switch {
			case e.Kind == event.ApprovalAsked && IsStepOf(data.Call, id):
				sink("waiting for an answer in the Sextant window: " + data.Question)
			case e.Kind == event.CallOutput && IsStepOf(e.Call, id):
				sink(data.Text)
			}
		}
	})
	return sub.Close
}

func (p *Provider) questions(id string, sink func(event.Approval)) (stop func()) {
	sub := p.cfg.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ApprovalAsked}}, eventlog.FromNow)
	p.cfg.Go(func() {
		for e := range sub.C() {
			var q event.Approval
			if json.Unmarshal(e.Data, &q) == nil && q.RootCall == id {
				sink(q)
			}
		}
	})
	return sub.Close
}
