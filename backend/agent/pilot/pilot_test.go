package pilot_test

import (
	"context"
	"strings"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// tools are the tools of the phrases below.
const tools = "navigate_page annotate_page click_element type_text select_option press_key scroll_page " +
	"get_page_content " +
	"take_screenshot wait_for browser_tabs hover_element read_file close_panel open_home_panel open_browser_panel " +
	"open_tools_panel open_code_editor_panel get_workspace_state"

func offer(names string) []toolspec.Function {
	var out []toolspec.Function
	for n := range strings.FieldsSeq(names) {
		out = append(
			out,
			toolspec.Function{
				Type:     "function",
				Function: toolspec.FunctionDefinition{Name: n, Description: "Does " + n + ". More."},
			},
		)
	}
	return out
}

// drive answers every call with a success and returns the calls and the final answer.
func drive(t *testing.T, text string) (calls []string, answer string) {
	t.Helper()
	p := pilot.New(pilot.Config{})
	messages := []chat.Message{{Role: chat.RoleUser, Text: text}}
	for range 40 {
		res, err := p.Stream(
			context.Background(),
			llm.Request{Messages: messages, Tools: offer(tools)},
			func(llm.Delta) {},
		)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Calls) == 0 {
			return calls, res.Text
		}
		if len(res.Calls) != 1 {
			t.Fatalf("%d calls at once", len(res.Calls))
		}
		c := res.Calls[0]
		calls = append(calls, c.Name+string(c.Args))
		messages = append(messages, chat.Message{Role: chat.RoleAssistant, Calls: res.Calls},
			chat.Message{Role: chat.RoleTool, CallID: c.ID, Text: "ok", Status: chat.StatusDone})
	}
	t.Fatal("the pilot never ends")
	return nil, ""
}

// phrases maps messages to the calls they make.
var phrases = []struct{ said, calls string }{
	// Pages.
	{`open example.com`, `navigate_page{"url":"https://example.com"}`},
	{`Open Example.com.`, `navigate_page{"url":"https://Example.com"}`},
	{`open https://shop.example/a?b=1&c=x,y`, `navigate_page{"url":"https://shop.example/a?b=1&c=x,y"}`},
	{`please go to the site shop.example`, `navigate_page{"url":"https://shop.example"}`},
	{`goto localhost:8080/form`, `navigate_page{"url":"http://localhost:8080/form"}`},
	{`visit 127.0.0.1:3000`, `navigate_page{"url":"http://127.0.0.1:3000"}`},
	{`open 192.168.1.4`, `navigate_page{"url":"http://192.168.1.4"}`},
	{`open [::1]:8080/x`, `navigate_page{"url":"http://[::1]:8080/x"}`},
	{`open "https://a.example/b c"`, ``},
	{`navigate to HTTP://A.example`, `navigate_page{"url":"HTTP://A.example"}`},
	{`open demo`, `navigate_page{"url":"demo"}`},
	{`OPEN THE DEMO SHOP`, `navigate_page{"url":"demo"}`},
	{`could you please open demo, thanks`, `navigate_page{"url":"demo"}`},
	{`https://shop.example`, `navigate_page{"url":"https://shop.example"}`},
	{`shop.example/cart`, `navigate_page{"url":"https://shop.example/cart"}`},
	{`back`, `navigate_page{"action":"back"}`},
	{`go back`, `navigate_page{"action":"back"}`},
	{`Go forward one page`, `navigate_page{"action":"forward"}`},
	{`reload the page`, `navigate_page{"action":"reload"}`},
	{`refresh`, `navigate_page{"action":"reload"}`},
	// Numbers.
	{`annotate`, `annotate_page{}`},
	{`Annotate!`, `annotate_page{}`},
	{`numbers`, `annotate_page{}`},
	{`annotate this page`, `annotate_page{}`},
	{`annotate the whole page`, `annotate_page{"scope":"page"}`},
	{`annotate buttons and fields`, `annotate_page{"query":"buttons and fields"}`},
	{`annotate "buttons and links"`, `annotate_page{"query":"buttons and links"}`},
	{`annotate "Add to cart"`, `annotate_page{"query":"Add to cart"}`},
	{`show the numbers`, `annotate_page{}`},
	// Clicking.
	{`click 3`, `click_element{"annotationId":3}`},
	{`Click on number 3, please`, `click_element{"annotationId":3}`},
	{`click [12]`, `click_element{"annotationId":12}`},
	{`click #12.`, `click_element{"annotationId":12}`},
	{`click the button 7`, `click_element{"annotationId":7}`},
	{`click three`, `click_element{"annotationId":3}`},
	{`tap 4`, `click_element{"annotationId":4}`},
	{`click 3 double`, `click_element{"annotationId":3,"count":2}`},
	{`double click 3`, `click_element{"annotationId":3,"count":2}`},
	{`double-click on 3`, `click_element{"annotationId":3,"count":2}`},
	{`click 3 twice`, `click_element{"annotationId":3,"count":2}`},
	{`right click 5`, `click_element{"annotationId":5,"button":"right"}`},
	{`click 5 with the right button`, `click_element{"annotationId":5,"button":"right"}`},
	{`hover 6`, `hover_element{"annotationId":6}`},
	{`hover over number 6`, `hover_element{"annotationId":6}`},
	// Typing.
	{`type hello into 4`, `type_text{"annotationId":4,"text":"hello"}`},
	{`type "hello world" into number 4`, `type_text{"annotationId":4,"text":"hello world"}`},
	{`type “hello” in [4]`, `type_text{"annotationId":4,"text":"hello"}`},
	{`type Hello  World into the field 4`, `type_text{"annotationId":4,"text":"Hello  World"}`},
	{`type salt and pepper into 4`, `type_text{"annotationId":4,"text":"salt and pepper"}`},
	{`type salt and press it into 4`, `type_text{"annotationId":4,"text":"salt and press it"}`},
	{`type "open demo and click 3" into 4`, `type_text{"annotationId":4,"text":"open demo and click 3"}`},
	{`type it's fine into 4`, `type_text{"annotationId":4,"text":"it's fine"}`},
	{`type hello, world into 4`, `type_text{"annotationId":4,"text":"hello, world"}`},
	{`type moved into 3 into 4`, `type_text{"annotationId":4,"text":"moved into 3"}`},
	{`type into 4 hello you`, `type_text{"annotationId":4,"text":"hello you"}`},
	{`fill 4 with a@b.example`, `type_text{"annotationId":4,"text":"a@b.example"}`},
	{`fill in 4 with "x y"`, `type_text{"annotationId":4,"text":"x y"}`},
	{`enter 10437 in 7`, `type_text{"annotationId":7,"text":"10437"}`},
	{`type hello into 4 and press enter`, `type_text{"annotationId":4,"submit":true,"text":"hello"}`},
	{`type "hello" into 4 then hit return`, `type_text{"annotationId":4,"submit":true,"text":"hello"}`},
	{`type hello into 4 and submit`, `type_text{"annotationId":4,"submit":true,"text":"hello"}`},
	{`type hello into 4 and press tab`, `type_text{"annotationId":4,"text":"hello"} press_key{"key":"Tab"}`},
	// Choosing and keys.
	{`select Germany in 5`, `select_option{"annotationId":5,"values":["Germany"]}`},
	{`choose "New York" from the list 5`, `select_option{"annotationId":5,"values":["New York"]}`},
	{`choose "New York" from 5`, `select_option{"annotationId":5,"values":["New York"]}`},
	{`select "A", "B" and "C" in 5`, `select_option{"annotationId":5,"values":["A","B","C"]}`},
	{`pick size and colour for 5`, `select_option{"annotationId":5,"values":["size and colour"]}`},
	{`press Enter`, `press_key{"key":"Enter"}`},
	{`hit the escape key`, `press_key{"key":"Escape"}`},
	{`press ctrl+a`, `press_key{"key":"Control+a"}`},
	{`press control shift tab`, `press_key{"key":"Control+Shift+Tab"}`},
	{`press page down`, `press_key{"key":"PageDown"}`},
	{`press down arrow`, `press_key{"key":"ArrowDown"}`},
	{`press f5`, `press_key{"key":"F5"}`},
	{`press key 3`, `press_key{"key":"3"}`},
	{`press +`, `press_key{"key":"+"}`},
	{`press A`, `press_key{"key":"A"}`},
	// Scrolling and reading.
	{`scroll`, `scroll_page{"direction":"down"}`},
	{`scroll up`, `scroll_page{"direction":"up"}`},
	{`scroll to the bottom of the page`, `scroll_page{"direction":"bottom"}`},
	{`scroll down 300 px`, `scroll_page{"amount":300,"direction":"down"}`},
	{`scroll down by 300px`, `scroll_page{"amount":300,"direction":"down"}`},
	{`scroll down a bit`, `scroll_page{"direction":"down"}`},
	{`scroll down in 9`, `scroll_page{"direction":"down","target":9}`},
	{`read page`, `get_page_content{}`},
	{`read the page`, `get_page_content{}`},
	{`content`, `get_page_content{}`},
	{`read notes.txt`, `read_file{"path":"notes.txt"}`},
	{`read the file "my notes"`, `read_file{"path":"my notes"}`},
	{`screenshot`, `take_screenshot{}`},
	{`take a screenshot of 3`, `take_screenshot{"annotationId":3}`},
	{`take a screenshot with numbers`, `take_screenshot{"annotated":true}`},
	{`screenshot of the full page`, `take_screenshot{"full_page":true}`},
	// Waiting and tabs.
	{`wait 2 seconds`, `wait_for{"seconds":2}`},
	{`wait for 500 ms`, `wait_for{"seconds":0.5}`},
	{`wait a second`, `wait_for{"seconds":1}`},
	{`wait for Thank you`, `wait_for{"text":"Thank you"}`},
	{`wait for the text "Order placed" to appear`, `wait_for{"text":"Order placed"}`},
	{`wait until Loading is gone`, `wait_for{"gone":"Loading"}`},
	{`wait for terms and conditions`, `wait_for{"text":"terms and conditions"}`},
	{`tabs`, `browser_tabs{"action":"list"}`},
	{`list tabs`, `browser_tabs{"action":"list"}`},
	{`new tab`, `browser_tabs{"action":"open"}`},
	{`open a new tab with shop.example`, `browser_tabs{"action":"open","url":"https://shop.example"}`},
	{`open shop.example in a new tab`, `browser_tabs{"action":"open","url":"https://shop.example"}`},
	{`tab 2`, `browser_tabs{"action":"select","tab":2}`},
	{`switch to tab 2`, `browser_tabs{"action":"select","tab":2}`},
	{`close tab 2`, `browser_tabs{"action":"close","tab":2}`},
	{`close this tab`, `browser_tabs{"action":"close"}`},
	// Panels.
	{`open tools panel`, `open_tools_panel{}`},
	{`open the tools panel`, `open_tools_panel{}`},
	{`open panel tools`, `open_tools_panel{}`},
	{`open tools`, `open_tools_panel{}`},
	{`go to the code editor`, `open_code_editor_panel{}`},
	{`open code-editor`, `open_code_editor_panel{}`},
	{`home`, `open_home_panel{}`},
	{`close panel`, `close_panel{}`},
	{`close the code editor panel`, `close_panel{"panel":"code-editor"}`},
	// Any tool.
	{`/get_workspace_state`, `get_workspace_state{}`},
	{`/click_element {"annotationId": 3}`, `click_element{"annotationId":3}`},
	{`/tool {"name":"click_element","args":{"annotationId":3}}`, `click_element{"annotationId":3}`},
	{`/tool {"tool":"annotate_page"}`, `annotate_page{}`},
	{
		`/type_text {"annotationId":4,"text":"a and b"} and click 3`,
		`type_text{"annotationId":4,"text":"a and b"} click_element{"annotationId":3}`,
	},
	{
		"/type_text {\n\"annotationId\":4,\n\"text\":\"x\"}\nclick 3",
		`type_text{"annotationId":4,"text":"x"} click_element{"annotationId":3}`,
	},
	// Chains.
	{`open https://x.example and annotate`, `navigate_page{"url":"https://x.example"} annotate_page{}`},
	{
		`open demo, click 3, and then type a into 4`,
		`navigate_page{"url":"demo"} click_element{"annotationId":3} type_text{"annotationId":4,"text":"a"}`,
	},
	{"open demo\nannotate\nclick 3", `navigate_page{"url":"demo"} annotate_page{} click_element{"annotationId":3}`},
	{`open demo; annotate; back`, `navigate_page{"url":"demo"} annotate_page{} navigate_page{"action":"back"}`},
	{
		`type a into 3 and type b into 4 and press enter`,
		`type_text{"annotationId":3,"text":"a"} type_text{"annotationId":4,"submit":true,"text":"b"}`,
	},
	{
		`click 3 then wait for Done then screenshot`,
		`click_element{"annotationId":3} wait_for{"text":"Done"} take_screenshot{}`,
	},
	{
		`select Blue in 5 and click 6`,
		`select_option{"annotationId":5,"values":["Blue"]} click_element{"annotationId":6}`,
	},
	{`first open demo and next click 1`, `navigate_page{"url":"demo"} click_element{"annotationId":1}`},
}

func TestPlan(t *testing.T) {
	for _, p := range phrases {
		t.Run(p.said, func(t *testing.T) {
			if calls, answer := drive(t, p.said); strings.Join(calls, " ") != p.calls {
				t.Errorf("%q\n got %s\nwant %s\nanswer %q", p.said, strings.Join(calls, " "), p.calls, answer)
			}
		})
	}
	if len(phrases) < 80 {
		t.Errorf("only %d phrases", len(phrases))
	}
}

// refusals maps messages to a part of the answer; nothing may be called.
var refusals = []struct{ said, says string }{
	{`buy me a blue shirt`, "The command pilot has no command for that. It needs a model to plan."},
	{`what is the capital of France?`, "connect a model, open Home"},
	{`clikc 3`, `Did you mean “click 3”?`},
	{`click`, "click takes a number"},
	{`click Save`, `Say "annotate"`},
	{`click 3 and 4`, `no command for "4"`},
	{`click -3`, "click takes a number"},
	{`click 0`, "click takes a number"},
	{`click 99999999999999999999`, "click takes a number"},
	{`type hello`, "type takes a text and a number"},
	{`select Germany`, "select takes a value and a number"},
	{`press`, "press takes a key"},
	{`press 3`, `Say "click 3"`},
	{`press banana`, `There is no key "banana"`},
	{`open`, "open takes an address"},
	{`open nothing`, "No panel, page or file is called “nothing”"},
	{`open the moon and click 3`, "No panel, page or file is called “moon”"},
	{`open demo and click`, "click takes a number"},
	{`open demo and fly to the moon`, `no command for "fly to the moon"`},
	{`open nowhere panel`, `There is no panel "nowhere". Panels: home, browser, tools, code editor.`},
	{`wait`, "wait takes seconds"},
	{`wait 4000 seconds`, "at most 120 seconds"},
	{`scroll sideways`, `There is no direction "sideways"`},
	{`tab x`, "tab takes a tab's number"},
	{`/`, "After the slash comes a tool's name"},
	{`/click_element {"annotationId":`, "a closing brace is missing"},
	{`/click_element {annotationId:3}`, "not valid JSON"},
	{`/click_element 3`, "a JSON object is needed"},
	{`/tool {}`, "/tool needs a name"},
	{`/tool {"name":"x","args":[1]}`, "JSON object"},
	{`/clik_element {}`, "Did you mean click_element?"},
	{`   `, "There is no command in that"},
	{`"click 3"`, "without them"},
}

func TestUnknownCommandsRunNothing(t *testing.T) {
	for _, r := range refusals {
		t.Run(r.said, func(t *testing.T) {
			if calls, answer := drive(t, r.said); len(calls) > 0 || !strings.Contains(answer, r.says) {
				t.Errorf("%q: calls %v, answer %q, want %q", r.said, calls, answer, r.says)
			}
		})
	}
}

func FuzzPlan(f *testing.F) {
	for _, p := range phrases {
		f.Add(p.said)
	}
	for _, r := range refusals {
		f.Add(r.said)
	}
	f.Add(strings.Repeat("and ", 150))
	f.Add(strings.Repeat("click 1 and ", 60))
	f.Add("type \xff\xfe into 3")
	p := pilot.New(pilot.Config{})
	all := offer(tools)
	f.Fuzz(func(t *testing.T, text string) {
		messages := []chat.Message{{Role: chat.RoleUser, Text: text}}
		for range 40 {
			res, err := p.Stream(context.Background(), llm.Request{Messages: messages, Tools: all}, func(llm.Delta) {})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Calls) == 0 {
				if strings.TrimSpace(res.Text) == "" {
					t.Fatalf("%q is answered with nothing", text)
				}
				return
			}
			c := res.Calls[0]
			if !strings.Contains(" "+tools+" ", " "+c.Name+" ") || len(c.Args) == 0 || c.Args[0] != '{' {
				t.Fatalf("%q gives the call %s %s", text, c.Name, c.Args)
			}
			messages = append(messages, chat.Message{Role: chat.RoleAssistant, Calls: res.Calls},
				chat.Message{Role: chat.RoleTool, CallID: c.ID, Text: "ok", Status: chat.StatusDone})
		}
		t.Fatalf("%q never ends", text)
	})
}

func definitions(names string) []toolspec.Definition {
	var out []toolspec.Definition
	for n := range strings.FieldsSeq(names) {
		out = append(out, toolspec.Definition{Name: n, Description: "Does " + n + ". More."})
	}
	return out
}
