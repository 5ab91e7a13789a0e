package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func pressing(effect toolspec.PageEffect) Input {
	in := pageCall("click_element", `{"annotationId":3}`).about(`[3] button "Go"`, "").hosts("shop.example")
	in.Description.PageEffect = effect
	return in
}

func TestAsksBeforeFormGoesToSiteThatWasNotNamed(t *testing.T) {
	for _, effect := range []toolspec.PageEffect{toolspec.PageSend, toolspec.PagePost} {
		in := pressing(effect)
		for _, m := range []Mode{ModeAsk, ModeWorkspace} {
			d := wantVerdict(t, in.mode(m), VerdictAsk)
			if !strings.Contains(d.Reason, "you did not name") {
				t.Errorf("%s in %s: reason %q", effect, m, d.Reason)
			}
		}
		wantVerdict(t, in.mode(ModeFull), VerdictAllow)
		wantVerdict(t, in.typedHosts("shop.example"), VerdictAllow)
		wantVerdict(t, in.typedHosts("www.shop.example"), VerdictAsk)
		wantVerdict(t, in.hosts().typedHosts("shop.example"), VerdictAsk) // the site is not known
		wantVerdict(t, in.alone(), VerdictRefuse)
	}
	wantVerdict(t, pressing(""), VerdictAllow)
}

func TestAsksBeforeEachPurchaseAndDeletionOnAnySite(t *testing.T) {
	for _, effect := range []toolspec.PageEffect{toolspec.PagePay, toolspec.PageDelete} {
		d := wantVerdict(t, pressing(effect).typedHosts("shop.example"), VerdictAsk)
		if len(d.Grants) > 0 {
			t.Errorf("%s: an answer lasts: %+v", effect, d.Grants)
		}
		grant := grantFor(t, wantVerdict(t, pressing(toolspec.PageSend), VerdictAsk), event.AnswerAlways)
		wantVerdict(t, pressing(effect).with(grant), VerdictAsk)
		wantVerdict(t, pressing(effect).mode(ModeFull), VerdictAllow)
	}
}

func TestProgramsAndPersonsAreNotAskedAboutPages(t *testing.T) {
	for _, c := range []toolspec.Caller{
		toolspec.CallerPerson, toolspec.CallerPilot, toolspec.CallerMCP, toolspec.CallerHTTP,
	} {
		wantVerdict(t, pressing(toolspec.PagePay).caller(c), VerdictAllow)
	}
	for _, c := range []toolspec.Caller{toolspec.CallerRun, toolspec.CallerCreatedTool} {
		wantVerdict(t, pressing(toolspec.PagePay).caller(c), VerdictAsk)
	}
}

func TestSiteGrantCoversOtherFormsOfThatSiteOnly(t *testing.T) {
	d := wantVerdict(t, pressing(toolspec.PageSend), VerdictAsk)
	grant := grantFor(t, d, event.AnswerHost)
	other := pressing(toolspec.PagePost)
	other.Call.Tool, other.Definition.Name = "press_key", "press_key"
	other.Call.Args = []byte(`{"key":"Enter"}`)
	wantVerdict(t, other.with(grant), VerdictAllow)
	wantVerdict(t, other.hosts("blog.shop.example").with(grant), VerdictAsk)
	wantVerdict(t, other.hosts("shop.example:8080").with(grant), VerdictAsk)
	elsewhere := other
	elsewhere.Call.From.Conversation = "another"
	wantVerdict(t, elsewhere.with(grant), VerdictAsk)
	wantVerdict(t, elsewhere.with(grantFor(t, d, event.AnswerAlways)), VerdictAllow)

	// What was typed before is judged when it is typed.
	typed := typingCall("10437").hosts("shop.example").read("https://other.example")
	typed.Description.PageEffect = toolspec.PageSend
	wantVerdict(t, typed.with(grant), VerdictAsk)
}

func TestActThatAnotherSiteMayWantAsksInEveryMode(t *testing.T) {
	modes := []Mode{ModeAsk, ModeWorkspace, ModeFull}
	for _, effect := range []toolspec.PageEffect{
		toolspec.PageSend, toolspec.PagePost, toolspec.PagePay, toolspec.PageDelete,
	} {
		in := pressing(effect).read("https://shop.example", "https://news.example")
		for _, m := range modes {
			d := wantVerdict(t, in.mode(m), VerdictAsk)
			if !strings.Contains(d.Reason, "https://news.example") || strings.Contains(d.Reason, "shop.example") {
				t.Errorf("%s in %s: reason %q", effect, m, d.Reason)
			}
		}
		wantVerdict(t, in.mode(ModeFull).typedHosts("shop.example"), VerdictAllow)
		wantVerdict(t, pressing(effect).read("https://shop.example").mode(ModeFull), VerdictAllow)
		earlier := in.mode(ModeFull)
		earlier.OpenedHosts = []string{"shop.example"} // typed in an earlier turn
		wantVerdict(t, earlier, VerdictAsk)
	}
	act := pageCall("navigate_page", `{"url":"https://shop.example/close-account"}`).hosts("shop.example").mode(ModeFull).
		read("https://shop.example")
	wantVerdict(t, act, VerdictAllow)
	wantVerdict(t, act.read("https://shop.example", "https://news.example"), VerdictAsk)
	wantVerdict(t, act.read("https://shop.example", "https://news.example").typedHosts("shop.example"), VerdictAllow)
}
