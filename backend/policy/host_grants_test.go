package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// limited is a command whose network the sandbox keeps to hosts that were granted.
func (in Input) limited() Input {
	in.Description.Network, in.Description.HostsLimited = true, true
	return in
}

// comes is a command that runs and has come to host.
func comes(host string) Input {
	in := bash("pip install x").network(host).limited()
	in.Call.Args = []byte(`{"host":` + quoted(host) + `,"command":"pip install x"}`)
	in.Description.Present, in.Description.HostCheck = "Let a command reach "+host+": pip install x", true
	return in
}

func TestACommandWhoseNetworkIsLimitedAsksByHost(t *testing.T) {
	run := bash("pip install x", named("pip install"))
	// Nothing is reached unasked, so that it may run is all there is to ask.
	comesTo(t, run.limited().mode(Workspace), Allow)
	comesTo(t, run.network().mode(Workspace), Question)
	for _, mode := range []Mode{Ask, Workspace, Full} {
		d := comesTo(t, comes("pypi.example").mode(mode), Question)
		if d.Approval.Question != "Let a command reach pypi.example: pip install x?" {
			t.Errorf("the question is %q", d.Approval.Question)
		}
	}
	comesTo(t, comes("pypi.example").alone(), Refuse)
	comesTo(t, comes("127.0.0.1:8080"), Refuse)
	comesTo(t, comes("10.0.0.1"), Refuse)
	used := comes("pypi.example")
	used.UsedHosts = []string{"pypi.example"}
	comesTo(t, used, Allow)
	listed := comes("pypi.example").alone()
	listed.Settings.AllowHosts = []string{"pypi.example"}
	comesTo(t, listed, Allow)
}

func TestAWordForAHostIsForCommandsAndThatHostAlone(t *testing.T) {
	for _, answer := range []event.Answer{event.AnswerConversation, event.AnswerAlways} {
		g := kept(t, comesTo(t, comes("pypi.example"), Question), answer)
		if !strings.HasPrefix(g.Text, "Commands may reach pypi.example, ") ||
			!strings.HasSuffix(g.Text, "No subdomains.") {
			t.Errorf("the scope is %q", g.Text)
		}
		other := comes("pypi.example").with(g)
		other.Call.Args = []byte(`{"host":"pypi.example","command":"another"}`)
		comesTo(t, other, Allow)
		comesTo(t, comes("x.pypi.example").with(g), Question)
		comesTo(t, comes("pypi.example:22").with(g), Question)
		comesTo(t, comes("pypi.example").read("https://shop.example").with(g), Question)
		// It lets nothing run, and nothing but commands go there.
		comesTo(t, bash("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+
			"/a").limited().with(g), Question)
		comesTo(t, ours("web", "http_request", `{"url":"https://pypi.example/v1"}`,
			toolspec.Hints{OpenWorld: true}).hosts("pypi.example").with(g), Question)
		// A command that names the host needs no other word for it, unless its network is not limited.
		curl := bash("curl https://pypi.example", toolspec.CommandUse{Program: "curl"}).network("pypi.example")
		comesTo(t, curl.limited().with(g), Allow)
		comesTo(t, curl.with(g), Question)
		if answer == event.AnswerConversation {
			elsewhere := comes("pypi.example").with(g)
			elsewhere.Call.From.Conversation = "other"
			comesTo(t, elsewhere, Question)
		}
	}
}

func TestAWordForACommandIsNoneForAHostThatItComesTo(t *testing.T) {
	run := bash("make", named("make")).limited()
	run.Definition.Hints.Confirm = true
	for _, answer := range []event.Answer{event.AnswerAlways, event.AnswerLike} {
		g := kept(t, comesTo(t, run, Question), answer)
		comesTo(t, comes("pypi.example").with(g), Question)
	}
}

func TestARuleAboutAHostHoldsForCommandsThatRun(t *testing.T) {
	g, err := NewRule(toolspec.Grant{Hosts: []string{"pypi.example"}}, comes("x").Now)
	if err != nil {
		t.Fatal(err)
	}
	g.ID = "r1"
	allowed := kept(t, comesTo(t, comes("pypi.example"), Question), event.AnswerAlways)
	comesTo(t, comes("pypi.example").with(allowed, g), Refuse)
}

func TestInReadOnlyModeACreatedToolIsJudgedByWhatItCalls(t *testing.T) {
	made := foreign(toolspec.OriginCreated, "tidy", "", `{}`, toolspec.Hints{}).mode(ReadOnly)
	comesTo(t, made, Allow)
	comesTo(t, foreign(toolspec.OriginMCP, "gh__tidy", "gh", `{}`, toolspec.Hints{}).mode(ReadOnly), Refuse)
	inner := bash("rm a", toolspec.CommandUse{Program: "rm"}).uses(toolspec.UseDelete, flat+
		"/a").mode(ReadOnly).caller(toolspec.CallerCreated)
	comesTo(t, inner, Refuse)
	comesTo(t, bash("grep -rn x .", looks("grep")).uses(toolspec.UseRead,
		flat).mode(ReadOnly).caller(toolspec.CallerCreated), Allow)
}
