package pilot_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/annotation"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// shopMarks are the annotations of the demo shop, one a line as annotate_page lists them: role "name".
const shopMarks = `link "alder&flint"
link "Lamps"
link "Shades"
link "Bulbs"
link "Journal"
searchbox "Search"
link "Basket (0)"
textbox "Delivery postcode"
button "Check"
checkbox "Under 80 €"
checkbox "In stock"
checkbox "Dimmable"
combobox "Sort"
link "Fen"
button "Add to basket · Fen"
link "Moor"
button "Add to basket · Moor"
link "Sedge"
button "Add to basket · Sedge"
link "Tarn"
button "Add to basket · Tarn"
link "Heath"
button "Add to basket · Heath"
link "Bog"
button "Add to basket · Bog"
link "Ridge"
button "Add to basket · Ridge"
link "Loam"
button "Back in spring · Loam"
link "Scree"
button "Add to basket · Scree"
link "Delivery times"
link "Contact"`

func shopWindow(string) grammar.WindowState {
	marks := &event.Marks{}
	marks.Page.URL, marks.Page.Title = "http://demo.sextant.test/lamps/desk", "Desk lamps · alder&flint"
	for i, line := range strings.Split(shopMarks, "\n") {
		role, name, _ := strings.Cut(line, " ")
		marks.Elements = append(marks.Elements, annotation.Element{
			ID: i + 1, Role: role, Name: strings.Trim(name, `"`), Usable: true, States: statesOf(role, name),
		})
	}
	tabs := []event.Tab{
		{ID: 1, Title: "Desk lamps · alder&flint", URL: "http://demo.sextant.test/lamps/desk"},
		{ID: 2, Title: "Example Domain", URL: "https://example.com/"},
	}
	var tools []toolspec.Definition
	for name, title := range map[string]string{
		"open_tools_panel": "Tools and activity", "open_code_editor_panel": "Code editor",
		"open_mcp_servers_panel": "MCP servers",
	} {
		tools = append(tools, toolspec.Definition{Name: name, Description: "Opens the " + title + " panel."})
	}
	return grammar.WindowState{
		Tools:       tools,
		ActiveTab:   func() int { return 1 },
		PageInFront: func() bool { return true },
		Marks:       func() *event.Marks { return marks }, Tabs: func() []event.Tab { return tabs },
	}
}

// statesOf returns the states of an element: of the check boxes, only Dimmable is checked.
func statesOf(role, name string) []string {
	switch {
	case role != "checkbox":
		return nil
	case strings.Contains(name, "Dimmable"):
		return []string{"checked"}
	}
	return []string{"unchecked"}
}

// callableTools returns the tools of the baseline and of the Browser panel that the phrases can call.
func callableTools() []toolspec.Function {
	const names = `open_home_panel open_browser_panel open_code_editor_panel open_files_panel open_terminal_panel
		open_tools_panel open_mcp_servers_panel open_notes_panel open_settings_panel close_panel expand_activity_bar
		collapse_activity_bar set_activity_bar_devices get_workspace_state get_active_panel focus_surface
		enhance_baseline_prompt navigate_page annotate_page click_element type_text select_option press_key scroll_page
		get_page_content take_screenshot wait_for browser_tabs get_annotations hover_element select_text get_selection
		handle_dialog downloads console_messages network_requests save_pdf emulate_device read_file write_file
		edit_file list_directory file_info find_files search_files undo bash http_request wget web_search git_read
		system_info read_result page_outline browser_history browser_bookmarks browser_bookmark_add`
	var tools []toolspec.Function
	for name := range strings.FieldsSeq(names) {
		var f toolspec.Function
		f.Function.Name = name
		tools = append(tools, f)
	}
	return tools
}

// phrase is a line of testdata/phrases.txt, with everything that may be meant by it.
type phrase struct {
	text  string
	meant []meaning
}

type meaning struct {
	// calls are the calls that are meant, as "tool name=value name=value"; empty means that nothing runs.
	calls []string
	// other is "?", "already", "model", "help" or "tools" if no calls are meant.
	other string
}

func readPhrases(t *testing.T, file string) []phrase {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var list []phrase
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		text, meant, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("no arrow in %q", line)
		}
		p := phrase{text: text}
		for one := range strings.SplitSeq(meant, " || ") {
			switch one {
			case "?", "already", "model", "help", "tools":
				p.meant = append(p.meant, meaning{other: one})
			default:
				p.meant = append(p.meant, meaning{calls: strings.Split(one, "; ")})
			}
		}
		list = append(list, p)
	}
	return list
}

// say runs the pilot with a phrase. Every call succeeds. It returns the calls and the last answer.
func say(t *testing.T, p *pilot.Pilot, text string, tools []toolspec.Function) ([]chat.ToolCall, llm.Response) {
	t.Helper()
	messages := []chat.Message{{Role: chat.RoleUser, Text: text}}
	var calls []chat.ToolCall
	for range 10 {
		got, err := p.Stream(context.Background(), llm.Request{Messages: messages, Tools: tools}, func(llm.Delta) {})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Calls) == 0 {
			return calls, got
		}
		calls = append(calls, got.Calls...)
		messages = append(messages, chat.Message{Role: chat.RoleAssistant, Calls: got.Calls})
		for _, c := range got.Calls {
			messages = append(messages,
				chat.Message{Role: chat.RoleTool, CallID: c.ID, Status: chat.StatusDone, Text: "Done."})
		}
	}
	t.Fatalf("%q does not end", text)
	return nil, llm.Response{}
}

// fits reports whether a call is the one that is meant.
func fits(call chat.ToolCall, meant string) bool {
	tool, rest, _ := strings.Cut(meant, " ")
	if call.Name != tool {
		return false
	}
	var args map[string]any
	_ = json.Unmarshal(call.Args, &args)
	for rest != "" {
		name, value, _ := strings.Cut(rest, "=")
		rest = ""
		// A value ends before the next name.
		words := strings.Fields(value)
		for i, w := range words {
			if i > 0 && strings.Contains(w, "=") {
				value, rest = strings.Join(words[:i], " "), strings.Join(words[i:], " ")
				break
			}
		}
		got := fmt.Sprint(args[name])
		if list, ok := args[name].([]any); ok && len(list) == 1 {
			got = fmt.Sprint(list[0])
		}
		if args[name] == nil {
			got = ""
		}
		if !strings.EqualFold(got, value) && !strings.EqualFold(strings.TrimRight(got, "/"), value) {
			return false
		}
	}
	return true
}

// isMeant reports whether the calls and the answer are what m says.
func isMeant(m meaning, calls []chat.ToolCall, answer llm.Response) bool {
	if len(calls) != len(m.calls) {
		return false
	}
	for i := range m.calls {
		if !fits(calls[i], m.calls[i]) {
			return false
		}
	}
	switch m.other {
	case "?":
		return len(answer.Offers) > 1
	case "already":
		return strings.Contains(answer.Text, " already.")
	}
	return true
}

// looks reports whether a call only looks for a name on the page.
func looks(c chat.ToolCall) bool {
	return c.Name == "annotate_page" && strings.Contains(string(c.Args), `"scope":"page"`)
}

// offersMeant reports whether nothing was done and one of the offers does what is meant.
func offersMeant(t *testing.T, p *pilot.Pilot, one phrase, answer llm.Response, tools []toolspec.Function) bool {
	t.Helper()
	for _, offer := range answer.Offers {
		calls, after := say(t, p, offer.Command, tools)
		means := func(m meaning) bool { return len(m.calls) > 0 && isMeant(m, calls, after) }
		if slices.ContainsFunc(one.meant, means) {
			return true
		}
	}
	return false
}

// TestPhrasesOfNewcomers reads what people type before they know any command. Nine in ten must do what is meant or
// offer it, at least 85 in a hundred must do it, and none may do something else. Of phrases that the grammar was not
// changed for, fewer do: 66 of the 100 of the last round did, and 17 more offered it, when they were new; two wrote or
// looked for a word too many. With SEXTANT_PHRASES, it reads another file.
func TestPhrasesOfNewcomers(t *testing.T) {
	t.Parallel()
	file := "testdata/phrases.txt"
	if other := os.Getenv("SEXTANT_PHRASES"); other != "" {
		file = other
	}
	phrases := readPhrases(t, file)
	p := pilot.New(pilot.Config{Window: shopWindow})
	tools := callableTools()
	done, offered := 0, 0
	for _, one := range phrases {
		calls, answer := say(t, p, one.text, tools)
		right := slices.ContainsFunc(one.meant, func(m meaning) bool { return isMeant(m, calls, answer) })
		if !right && strings.Contains(answer.Text, "Nothing was done.") {
			calls = slices.DeleteFunc(calls, looks)
			right = slices.ContainsFunc(one.meant, func(m meaning) bool { return isMeant(m, calls, answer) })
		}
		var got []string
		for _, c := range calls {
			got = append(got, c.Name+" "+string(c.Args))
		}
		switch {
		case right:
			done++
		case len(calls) == 0 && offersMeant(t, p, one, answer, tools):
			offered++
			if os.Getenv("SEXTANT_PHRASES") != "" {
				t.Logf("OFFERED %q %q", one.text, answer.Offers)
			}
		case len(calls) > 0:
			t.Errorf("%q did %q, and %q is meant", one.text, got, one.meant)
		default:
			t.Logf("%q did nothing, and %q is meant; it answered %.120q", one.text, one.meant, answer.Text)
		}
	}
	t.Logf("%d of %d phrases do what is meant, and %d more offer it", done, len(phrases), offered)
	if (done+offered)*10 < len(phrases)*9 || done*100 < len(phrases)*85 {
		t.Error("too few do what is meant")
	}
}
