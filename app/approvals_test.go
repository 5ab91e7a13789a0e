package app

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sextant/backend/pipeline/approval"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

var updateTable = flag.Bool("update", false, "write the table of questions into docs/approvals.md")

// commonCall is a call of the table in docs/approvals.md. read is outside text that was read before.
type commonCall struct{ label, tool, args, read string }

var commonCalls = []commonCall{
	{label: "edit a file", tool: "edit_file", args: `{"path":"notes.txt","old":"bread","new":"rye bread"}`},
	{
		label: "add lines to a file", tool: "edit_file",
		args: `{"path":"notes.txt","old":"milk\n","new":"milk\neggs\nsalt\n"}`,
	},
	{label: "overwrite a file", tool: "write_file", args: `{"path":"notes.txt","content":"tea\n"}`},
	{label: "create a file", tool: "write_file", args: `{"path":"src/new.go","content":"package src\n"}`},
	{
		label: "edit a file in a subfolder", tool: "edit_file",
		args: `{"path":"src/main.go","old":"main","new":"src"}`,
	},
	{
		label: "edit a file after a web page was read", tool: "edit_file", read: "https://shop.example",
		args: `{"path":"notes.txt","old":"bread","new":"rye bread"}`,
	},
	{
		label: "write outside of the workspace", tool: "write_file",
		args: `{"path":"OUTSIDE/plans/b.txt","content":"x\n"}`,
	},
	{label: "write a git hook", tool: "write_file", args: `{"path":".git/hooks/pre-commit","content":"x\n"}`},
	{label: "read a file outside of the workspace", tool: "read_file", args: `{"path":"OUTSIDE/plans/a.txt"}`},
	{label: "list a folder outside of the workspace", tool: "list_directory", args: `{"path":"OUTSIDE/plans"}`},
	{
		label: "make a folder with a command", tool: "bash",
		args: `{"command":"mkdir -p out","description":"Make the output folder"}`,
	},
	{label: "write a file with a command", tool: "bash", args: `{"command":"echo hi > hi.txt"}`},
	{
		label: "delete files with a command", tool: "bash",
		args: `{"command":"rm -r src","description":"Remove the old code"}`,
	},
	{label: "commit", tool: "bash", args: `{"command":"git commit -m 'Add notes'"}`},
	{label: "run the tests", tool: "bash", args: `{"command":"npm test","description":"Run the tests"}`},
	{label: "run a script", tool: "bash", args: `{"command":"python3 tidy.py"}`},
	{label: "push", tool: "bash", args: `{"command":"git push origin main"}`},
	{label: "download with a command", tool: "bash", args: `{"command":"curl -s https://api.example/v1"}`},
	{label: "run as root", tool: "bash", args: `{"command":"sudo systemctl restart nginx"}`},
	{label: "read an address", tool: "wget", args: `{"uri":"https://docs.example/guide"}`},
	{label: "make a request", tool: "http_request", args: `{"url":"https://api.example/v1"}`},
	{
		label: "send data", tool: "http_request",
		args: `{"url":"https://api.example/v1","method":"POST","body":"hello"}`,
	},
	{
		label: "send data after a web page was read", tool: "http_request", read: "https://shop.example",
		args: `{"url":"https://api.example/v1","method":"POST","body":"hello"}`,
	},
	{label: "search the web", tool: "web_search", args: `{"query":"desk lamp E27"}`},
	{
		label: "open an address after a web page was read", tool: "navigate_page", read: "https://shop.example",
		args: `{"url":"https://other.example/?q=1"}`,
	},
	{label: "run a script on the page", tool: "evaluate_script", args: `{"script":"document.title"}`},
	{label: "a tool of an MCP server", tool: "post__send", args: `{}`},
	{label: "a tool of a panel that deletes", tool: "desk_wipe", args: `{}`},
	{
		label: "make a tool", tool: "create_tool",
		args: `{"name":"count_lines","description":"Counts lines","body":"return 1"}`,
	},
	{
		label: "change the assistant's instructions", tool: "enhance_baseline_prompt", read: "https://shop.example",
		args: `{"note":"Answer in Spanish."}`,
	},
	{
		label: "note something for the developers", tool: "developer_note", read: "https://shop.example",
		args: `{"text":"It is slow."}`,
	},
}

var answerNames = map[event.Answer]string{
	event.AnswerFile: "This file", event.AnswerFolder: "This folder", event.AnswerHost: "This host",
	event.AnswerProgram: "This program", event.AnswerConversation: "This conversation",
	event.AnswerSameProgram: "Always, similar commands", event.AnswerAlways: "Always",
}

func TestQuestionsOfCommonCallsAreThoseOfTheDocument(t *testing.T) {
	sys, workspace, outside := openForQuestions(t)
	var b strings.Builder
	for _, c := range commonCalls {
		args := strings.ReplaceAll(c.args, "OUTSIDE", outside)
		from := toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "v_table", Interactive: true}
		if c.read != "" {
			from.Outside = []string{c.read}
		}
		questions, r := sys.asked(t, event.AnswerDeny, func() toolspec.Result {
			return sys.Pipeline.Do(t.Context(), toolspec.Call{
				Tool: c.tool, Panel: "desk", Args: json.RawMessage(args), From: from,
			})
		})
		if len(questions) != 1 {
			t.Errorf("%s: %d questions, %+v", c.label, len(questions), r)
			continue
		}
		q := questions[0]
		for _, dialect := range []string{c.tool, "exactly with", "{\"", "="} {
			if strings.Contains(q.Question, dialect) && !strings.Contains(q.Question, "?q=") {
				t.Errorf("%s: the question %q contains %q", c.label, q.Question, dialect)
			}
		}
		fmt.Fprintf(&b, "- **%s**: %s\n  - why: %s\n", c.label, q.Question, q.Reason)
		for _, choice := range q.Choices {
			if name, lasting := answerNames[choice.Answer]; lasting {
				fmt.Fprintf(&b, "  - %s: %s\n", name, choice.Scope)
			}
		}
	}
	table := strings.NewReplacer(outside, "/home/ana", workspace, "/home/ana/work", os.Args[0], "/usr/bin/post-server").
		Replace(b.String())
	path := filepath.Join("..", "docs", "approvals.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const heading = "## The most common calls\n\n"
	before, old, found := strings.Cut(string(text), heading)
	if !found {
		t.Fatalf("%s has no %q", path, heading)
	}
	if *updateTable {
		if err := os.WriteFile(path, []byte(before+heading+table), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != table {
		t.Errorf("docs/approvals.md is stale; run go test -tags sqlite_fts5 ./app -run CommonCalls -update\n%s", table)
	}
}

// openForQuestions opens a system with files, a panel and an MCP server.
func openForQuestions(t *testing.T) (sys *System, workspace, outside string) {
	t.Helper()
	flags := testFlags(t)
	outside = t.TempDir()
	workspace = filepath.Join(outside, "work")
	flags["workspace"] = workspace
	put(t, filepath.Join(workspace, "notes.txt"), "bread\nmilk\n")
	put(t, filepath.Join(workspace, "src", "main.go"), "package main\n")
	put(t, filepath.Join(workspace, ".git", "HEAD"), "ref: refs/heads/main\n")
	put(t, filepath.Join(outside, "plans", "a.txt"), "plan\n")
	command, err := json.Marshal(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	writeMCPConfig(t, flags, `{"mcpServers":{"post":{"command":`+string(command)+`,"env":{"`+asTool+`":"1"}}}}`)
	put(
		t, filepath.Join(flags["data"], "panels", "desk", "manifest.json"),
		`{"panel_id":"desk","panel_type":"x","title":"Desk","backend":{"kind":"http","url":"http://127.0.0.1:9"},"tools":[
		{"name":"desk_wipe","description":"Wipes.","endpoint":"DELETE /api/desk/all","parameters":{}}]}`,
	)
	sys = openWith(t, flags, OpenOptions{Serve: true})
	if ok, _, why := sys.Confine.Available(); !ok {
		t.Skip("no sandbox here: " + why)
	}
	sys.WaitForMCP(t.Context())
	return sys, workspace, outside
}

func TestThisFileCoversTheNextEditOfItAndNotItsNeighbour(t *testing.T) {
	sys, workspace, _ := openForQuestions(t)
	put(t, filepath.Join(workspace, "other.txt"), "bread\n")
	from := toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "v_file", Interactive: true}
	do := func(answer event.Answer, args string) ([]event.Approval, toolspec.Result) {
		return sys.asked(t, answer, func() toolspec.Result {
			return sys.Pipeline.Do(t.Context(),
				toolspec.Call{Tool: "edit_file", Args: json.RawMessage(args), From: from})
		})
	}
	if questions, r := do(event.AnswerFile, `{"path":"notes.txt","old":"bread","new":"rye"}`); len(questions) != 1 ||
		!r.Success || questions[0].Question != "Change 1 line in notes.txt?" ||
		!strings.Contains(questions[0].Diff, "+rye") {
		t.Fatalf("%+v %+v", questions, r)
	}
	if questions, r := do(event.AnswerDeny, `{"path":"notes.txt","old":"milk","new":"oat milk"}`); len(questions) > 0 ||
		!r.Success {
		t.Errorf("the next edit of the file: %+v %+v", questions, r)
	}
	if questions, r := do(event.AnswerDeny, `{"path":"other.txt","old":"bread","new":"rye"}`); len(questions) != 1 ||
		r.Success {
		t.Errorf("the neighbour: %+v %+v", questions, r)
	}
	text, err := os.ReadFile(filepath.Join(workspace, "notes.txt"))
	if err != nil || string(text) != "rye\noat milk\n" {
		t.Errorf("%q %v", text, err)
	}
}

func TestPersonEditsTheTextBeforeItIsWritten(t *testing.T) {
	sys, workspace, _ := openForQuestions(t)
	done := make(chan toolspec.Result, 1)
	go func() {
		done <- sys.Pipeline.Do(t.Context(), toolspec.Call{
			ID: "c_edit", Tool: "write_file", Args: json.RawMessage(`{"path":"new.txt","content":"one\n"}`),
			From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "v_edit", Interactive: true},
		})
	}()
	var q event.Approval
	for q.ID == "" {
		if all := sys.Approvals.WaitingApprovals(); len(all) > 0 {
			q = all[0]
		}
		runtime.Gosched()
	}
	if q.EditArg != "content" {
		t.Fatalf("%+v", q)
	}
	edited := "two\n"
	if err := sys.Approvals.AnswerWith(t.Context(), q.ID, approval.Reply{
		Answer: event.AnswerOnce, Hash: q.Hash, EditedText: &edited,
	}); err != nil {
		t.Fatal(err)
	}
	r := <-done
	if !r.Success || !strings.Contains(r.Text, "The person edited") {
		t.Errorf("%+v", r)
	}
	text, err := os.ReadFile(filepath.Join(workspace, "new.txt"))
	if err != nil || string(text) != "two\n" {
		t.Errorf("%q %v", text, err)
	}
	rows, err := sys.Audit.List(t.Context(), 1)
	if err != nil || len(rows) != 1 || !strings.Contains(string(rows[0].Args), "two") {
		t.Errorf("the audit log: %+v %v", rows, err)
	}
}
