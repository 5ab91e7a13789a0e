package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (in Input) allow(tools ...string) Input { in.Settings.AllowTools = tools; return in }

func (in Input) asking(tools ...string) Input { in.Settings.AskTools = tools; return in }

func destructiveCall(tool string) Input {
	return externalCall(toolspec.OriginMCP, tool, "files", `{"path":"a"}`, toolspec.Hints{Destructive: true})
}

func TestAllowedToolSkipsQuestionsOnlyForPerson(t *testing.T) {
	in := destructiveCall("wipe")
	wantVerdict(t, in, Question)
	wantVerdict(t, in.allow("other"), Question)
	wantVerdict(t, in.allow("files/wipe"), Allow)
	wantVerdict(t, in.allow("files/wipe").alone(), Allow)
	for _, party := range []toolspec.Caller{toolspec.CallerMCP, toolspec.CallerHTTP, toolspec.CallerCreated} {
		wantVerdict(t, in.allow("files/wipe").caller(party), Question)
	}
}

func TestAllowedToolDoesNotCoverOtherOwner(t *testing.T) {
	sync := func(origin toolspec.Origin, owner string) Input {
		return externalCall(origin, "sync", owner, `{}`, toolspec.Hints{Destructive: true})
	}
	wantVerdict(t, sync(toolspec.OriginPanel, "a").allow("a/sync"), Allow)
	for _, other := range []Input{
		sync(toolspec.OriginPanel, "b"), sync(toolspec.OriginMCP, "a/sync"), sync(toolspec.OriginCreated, ""),
		sync(toolspec.OriginBaseline, ""),
	} {
		wantVerdict(t, other.allow("a/sync"), Question)
		if key := ToolKey(other.Definition); key == "a/sync" {
			t.Errorf("%+v counts as %s", other.Definition, key)
		}
	}
	wantVerdict(t, sync(toolspec.OriginPanel, "b").allow("sync"), Question)
	wantVerdict(t, sync(toolspec.OriginCreated, "").allow("sync"), Question)
	wantVerdict(t, sync(toolspec.OriginMCP, "my server").allow("my%20server/sync"), Allow)
}

func TestAllowedToolAsksWhatEveryModeAsks(t *testing.T) {
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").read("https://evil.example"), Question)
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").mode(ReadOnly), Refuse)
	never, err := NewRule(toolspec.Grant{Tool: "wipe"}, destructiveCall("wipe").Now)
	if err != nil {
		t.Fatal(err)
	}
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").with(never), Refuse)
	loose := baselineCall("shell", "bash", `{"command":"x"}`, toolspec.Hints{}).allow("bash")
	loose.Description = toolspec.Description{
		RunsProgram: true, Commands: []toolspec.CommandUse{{Program: "x"}},
		Unconfined: "there is no sandbox here",
	}
	wantVerdict(t, loose, Question)
	secret := baselineCall("files", "write_file", `{"path":"a"}`, toolspec.Hints{}).allow("write_file")
	secret.Description.Files = []toolspec.FileUse{{
		Path: "/home/ana/.bashrc", Use: toolspec.UseWrite,
		Sensitive: "a start-up file",
	}}
	wantVerdict(t, secret, Question)
}

func TestAskingToolAsksInEveryModeAndStoresNoGrant(t *testing.T) {
	read := baselineCall("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true})
	for _, mode := range []Mode{Ask, Workspace, Full} {
		d := wantVerdict(t, read.asking("read_file").mode(mode), Question)
		if len(d.Grants) > 0 || !strings.Contains(d.Approval.Why, "every call of read_file") {
			t.Errorf("%s: %+v", mode, d.Approval)
		}
	}
	// Neither an earlier grant nor AllowTools answers.
	before := grantFor(t, Decide(destructiveCall("wipe")), event.AnswerAlways)
	wantVerdict(t, destructiveCall("wipe").with(before), Allow)
	wantVerdict(t, destructiveCall("wipe").with(before).asking("wipe"), Question)
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").asking("wipe"), Question)
	wantVerdict(t, read.asking("read_file").alone(), Refuse)
	// --yes-to all does not cover this tool.
	beforehand := read.asking("read_file")
	for _, yes := range []string{"read", "all"} {
		beforehand.Call.From.YesTo = yes
		wantVerdict(t, beforehand, Question)
		if d := wantVerdict(t, beforehand.alone(), Refuse); strings.Contains(d.Suggestion, "--yes-to") {
			t.Errorf("the suggestion does not help: %s", d.Suggestion)
		}
	}
	// A call by the person in the window does not ask.
	wantVerdict(t, read.asking("read_file").caller(toolspec.CallerPerson), Allow)
}

func TestResolvePermissionNamesDecidingRule(t *testing.T) {
	def := func(in Input) toolspec.Definition { return in.Definition }
	reads := def(externalCall(toolspec.OriginPanel, "note_list", "notes", `{}`, toolspec.Hints{ReadOnly: true}))
	wipes := def(destructiveCall("wipe"))
	bash := def(baselineCall("shell", "bash", `{}`, toolspec.Hints{}))
	never, err := NewRule(toolspec.Grant{Tool: "wipe"}, destructiveCall("wipe").Now)
	if err != nil {
		t.Fatal(err)
	}
	never.ID = "r1"
	for name, c := range map[string]struct {
		def        toolspec.Definition
		settings   Settings
		grants     []toolspec.Grant
		permission Permission
		verdict    Verdict
		rule       string
	}{
		"reads":    {def: reads, verdict: Allow, rule: "It only reads."},
		"destroys": {def: wipes, verdict: Question, rule: "wipe can delete or overwrite."},
		"full":     {def: wipes, settings: Settings{Mode: Full}, verdict: Allow, rule: "The mode is Full."},
		"read-only": {
			def: wipes, settings: Settings{Mode: ReadOnly}, verdict: Refuse,
			rule: "The mode is Read-only, and wipe can change something.",
		},
		"allowed": {
			def: wipes, settings: Settings{AllowTools: []string{"files/wipe"}}, permission: PermissionAllow,
			verdict: Allow, rule: "You allowed this tool.",
		},
		"asking": {
			def: reads, settings: Settings{AskTools: []string{"note_list"}}, permission: PermissionAsk,
			verdict: Question, rule: "You want to be asked about every call.",
		},
		"never": {
			def: wipes, settings: Settings{AllowTools: []string{"files/wipe"}},
			grants: []toolspec.Grant{never}, permission: PermissionNever, verdict: Refuse,
			rule: "A rule forbids it: wipe, never.",
		},
		"off": {
			def: wipes, settings: Settings{DisabledTools: []string{"wipe"}}, verdict: Refuse,
			rule: "The tool wipe is switched off.",
		},
		"arguments": {def: bash, verdict: Depends, rule: "A command that only reads runs in the sandbox."},
	} {
		s := ResolvePermission(c.def, c.settings, c.grants, false)
		if s.Permission != c.permission || s.Verdict != c.verdict || !strings.HasPrefix(s.Rule, c.rule) {
			t.Errorf("%s: %+v", name, s)
		}
		if (len(s.Forbids) > 0) != (c.permission == PermissionNever) {
			t.Errorf("%s: forbidden by %v", name, s.Forbids)
		}
	}
}
