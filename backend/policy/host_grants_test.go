package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// limited returns in as a command that the sandbox lets contact granted hosts only.
func (in Input) limited() Input {
	in.Description.Network, in.Description.HostsLimited = true, true
	return in
}

// hostCheckCall returns a running command that contacts host.
func hostCheckCall(host string) Input {
	in := bashCall("pip install x").network(host).limited()
	in.Call.Args = []byte(`{"host":` + quoteJSON(host) + `,"command":"pip install x"}`)
	in.Description.Sentence, in.Description.HostCheck = "Let a command reach "+host+": pip install x", true
	return in
}

func TestAsksForEachHostOfCommandWithLimitedNetwork(t *testing.T) {
	run := bashCall("pip install x", namedUse("pip install"))
	// It contacts nothing without a question, so the only question is whether it runs.
	wantVerdict(t, run.limited().mode(ModeWorkspace), VerdictAllow)
	wantVerdict(t, run.network().mode(ModeWorkspace), VerdictAsk)
	for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
		t.Run(string(mode), func(t *testing.T) {
			d := wantVerdict(t, hostCheckCall("pypi.example").mode(mode), VerdictAsk)
			if d.Approval.Question != "Let a command reach pypi.example: pip install x?" {
				t.Errorf("the question is %q", d.Approval.Question)
			}
		})
	}
	wantVerdict(t, hostCheckCall("pypi.example").alone(), VerdictRefuse)
	wantVerdict(t, hostCheckCall("127.0.0.1:8080"), VerdictRefuse)
	wantVerdict(t, hostCheckCall("10.0.0.1"), VerdictRefuse)
	used := hostCheckCall("pypi.example")
	used.UsedHosts = []string{"pypi.example"}
	wantVerdict(t, used, VerdictAllow)
	listed := hostCheckCall("pypi.example").alone()
	listed.Settings.AllowHosts = []string{"pypi.example"}
	wantVerdict(t, listed, VerdictAllow)
}

func TestHostGrantCoversOnlyCommandsAndThatHost(t *testing.T) {
	for _, answer := range []event.Answer{event.AnswerConversation, event.AnswerAlways} {
		t.Run(string(answer), func(t *testing.T) {
			g := grantFor(t, wantVerdict(t, hostCheckCall("pypi.example"), VerdictAsk), answer)
			if !strings.HasPrefix(g.Text, "Commands may reach pypi.example, ") ||
				!strings.HasSuffix(g.Text, "No subdomains.") {
				t.Errorf("the scope is %q", g.Text)
			}
			other := hostCheckCall("pypi.example").with(g)
			other.Call.Args = []byte(`{"host":"pypi.example","command":"another"}`)
			wantVerdict(t, other, VerdictAllow)
			wantVerdict(t, hostCheckCall("x.pypi.example").with(g), VerdictAsk)
			wantVerdict(t, hostCheckCall("pypi.example:22").with(g), VerdictAsk)
			wantVerdict(t, hostCheckCall("pypi.example").read("https://shop.example").with(g), VerdictAsk)
			// The grant lets no program run, and only commands contact the host.
			wantVerdict(t, bashCall("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+
				"/a").limited().with(g), VerdictAsk)
			wantVerdict(t, baselineCall("web", "http_request", `{"url":"https://pypi.example/v1"}`,
				toolspec.Hints{OpenWorld: true}).hosts("pypi.example").with(g), VerdictAsk)
			// A command that names the host needs no other grant for it, unless its network is not limited.
			curl := bashCall("curl https://pypi.example", toolspec.CommandUse{Program: "curl"}).network("pypi.example")
			wantVerdict(t, curl.limited().with(g), VerdictAllow)
			wantVerdict(t, curl.with(g), VerdictAsk)
			if answer == event.AnswerConversation {
				elsewhere := hostCheckCall("pypi.example").with(g)
				elsewhere.Call.From.Conversation = "other"
				wantVerdict(t, elsewhere, VerdictAsk)
			}
		})
	}
}

func TestCommandGrantDoesNotCoverHostItContacts(t *testing.T) {
	run := bashCall("make", namedUse("make")).limited()
	run.Definition.Hints.Confirm = true
	for _, answer := range []event.Answer{event.AnswerAlways, event.AnswerSameProgram} {
		g := grantFor(t, wantVerdict(t, run, VerdictAsk), answer)
		wantVerdict(t, hostCheckCall("pypi.example").with(g), VerdictAsk)
	}
}

func TestHostRuleAppliesToRunningCommands(t *testing.T) {
	g, err := NewRule(toolspec.Grant{Hosts: []string{"pypi.example"}}, hostCheckCall("x").Now)
	if err != nil {
		t.Fatal(err)
	}
	g.ID = "r1"
	allowed := grantFor(t, wantVerdict(t, hostCheckCall("pypi.example"), VerdictAsk), event.AnswerAlways)
	wantVerdict(t, hostCheckCall("pypi.example").with(allowed, g), VerdictRefuse)
}

func TestReadOnlyJudgesCreatedToolByItsCalls(t *testing.T) {
	made := externalCall(toolspec.OriginCreated, "tidy", "", `{}`, toolspec.Hints{}).mode(ModeReadOnly)
	wantVerdict(t, made, VerdictAllow)
	wantVerdict(t, externalCall(toolspec.OriginMCP, "gh__tidy", "gh", `{}`, toolspec.Hints{}).mode(ModeReadOnly),
		VerdictRefuse)
	inner := bashCall("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+
		"/a").mode(ModeReadOnly).caller(toolspec.CallerCreatedTool)
	wantVerdict(t, inner, VerdictRefuse)
	wantVerdict(t, bashCall("grep -rn x .", harmlessUse("grep")).uses(toolspec.UseRead,
		flat).mode(ModeReadOnly).caller(toolspec.CallerCreatedTool), VerdictAllow)
}
