package pilot_test

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/shared/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// introduction is what the pilot says about itself in its first answer.
func introduction(t *testing.T) string {
	t.Helper()
	_, answer := drive(t, "tools")
	parts := strings.Split(answer, "\n\n")
	return parts[len(parts)-1]
}

// answers is the pilot's answer to text if its calls have these results; a result that starts with "error"
// failed.
func answers(t *testing.T, text string, results ...string) string {
	t.Helper()
	p := pilot.New(pilot.Config{})
	messages := []chat.Message{
		{Role: chat.RoleUser, Text: "help"},
		{Role: chat.RoleAssistant, Text: introduction(t)},
		{Role: chat.RoleUser, Text: "click 1"},
		{Role: chat.RoleTool, CallID: "old", Text: "an older turn's result", Status: chat.StatusDone},
		{Role: chat.RoleUser, Text: text},
	}
	for _, r := range append(results, "") {
		var streamed strings.Builder
		res, err := p.Stream(
			context.Background(),
			llm.Request{Messages: messages, Tools: offer(tools)},
			func(d llm.Delta) { streamed.WriteString(d.Text) },
		)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Calls) == 0 {
			if streamed.String() != res.Text {
				t.Errorf("streamed %q, said %q", streamed.String(), res.Text)
			}
			return res.Text
		}
		status := chat.StatusDone
		if strings.HasPrefix(r, "error") {
			status = chat.StatusFailed
		}
		messages = append(messages, chat.Message{Role: chat.RoleAssistant, Calls: res.Calls},
			chat.Message{Role: chat.RoleTool, CallID: res.Calls[0].ID, Text: r, Status: status})
	}
	t.Fatalf("%q wants more results than %d", text, len(results))
	return ""
}

const shop = "Page: Blue | Green shop | https://shop.example/ | v3 | tab 1\n"

func TestAnswersDescribeResults(t *testing.T) {
	list := "[1] link \"Home\"\n[2] textbox \"Search\" = \"\"\n[3] button \"Buy\"\n"
	for name, c := range map[string]struct{ said, result, want string }{
		"opening": {
			"open shop.example", shop + list,
			"Opened “Blue | Green shop”.",
		},
		"opening a page with nothing": {
			"open shop.example", "Page:  | https://shop.example/ | v1 | tab 1\n",
			"Opened https://shop.example/. Nothing on it can be acted on yet.",
		},
		"annotating": {
			"annotate", shop + list +
				"… 12 more below; scroll, or annotate_page with query or scope=page",
			"3 things are numbered on “Blue | Green shop”:\n\n[1] link \"Home\"\n[2] textbox \"Search\" = \"\"\n[3] " +
				"button \"Buy\"\n… 12 more below; scroll, or \"annotate page\" or \"annotate TEXT\"",
		},
		"finding nothing": {"annotate xyz", shop, "Nothing to number on “Blue | Green shop”."},
		"clicking": {
			"click 3", shop + "clicked [3] button \"Buy\" · settled 38 ms · opened tab 2\n",
			"Clicked [3] button \"Buy\" · opened tab 2.",
		},
		"a change": {
			"click 3", shop + "clicked [3] button \"Buy\" · settled 38 ms\n[9] link \"Cart (1)\"\n",
			"Clicked [3] button \"Buy\".\n\nNew or changed:\n[9] link \"Cart (1)\"",
		},
		"scrolling": {
			"scroll to the bottom", shop + "scrolled bottom · settled 9 ms\n[9] link \"Contact\"\n",
			"Scrolled to the bottom.",
		},
		"another page": {
			"click 3", shop + "clicked [3] button \"Buy\" · navigated (302 → 200)\n[1] link \"Home\"\n",
			"Clicked [3] button \"Buy\". It led to “Blue | Green shop”.",
		},
		"a missing page": {
			"click 3", shop + "clicked [3] button \"Buy\" · navigated (404 Not Found)\n",
			"Clicked [3] button \"Buy\". It led to “Blue | Green shop”, which answered 404 Not Found.",
		},
		"a sentence": {
			"click 3", shop + "clicked [3] button \"Buy\"\nnew text: \"It is bought.\"\n",
			"Clicked [3] button \"Buy\". The page now says “It is bought.”",
		},
		"new text": {
			"click 3",
			shop + "clicked [3] button \"Buy\"\nnew text: \"Saved \\\"a\\\\b\\\"\" \"2 left\" and 3 more lines\n",
			"Clicked [3] button \"Buy\". The page now says “Saved \"a\\b\"”, “2 left”.",
		},
		"reading":           {"read page", "Hello there.", "Hello there."},
		"another tool":      {"/get_workspace_state", "Active panel: home", "Active panel: home"},
		"an empty result":   {"close panel", "", "Done: close panel."},
		"links are defused": {"read page", "[free](http://bad.example)", "[free] (http://bad.example)"},
		"a failure with hint": {
			"click 9",
			"error (user_error): [9] is gone: the list was redrawn\nsuggestion: Call annotate_page.",
			"[9] is gone: the list was redrawn.\nSay \"annotate\".",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := answers(t, c.said, c.result); strings.TrimSpace(got) != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestChainStopsAtFirstFailure(t *testing.T) {
	got := answers(
		t,
		"open shop.example, click 9, type a into 4 and screenshot",
		shop+"[1] link \"Home\"\n",
		"error (user_error): [9] is gone",
	)
	for _, want := range []string{
		"Opened “Blue | Green shop”", "[9] is gone.",
		"Not done after that: type a into 4; screenshot.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

func TestUnofferedToolIsNotCalled(t *testing.T) {
	p := pilot.New(pilot.Config{})
	res, err := p.Stream(context.Background(), llm.Request{
		Messages: []chat.Message{{Role: chat.RoleUser, Text: "hover 3 and back"}}, Tools: offer("annotate_page"),
	}, func(llm.Delta) {})
	if err != nil || len(res.Calls) > 0 {
		t.Fatalf("calls %v, error %v", res.Calls, err)
	}
	if !strings.Contains(res.Text, "hover_element is not available here") ||
		!strings.Contains(res.Text, "Not done after that: back.") {
		t.Errorf("answer %q", res.Text)
	}
}

func TestLongResultsAreCutWithCount(t *testing.T) {
	if got := answers(t, "read page", strings.Repeat("ä", 10_000)); len(got) > 5_000 ||
		!strings.Contains(got, "8000 characters more") {
		t.Errorf("%d bytes: %q", len(got), got[len(got)-60:])
	}
	lines := shop
	for range 500 {
		lines += "[7] link \"x\"\n"
	}
	if got := answers(t, "annotate", lines); !strings.Contains(got, "… 492 more on the call's card") {
		t.Errorf("ends with %q", got[len(got)-80:])
	}
}

func TestHelpNeedsNoCall(t *testing.T) {
	for _, text := range []string{"help", "Help!", "?", "/help", "what can you do?"} {
		if calls, answer := drive(t, text); len(calls) > 0 || !strings.Contains(answer, "- open ADDRESS, back") {
			t.Errorf("%q: %v, %q", text, calls, answer)
		}
	}
	for _, text := range []string{"tools", "list tools", "/tools"} {
		if calls, answer := drive(t, text); len(calls) > 0 ||
			!strings.Contains(answer, "- click_element: Does click_element\n") {
			t.Errorf("%q: %v, %q", text, calls, answer)
		}
	}
}

func TestHelpExamplesAreUnderstood(t *testing.T) {
	for _, text := range []string{
		"open demo", "annotate page", "double click 3", "type \"two words\" into 4 and press enter", "press Control+a",
		"scroll down 300 px", "screenshot of 3", "wait for Done", "new tab example.com", "close tab 2",
		"open browser panel",
	} {
		if calls, answer := drive(t, text); len(calls) == 0 {
			t.Errorf("%q: %q", text, answer)
		}
	}
}

func TestDemoAddress(t *testing.T) {
	p := pilot.New(pilot.Config{DemoURL: func() string { return "http://127.0.0.1:4000/" }})
	res, err := p.Stream(context.Background(), llm.Request{
		Messages: []chat.Message{{Role: chat.RoleUser, Text: "open demo"}}, Tools: offer(tools),
	}, func(llm.Delta) {})
	if err != nil || len(res.Calls) != 1 || string(res.Calls[0].Args) != `{"url":"http://127.0.0.1:4000/"}` {
		t.Errorf("calls %+v, error %v", res.Calls, err)
	}
}

func TestAnswerWording(t *testing.T) {
	for _, r := range refusals {
		t.Run(r.said, func(t *testing.T) {
			_, answer := drive(t, r.said)
			for _, bad := range []string{"!", "lease", "orry", "oops", " AI ", "—"} {
				if strings.Contains(answer, bad) && !strings.Contains(r.said, bad) {
					t.Errorf("%q is answered with %q: %q", r.said, bad, answer)
				}
			}
		})
	}
}

func TestListsOfPanelsAreLines(t *testing.T) {
	for _, c := range []struct{ result, want string }{
		{`{"bookmarks":[]}`, "No bookmarks yet."},
		{`{"bookmarks":[{"title":"Shop","url":"https://a.example/"}]}`, "- Shop · https://a.example/"},
		{`{"headings":[{"level":1,"text":"Desk lamps"},{"level":2,"text":"Fen"}]}`, "- Desk lamps\n- Fen"},
		{`{"counts":[{"b":2,"a":1}]}`, "- 1 · 2"},
		{`{"a":[],"b":[]}`, `{"a":[],"b":[]}`},
		{`{"a":1}`, `{"a":1}`},
	} {
		t.Run(c.result, func(t *testing.T) {
			if got := answers(t, "tabs", c.result); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
