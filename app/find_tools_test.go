package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/pipeline/search"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// The whole list of tools takes more than a twentieth of what most models read, so a model gets
// the core and finds the others; what it finds passes the pipeline as itself.
func TestModelFindsAToolAndReadsItsResultAgain(t *testing.T) {
	model, err := openaitest.Start(
		openaitest.Answer{Calls: []openaitest.Call{{Name: toolspec.FindTools, Args: `{"query":"read a text file"}`}}},
		openaitest.Answer{Calls: []openaitest.Call{{
			Name: toolspec.CallTool,
			Args: `{"tool":"read_file","args":{"path":"notes.txt"}}`,
		}}},
		openaitest.Answer{Text: "It says tea."},
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	flags := testFlags(t)
	flags["workspace"], flags["openai_base_url"] = t.TempDir(), model.URL()
	if err := os.WriteFile(filepath.Join(flags["workspace"], "notes.txt"), []byte("buy tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sys := openWith(t, flags, OpenOptions{})
	o, err := sys.Loop.Run(t.Context(), loop.TurnRequest{Text: "what do my notes say?", Model: "openai/m"})
	if err != nil || o.Status != chat.StatusDone {
		t.Fatalf("%+v, %v", o, err)
	}

	requests := model.Requests()
	var tools []string
	for _, tool := range requests[0].Tools {
		tools = append(tools, tool.Function.Name)
	}
	if want := len(sys.Nav.CoreTools()) + 3; len(tools) != want || slices.Contains(tools, "read_file") ||
		!slices.Contains(tools, toolspec.ReadResult) {
		t.Errorf("tools are %v", tools)
	}
	if found := requests[1].LastContent(); !strings.Contains(found, "read_file({") {
		t.Errorf("find_tools answers %q", found)
	}
	log, err := sys.Events.EventsOfConversation(t.Context(), o.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, e := range log {
		var start event.CallStart
		if e.Kind == event.CallStarted && json.Unmarshal(e.Data, &start) == nil {
			ran = append(ran, start.Tool)
		}
	}
	if !slices.Equal(ran, []string{toolspec.FindTools, "read_file"}) {
		t.Errorf("what ran is %v", ran)
	}

	messages, err := sys.Store.Messages(t.Context(), o.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	last := messages[len(messages)-2]
	if last.Role != chat.RoleTool || !strings.Contains(last.Text, "buy tea") {
		t.Fatalf("%+v", last)
	}
	read := func(conversation string) toolspec.Result {
		return sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: toolspec.ReadResult, Args: []byte(`{"handle":"` + last.ID + `"}`),
			From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: conversation},
		})
	}
	if r := read(o.Conversation); !r.Success || !strings.Contains(r.ModelText(), "buy tea") {
		t.Errorf("%+v", r)
	}
	if r := read("another"); r.Success {
		t.Error("another conversation reads it")
	}
}

// ours are questions of people for Sextant's own tools.
const ours = `read_file: show me what is written in a text file
read_file: read notes.txt
read_file: what do my notes say
write_file: save this text as a new file
edit_file: replace a word in a file
list_directory: what files are in this folder
file_info: how big is this file
find_files: find all PDF files below this folder
search_files: which files mention the word invoice
bash: run a shell command
bash: compile the project with make
git_read: what changed in git since yesterday
sql_query: how many rows are in this SQLite database
system_info: how much memory is free on this machine
web_search: search the web for a recipe
http_request: post JSON to an API
wget: download the text of this address
undo: take back what you did to my files
undo: undo the last change
developer_note: tell the developers about a bug
enhance_baseline_prompt: remember for next time that I like short answers
hover_element: move the mouse over the menu
drag_element: drag the slider to the right
upload_file: attach a file to the form on the page
save_pdf: print the page as PDF
evaluate_script: run JavaScript in the page
console_messages: are there errors in the page's console
network_requests: which requests did the page make
emulate_device: show the page as on a phone
create_tool: make a new tool out of others
delete_tool: remove the tool I made
downloads: where is the file that the page downloaded
handle_dialog: answer the confirm dialog
select_text: mark a sentence on the page
get_selection: what text is marked on the page
close_panel: close this panel
get_workspace_state: what is open in the window
read_result: read on in a long result`

func TestFindToolsFindsBaselineToolsByPurpose(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	all := sys.Catalog.ForPanel("")
	index := search.New(all.All())
	hits, n := 0, 0
	for line := range strings.SplitSeq(ours, "\n") {
		tool, question, _ := strings.Cut(line, ": ")
		if _, ok := all.Get(tool); !ok {
			t.Fatalf("there is no tool %s", tool)
		}
		n++
		if slices.ContainsFunc(index.Find(question, 5), func(d toolspec.Definition) bool { return d.Name == tool }) {
			hits++
		} else {
			t.Logf("missed %s: %q", tool, question)
		}
	}
	t.Logf("%d questions over %d tools of Sextant's own: recall at 5 %.3f", n, len(all.All()), float64(hits)/float64(n))
	if hits*10 < n*9 {
		t.Errorf("%d of %d are found", hits, n)
	}
}
