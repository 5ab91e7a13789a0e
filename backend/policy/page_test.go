package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func typingCall(text string) Input {
	return pageCall("type_text", `{"annotationId":3,"text":"`+text+`"}`).about(`[3] textbox "Note"`, text)
}

func TestAsksWhenTypingIntoOriginThatWasNotRead(t *testing.T) {
	shop := "http://shop.example:8080"
	wantVerdict(t, typingCall("10437").hosts("shop.example:8080").read(shop), VerdictAllow)
	d := wantVerdict(t, typingCall("10437").hosts("other.example").read(shop), VerdictAsk)
	if d.Approval.Question != "Send “10437” to other.example?" {
		t.Errorf("question %q", d.Approval.Question)
	}
	wantVerdict(t, typingCall("10437").hosts("shop.example:9090").read(shop), VerdictAsk)
	wantVerdict(t, typingCall("10437").hosts("other.example").read(shop).alone(), VerdictRefuse)
	wantVerdict(t, typingCall("10437").hosts("other.example").read(shop).typedHosts("other.example"), VerdictAllow)
	wantVerdict(t, typingCall("10437").hosts("other.example"), VerdictAllow)
	for _, c := range []toolspec.Caller{toolspec.CallerPerson, toolspec.CallerPilot} {
		wantVerdict(t, typingCall("10437").hosts("other.example").read(shop).caller(c), VerdictAllow)
	}
}

func TestAsksWhenTypingIntoUnknownOriginAfterOutsideText(t *testing.T) {
	wantVerdict(t, typingCall("10437").read("https://shop.example"), VerdictAsk)
	wantVerdict(t, typingCall("10437"), VerdictAllow)
	wantVerdict(t, pageCall("click_element", `{"annotationId":3}`).read("https://shop.example"), VerdictAllow)
	wantVerdict(t, pageCall("navigate_page", `{"url":"about:blank"}`).read("https://shop.example"), VerdictAllow)
}

func TestActingOnOpenPageContactsNoHost(t *testing.T) {
	for _, host := range []string{"127.0.0.1:8080", "shop.example"} {
		for _, in := range []Input{typingCall("x").hosts(host), pageCall("click_element", `{"annotationId":3}`).hosts(host)} {
			t.Run(in.Call.Tool+" "+host, func(t *testing.T) {
				d := wantVerdict(t, in.typedHosts(host).alone(), VerdictAllow)
				if len(d.ContactedHosts) > 0 || len(d.OpenedHosts) > 0 {
					t.Errorf("%s on %s contacts %v and opens %v", in.Call.Tool, host, d.ContactedHosts, d.OpenedHosts)
				}
				wantVerdict(t, in, VerdictAllow)
			})
		}
	}
	wantVerdict(t, pageCall("navigate_page", `{"url":"http://127.0.0.1:8080/"}`).hosts("127.0.0.1:8080"),
		VerdictRefuse)
}

func TestQuestionHidesSecret(t *testing.T) {
	in := typingCall("hunter2").hosts("other.example").read("https://shop.example")
	in.Description.SecretArgs = []string{"text", "absent"}
	d := wantVerdict(t, in, VerdictAsk)
	a := d.Approval
	if shown := strings.Join([]string{a.Question, a.Effect, a.Target, a.Data, a.Reason, string(a.Args)},
		"\n"); strings.Contains(shown, "hunter2") {
		t.Errorf("the question shows it: %s", shown)
	}
	if string(a.Args) != `{"annotationId":3,"text":"…"}` || a.Data != "…" ||
		a.Question != "Send text that is not shown to other.example?" {
		t.Errorf("%+v", a)
	}
	if a.Hash != hashOf(in) {
		t.Error("the answer is not bound to the arguments that run")
	}
	if len(d.Grants) > 0 || len(a.Choices) != 2 || a.Choices[0].Answer != event.AnswerOnce ||
		a.Choices[1].Answer != event.AnswerDeny {
		t.Errorf("a grant would store the secret: %+v %+v", d.Grants, a.Choices)
	}
}

func TestAsksForEachFileGivenToPage(t *testing.T) {
	in := pageCall("upload_file", `{"annotationId":3,"path":"/home/ana/cv.pdf"}`).about(`[3] file "CV"`,
		"/home/ana/cv.pdf").hosts("jobs.example")
	in.Definition.Hints.Confirm = true
	d := wantVerdict(t, in, VerdictAsk)
	if d.Approval.Question != "Send “/home/ana/cv.pdf” to jobs.example?" {
		t.Errorf("question %q", d.Approval.Question)
	}
	for _, g := range d.Grants {
		if !strings.Contains(string(g.Args), "cv.pdf") {
			t.Errorf("an answer allows other files too: %+v", g)
		}
	}
	wantVerdict(t, in.alone(), VerdictRefuse)
	grant := d.Grants[event.AnswerAlways]
	wantVerdict(t, in.with(grant), VerdictAllow)
	// The same argument now leads to another file.
	wantVerdict(t, in.about(`[3] file "CV"`, "/home/ana/.ssh/id_ed25519").with(grant), VerdictAsk)
}

func TestAsksForFileGivenToReadPageInEveryMode(t *testing.T) {
	in := pageCall("upload_file", `{"annotationId":3,"path":"cv.pdf"}`).about(`[3] file "CV"`,
		"/home/ana/cv.pdf").hosts("jobs.example")
	in.Definition.Hints.Confirm = true
	wantVerdict(t, in.mode(ModeFull), VerdictAllow)
	wantVerdict(t, in.mode(ModeFull).read("https://jobs.example"), VerdictAsk)
	wantVerdict(t, in.mode(ModeFull).read("https://jobs.example").alone(), VerdictRefuse)
}

func TestAsksForKeyTypedIntoForeignFrame(t *testing.T) {
	shop := "https://shop.example"
	key := pageCall("press_key", `{"key":"7"}`).about("", "7").read(shop)
	wantVerdict(t, key.hosts("shop.example"), VerdictAllow)
	wantVerdict(t, key.hosts("evil.example"), VerdictAsk)
	wantVerdict(t, key.hosts("evil.example").mode(ModeFull), VerdictAsk)
	wantVerdict(t, pageCall("press_key", `{"key":"Tab"}`).read(shop), VerdictAllow)
}
