package policy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func quoteJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestHostGrantDoesNotCoverSubdomain(t *testing.T) {
	in := baselineCall("web", "http_request", `{"url":"https://api.example/v1"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.example")
	g := grantFor(t, wantVerdict(t, in, VerdictAsk), event.AnswerAlways)
	if d := wantVerdict(t, in.with(g), VerdictAllow); d.GrantID != "g1" || !strings.Contains(d.Reason, g.Text) {
		t.Fatalf("%+v", d)
	}
	wantVerdict(t, baselineCall("web", "http_request", `{"url":"https://api.example/other"}`,
		toolspec.Hints{OpenWorld: true}).with(g), VerdictAllow)
	wantVerdict(t, baselineCall("web", "http_request", `{"url":"https://x.api.example/"}`,
		toolspec.Hints{OpenWorld: true}).with(g), VerdictAsk)
	wantVerdict(t, in.hosts("api.example", "evil.example").with(g), VerdictAsk)
	wantVerdict(t, in.read("https://shop.example").with(g), VerdictAsk)
	if !strings.HasPrefix(g.Text, "Every request to api.example, ") || !strings.Contains(g.Text, "No subdomains.") {
		t.Fatalf("scope text %q", g.Text)
	}
}

func TestGrantDoesNotCoverOtherParty(t *testing.T) {
	in := externalCall(toolspec.OriginMCP, "gh__comment", "gh", `{"n":1}`, toolspec.Hints{Confirm: true})
	g := grantFor(t, wantVerdict(t, in, VerdictAsk), event.AnswerAlways)
	wantVerdict(t, in.caller(toolspec.CallerRun).with(g), VerdictAllow)
	wantVerdict(t, in.caller(toolspec.CallerMCP).with(g), VerdictAsk)
	wantVerdict(t, in.ofPanel("gh__comment").with(g), VerdictAsk)
}

func TestGrantForNewProgramCoversOnlyItsCommand(t *testing.T) {
	in := externalCall(toolspec.OriginPanel, "count", "words", `{}`, toolspec.Hints{Confirm: true})
	in.Description.NewProgram = "the Words panel's program"
	g := grantFor(t, wantVerdict(t, in.about("python3 server.py", ""), VerdictAsk), event.AnswerAlways)
	wantVerdict(t, in.about("python3 server.py", "").with(g), VerdictAllow)
	wantVerdict(t, in.about("python3 other.py", "").with(g), VerdictAsk)
}

func TestGrantForDataCoversOnlyThatData(t *testing.T) {
	made := func(body string) Input {
		return baselineCall("created", "create_tool", `{"name":"x1","body":`+quoteJSON(body)+`}`,
			toolspec.Hints{Confirm: true}).about("the tool x1", body)
	}
	for _, answer := range []event.Answer{event.AnswerAlways, event.AnswerConversation} {
		g := grantFor(t, wantVerdict(t, made("return 1"), VerdictAsk), answer)
		wantVerdict(t, made("return 1").with(g), VerdictAllow)
		wantVerdict(t, made("await tools.bash({command: 'rm -rf src'})").with(g), VerdictAsk)
	}
}

func TestGrantDoesNotLiftRefusal(t *testing.T) {
	all := toolspec.Grant{ID: "g", Scope: toolspec.GrantAlways, Tool: "navigate_page", Hosts: []string{"127.0.0.1"}}
	wantVerdict(t, pageCall("navigate_page", `{"url":"http://127.0.0.1/"}`).with(all), VerdictRefuse)
	click := toolspec.Grant{ID: "g", Scope: toolspec.GrantAlways, Tool: "click_element"}
	wantVerdict(t, pageCall("click_element", `{"annotationId":1}`).mode(ModeReadOnly).with(click), VerdictRefuse)
}

// drawInput draws any call, from small alphabets so that collisions happen.
func drawInput(t *rapid.T) Input {
	one := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	some := func(label string, of ...string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, 2, rapid.ID[string]).Draw(t, label)
	}
	origin := toolspec.Origin(one("origin", "baseline", "panel", "mcp", "created"))
	in := externalCall(
		origin,
		one("tool", "a", "b"),
		"",
		fmt.Sprintf(`{"n":%s}`, one("args", "1", "2")),
		toolspec.Hints{
			ReadOnly: rapid.Bool().Draw(t, "ro"), Destructive: rapid.Bool().Draw(t, "destructive"),
			OpenWorld: rapid.Bool().Draw(t, "open"), Confirm: rapid.Bool().Draw(t, "confirm"),
		},
	)
	in.Definition.Owner = one("owner", "", "x", "y")
	in.Definition.Group = one("group", "environment", "files", "web", "feedback")
	in.Description.Hosts = some("hosts", "a.example", "b.example", "127.0.0.1")
	in.Description.Target = one("target", "", "t", "u")
	in.Description.Data = one("data", "", "d")
	in.Description.CopiedFrom = some("copied", "file")
	in.Call.From.Caller = toolspec.Caller(one("caller", "model", "person", "mcp", "panel", "run"))
	in.Call.From.Client = one("client", "", "editor")
	in.Call.From.Conversation = one("conversation", "", "talk", "other")
	in.Call.From.Outside = some("outside", "https://a.example", "file:x")
	in.Call.From.Interactive = rapid.Bool().Draw(t, "interactive")
	in.Settings.Mode = Mode(one("mode", "read-only", "ask", "workspace", "full"))
	in.Settings.Folder = one("folder", "/f", "/g")
	return in
}

func TestStoredGrantCoversSameCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		d := Decide(in)
		if d.Verdict != VerdictAsk {
			return
		}
		for answer, g := range d.Grants {
			g.ID = string(answer)
			again := in
			again.Grants = []toolspec.Grant{g}
			again.Call.ID, again.Call.From.Turn = "c2", "t2"
			if got := Decide(again); got.Verdict != VerdictAllow || got.GrantID != string(answer) {
				t.Fatalf("granted %q, got %s: %s", g.Text, got.Verdict, got.Reason)
			}
		}
	})
}

func TestStoredGrantCoversNothingOutsideItsScope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, other := drawInput(t), drawInput(t)
		d := Decide(in)
		without := Decide(other)
		for answer, g := range d.Grants {
			g.ID = "g"
			withIt := other
			withIt.Grants = []toolspec.Grant{g}
			got := Decide(withIt)
			if got.Verdict == without.Verdict {
				continue
			}
			if got.Verdict != VerdictAllow || got.GrantID != "g" {
				t.Fatalf("a grant changed %s to %s", without.Verdict, got.Verdict)
			}
			outOfScope(t, in, other, answer)
		}
	})
}

// outOfScope fails when a grant for asked must not cover covered.
func outOfScope(t *rapid.T, asked, covered Input, answer event.Answer) {
	a, b := newFacts(asked), newFacts(covered)
	switch {
	case asked.Call.Tool != covered.Call.Tool, asked.Definition.Owner != covered.Definition.Owner:
		t.Fatalf("it covers another tool")
	case a.party != b.party:
		t.Fatalf("it covers another party")
	case answer == event.AnswerConversation && asked.Call.From.Conversation != covered.Call.From.Conversation:
		t.Fatalf("it covers another conversation")
	case !isSubset(b.hosts, a.hosts), len(b.hosts) == 0 && len(a.hosts) > 0:
		t.Fatalf("it covers hosts %v, granted were %v", b.hosts, a.hosts)
	case !isSubset(b.outside, a.outside):
		t.Fatalf("it covers outside text %v, granted were %v", b.outside, a.outside)
	}
	for _, d := range b.reasons() {
		if d.exact && (string(a.args) != string(b.args) || asked.Settings.Folder != covered.Settings.Folder) {
			t.Fatalf("it covers other arguments where the question is about the arguments: %s", d.text)
		}
	}
	if len(a.hosts) == 0 && a.in.Description.Target != "" && a.in.Description.Target != b.in.Description.Target {
		t.Fatalf("it covers another target")
	}
}

func TestGrantsNeverChangeRefusal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		in.Call.From.Interactive = true
		if Decide(in).Verdict != VerdictRefuse {
			return
		}
		in.Grants = []toolspec.Grant{{
			ID: "g", Scope: toolspec.GrantAlways, Tool: in.Call.Tool, Owner: in.Definition.Owner,
			Grantee: party(in.Call.From), Hosts: in.Description.Hosts, Outside: in.Call.From.Outside,
		}}
		if got := Decide(in); got.Verdict != VerdictRefuse {
			t.Fatalf("a grant lifted a refusal: %s", got.Reason)
		}
	})
}

func FuzzNormalizeHost(f *testing.F) {
	for _, s := range []string{
		"127.0.0.1:80", "[::1]:1", "0x7f.1", "１.0.0.1", "a.example.", "[fe80::1%eth0]", "", ":",
		"[", "a:b:c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := NormalizeHost(s)
		if twice := NormalizeHost(once); twice != once {
			t.Fatalf("%q is %q and then %q", s, once, twice)
		}
		if IsLocalHost(s) != IsLocalHost(once) {
			t.Fatalf("%q and its normalized form %q differ in IsLocalHost", s, once)
		}
	})
}
