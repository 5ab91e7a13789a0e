package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (in Input) tried(files ...toolspec.FileUse) Input {
	in.Description.Trial = &toolspec.Trial{Files: files, Question: "Change it?", Diff: "-a\n+b\n"}
	return in
}

func TestAsksByWhatATrialShowed(t *testing.T) {
	unread := bashCall("$x", toolspec.CommandUse{}).warned("“$x” decides what runs")
	write := toolspec.FileUse{Path: flat + "/a", Use: toolspec.UseWrite}
	remove := toolspec.FileUse{Path: flat + "/a", Use: toolspec.UseDelete}
	repository := toolspec.FileUse{Path: flat + "/.git", Use: toolspec.UseWrite}
	secret := toolspec.FileUse{Path: flat + "/.env", Use: toolspec.UseWrite, Sensitive: "a place for keys"}
	q, a := VerdictAsk, VerdictAllow
	for name, c := range map[string]struct {
		in                   Input
		ask, workspace, full Verdict
	}{
		"nothing":                  {unread.tried(), a, a, a},
		"a write":                  {unread.tried(write), q, a, a},
		"a deletion":               {unread.tried(write, remove), q, q, a},
		"a sensitive place":        {unread.tried(secret), q, q, q},
		"foreseen, not done":       {unread.uses(toolspec.UseDelete, flat+"/b").tried(), a, a, a},
		"a rule for the tool":      {unread.tried().asking("bash"), q, q, q},
		"a deletion, outside text": {unread.tried(remove).read("https://a.example"), q, q, q},
		"the repository":           {unread.tried(repository), q, q, a},
	} {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[Mode]Verdict{ModeAsk: c.ask, ModeWorkspace: c.workspace, ModeFull: c.full} {
				if got := Decide(c.in.mode(mode)); got.Verdict != want || got.Try {
					t.Errorf("%s: %s, try %v: %s", mode, got.Verdict, got.Try, got.Reason)
				}
			}
		})
	}
	d := wantVerdict(t, unread.tried(write), VerdictAsk)
	if p := d.Approval; p.Question != "Change it?" || p.Diff == "" ||
		!strings.Contains(p.Reason, "on a copy") {
		t.Errorf("%+v", p)
	}
	for _, use := range []toolspec.FileUse{remove, secret} {
		npm := bashCall("npm test", namedUse("npm test")).warned("npm test runs code").tried(use)
		d := wantVerdict(t, npm.mode(ModeAsk), VerdictAsk)
		if _, ok := d.Grants[event.AnswerProgram]; ok {
			t.Errorf("a wide grant is offered for %+v", use)
		}
	}
	sub := unread.tried(write)
	sub.Call.From.Subagent = toolspec.Subagent{Conversation: "c", Title: "Tidy"}
	if q := wantVerdict(t, sub, VerdictAsk).Approval.Question; q != "Change it, for the subagent “Tidy”?" {
		t.Errorf("%q", q)
	}
	// A lasting answer is about the command, so it also answers the question before the next trial.
	before := wantVerdict(t, unread, VerdictAsk)
	if before.Grants[event.AnswerAlways].Digest != d.Grants[event.AnswerAlways].Digest {
		t.Error("a trial changes what a grant covers")
	}
	wantVerdict(t, unread.with(d.Grants[event.AnswerAlways]), VerdictAllow)
}

func TestTriesOnlyWhatATrialSettles(t *testing.T) {
	unread := bashCall("$x", toolspec.CommandUse{}).warned("“$x” decides what runs")
	for name, c := range map[string]struct {
		in  Input
		try bool
	}{
		"an unknown command":      {unread, true},
		"a write":                 {bashCall("touch a", namedUse("touch")).uses(toolspec.UseWrite, flat+"/a"), true},
		"a deletion":              {bashCall("rm a", namedUse("rm")).uses(toolspec.UseDelete, flat+"/a"), true},
		"a deletion outside":      {unread.uses(toolspec.UseDelete, "/srv/a"), false},
		"a write outside":         {unread.uses(toolspec.UseWrite, "/srv/a"), false},
		"a read outside":          {unread.uses(toolspec.UseRead, "/home/ana/tax.pdf"), false},
		"a sensitive place":       {unread.uses(toolspec.UseRead, flat+"/.env").sensitive("keys"), false},
		"the network":             {unread.network(), false},
		"a host":                  {unread.network("a.example"), false},
		"outside of the sandbox":  {unread.unconfined(), false},
		"a rule for the tool":     {unread.asking("bash"), false},
		"steered by outside text": {unread.uses(toolspec.UseDelete, flat+"/a").read("https://a.example"), false},
		"a file tool":             {fileCall("write_file", toolspec.UseWrite, flat+"/a"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if d := wantVerdict(t, c.in, VerdictAsk); d.Try != c.try {
				t.Errorf("try %v: %s", d.Try, d.Approval.Reason)
			}
		})
	}
	if d := Decide(unread.alone()); d.Verdict != VerdictRefuse || !d.Try {
		t.Errorf("nobody to ask: %+v", d)
	}
	wantVerdict(t, unread.alone().tried(), VerdictAllow)
	if d := Decide(unread.mode(ModeReadOnly)); d.Verdict != VerdictRefuse || !d.Try {
		t.Errorf("Read-only: %+v", d)
	}
	wantVerdict(t, unread.mode(ModeReadOnly).tried(), VerdictAllow)
	change := toolspec.FileUse{Path: flat + "/a", Use: toolspec.UseWrite}
	wantVerdict(t, unread.alone().tried(change), VerdictRefuse)
	if d := wantVerdict(t, unread.mode(ModeReadOnly).tried(change), VerdictRefuse); !strings.HasSuffix(d.Reason,
		"this command changed files") {
		t.Errorf("%q", d.Reason)
	}
}
