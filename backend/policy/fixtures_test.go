package policy

import (
	"encoding/json"
	"testing"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// pageCall returns a call of a baseline page tool.
func pageCall(tool, args string) Input {
	return Input{
		Call: toolspec.Call{
			ID: "c1", Tool: tool, Args: json.RawMessage(args),
			From: toolspec.Provenance{
				Caller: toolspec.CallerModel, Conversation: "talk", Turn: "t1",
				Interactive: true,
			},
		},
		Definition: toolspec.Definition{Name: tool, Origin: toolspec.OriginBaseline, Group: "environment"},
		Settings:   Settings{Mode: ModeAsk, Folder: "/home/ana/flat"},
		Now:        time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC),
	}
}

// externalCall returns a call of a tool of a panel or an MCP server.
func externalCall(origin toolspec.Origin, tool, owner, args string, hints toolspec.Hints) Input {
	in := pageCall(tool, args)
	in.Definition = toolspec.Definition{Name: tool, Origin: origin, Owner: owner, Group: string(origin), Hints: hints}
	return in
}

func baselineCall(group, tool, args string, hints toolspec.Hints) Input {
	in := pageCall(tool, args)
	in.Definition.Group, in.Definition.Hints = group, hints
	return in
}

func (in Input) hosts(hosts ...string) Input { in.Description.Hosts = hosts; return in }

func (in Input) typedHosts(hosts ...string) Input { in.Call.From.TypedHosts = hosts; return in }

func (in Input) read(sources ...string) Input { in.Call.From.Outside = sources; return in }

func (in Input) mode(m Mode) Input { in.Settings.Mode = m; return in }

func (in Input) alone() Input { in.Call.From.Interactive = false; return in }

func (in Input) caller(c toolspec.Caller) Input { in.Call.From.Caller = c; return in }

func (in Input) about(target, data string) Input {
	in.Description.Target, in.Description.Data = target, data
	return in
}

func (in Input) with(grants ...toolspec.Grant) Input { in.Grants = grants; return in }

// wantVerdict fails the test unless the decision has the verdict.
func wantVerdict(t *testing.T, in Input, want Verdict) Decision {
	t.Helper()
	d := Decide(in)
	if d.Verdict != want {
		t.Fatalf("%s %s: got %s (%s), want %s", in.Call.Tool, in.Call.Args, d.Verdict, d.Reason, want)
	}
	if d.Reason == "" {
		t.Fatalf("%s: a decision without a reason", in.Call.Tool)
	}
	if want == VerdictRefuse && (d.ErrorType == "" || d.Suggestion == "") {
		t.Fatalf("%s: a refusal without error type or suggestion: %+v", in.Call.Tool, d)
	}
	return d
}

func grantFor(t *testing.T, d Decision, answer event.Answer) toolspec.Grant {
	t.Helper()
	g, ok := d.Grants[answer]
	if !ok {
		t.Fatalf("the question offers no %s: %+v", answer, d.Approval.Choices)
	}
	g.ID = "g1"
	return g
}

// hashOf returns the hash that binds an answer to the question about in.
func hashOf(in Input) string {
	return callDigest(in.Call.Tool, canonical(in.Call.Args), in.Settings.Folder, in.Call.From)
}
