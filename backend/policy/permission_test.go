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
	wantVerdict(t, in, VerdictAsk)
	wantVerdict(t, in.allow("other"), VerdictAsk)
	wantVerdict(t, in.allow("files/wipe"), VerdictAllow)
	wantVerdict(t, in.allow("files/wipe").alone(), VerdictAllow)
	for _, party := range []toolspec.Caller{toolspec.CallerMCP, toolspec.CallerHTTP, toolspec.CallerCreatedTool} {
		wantVerdict(t, in.allow("files/wipe").caller(party), VerdictAsk)
	}
}

func TestAllowedToolDoesNotCoverOtherOwner(t *testing.T) {
	sync := func(origin toolspec.Origin, owner string) Input {
		return externalCall(origin, "sync", owner, `{}`, toolspec.Hints{Destructive: true})
	}
	wantVerdict(t, sync(toolspec.OriginPanel, "a").allow("a/sync"), VerdictAllow)
	for _, other := range []Input{
		sync(toolspec.OriginPanel, "b"), sync(toolspec.OriginMCP, "a/sync"), sync(toolspec.OriginCreated, ""),
		sync(toolspec.OriginBaseline, ""),
	} {
		t.Run(ToolKey(other.Definition), func(t *testing.T) {
			wantVerdict(t, other.allow("a/sync"), VerdictAsk)
			if key := ToolKey(other.Definition); key == "a/sync" {
				t.Errorf("it counts as %s", key)
			}
		})
	}
	wantVerdict(t, sync(toolspec.OriginPanel, "b").allow("sync"), VerdictAsk)
	wantVerdict(t, sync(toolspec.OriginCreated, "").allow("sync"), VerdictAsk)
	wantVerdict(t, sync(toolspec.OriginMCP, "my server").allow("my%20server/sync"), VerdictAllow)
}

func TestAllowedToolAsksWhatEveryModeAsks(t *testing.T) {
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").read("https://evil.example"), VerdictAsk)
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").mode(ModeReadOnly), VerdictRefuse)
	never, err := NewRule(toolspec.Grant{Tool: "wipe"}, destructiveCall("wipe").Now)
	if err != nil {
		t.Fatal(err)
	}
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").with(never), VerdictRefuse)
	loose := baselineCall("shell", "bash", `{"command":"x"}`, toolspec.Hints{}).allow("bash")
	loose.Description = toolspec.Description{
		RunsProgram: true, Commands: []toolspec.CommandUse{{Program: "x"}},
		Unconfined: "there is no sandbox here",
	}
	wantVerdict(t, loose, VerdictAsk)
	secret := baselineCall("files", "write_file", `{"path":"a"}`, toolspec.Hints{}).allow("write_file")
	secret.Description.Files = []toolspec.FileUse{{
		Path: "/home/ana/.bashrc", Use: toolspec.UseWrite,
		Sensitive: "a start-up file",
	}}
	wantVerdict(t, secret, VerdictAsk)
}

func TestAskingToolAsksInEveryModeAndStoresNoGrant(t *testing.T) {
	read := baselineCall("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true})
	for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
		t.Run(string(mode), func(t *testing.T) {
			d := wantVerdict(t, read.asking("read_file").mode(mode), VerdictAsk)
			if len(d.Grants) > 0 || !strings.Contains(d.Approval.Reason, "ask every time") {
				t.Errorf("why %q, grants %v", d.Approval.Reason, d.Grants)
			}
		})
	}
	// Neither an earlier grant nor AllowTools answers.
	before := grantFor(t, Decide(destructiveCall("wipe")), event.AnswerAlways)
	wantVerdict(t, destructiveCall("wipe").with(before), VerdictAllow)
	wantVerdict(t, destructiveCall("wipe").with(before).asking("wipe"), VerdictAsk)
	wantVerdict(t, destructiveCall("wipe").allow("files/wipe").asking("wipe"), VerdictAsk)
	wantVerdict(t, read.asking("read_file").alone(), VerdictRefuse)
	// --yes-to all does not cover this tool.
	beforehand := read.asking("read_file")
	for _, yes := range []string{"read", "all"} {
		beforehand.Call.From.YesTo = yes
		wantVerdict(t, beforehand, VerdictAsk)
		if d := wantVerdict(t, beforehand.alone(), VerdictRefuse); strings.Contains(d.Suggestion, "--yes-to") {
			t.Errorf("the suggestion does not help: %s", d.Suggestion)
		}
	}
	// A call by the person in the window does not ask.
	wantVerdict(t, read.asking("read_file").caller(toolspec.CallerPerson), VerdictAllow)
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
		"reads":    {def: reads, verdict: VerdictAllow, rule: "It only reads."},
		"destroys": {def: wipes, verdict: VerdictAsk, rule: "files marks it as able to delete or overwrite something."},
		"full":     {def: wipes, settings: Settings{Mode: ModeFull}, verdict: VerdictAllow, rule: "The mode is Full."},
		"read-only": {
			def: wipes, settings: Settings{Mode: ModeReadOnly}, verdict: VerdictRefuse,
			rule: "The mode is Read-only, and wipe can change something.",
		},
		"allowed": {
			def: wipes, settings: Settings{AllowTools: []string{"files/wipe"}}, permission: PermissionAllow,
			verdict: VerdictAllow, rule: "You allowed this tool.",
		},
		"asking": {
			def: reads, settings: Settings{AskTools: []string{"note_list"}}, permission: PermissionAsk,
			verdict: VerdictAsk, rule: "You want to be asked about every call.",
		},
		"never": {
			def: wipes, settings: Settings{AllowTools: []string{"files/wipe"}},
			grants: []toolspec.Grant{never}, permission: PermissionNever, verdict: VerdictRefuse,
			rule: "A rule forbids it: wipe, never.",
		},
		"off": {
			def: wipes, settings: Settings{DisabledTools: []string{"wipe"}}, verdict: VerdictRefuse,
			rule: "The tool wipe is switched off.",
		},
		"arguments": {def: bash, verdict: VerdictDepends, rule: "A command that only reads runs in the sandbox."},
	} {
		t.Run(name, func(t *testing.T) {
			s := ResolvePermission(c.def, c.settings, c.grants, false)
			if s.Permission != c.permission || s.Verdict != c.verdict || !strings.HasPrefix(s.Rule, c.rule) {
				t.Errorf("got %s, %s, %q; want %s, %s, %q", s.Permission, s.Verdict, s.Rule, c.permission, c.verdict,
					c.rule)
			}
			if (len(s.ForbiddingRules) > 0) != (c.permission == PermissionNever) {
				t.Errorf("forbidden by %v", s.ForbiddingRules)
			}
		})
	}
}
