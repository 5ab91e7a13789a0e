package app

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/store/eventlog"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// scripted answers each talk by what its first message begins with ("parent: …").
func scripted(model *openaitest.Server, scripts map[string][]openaitest.Answer) {
	var mu sync.Mutex
	model.SetAnswer(func(r openaitest.Request) openaitest.Answer {
		mu.Lock()
		defer mu.Unlock()
		who := ""
		for _, m := range r.Messages {
			if m.Role == "user" {
				who, _, _ = strings.Cut(m.Content, ":")
				break
			}
		}
		left := scripts[who]
		if len(left) == 0 {
			return openaitest.Answer{Text: who + " is done"}
		}
		scripts[who] = left[1:]
		return left[0]
	})
}

func toolCall(name string, args map[string]any) openaitest.Answer {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return openaitest.Answer{Calls: []openaitest.Call{{Name: name, Args: string(b)}}}
}

// startSubagent is a turn of the model that runs a subagent.
func startSubagent(task string) openaitest.Answer {
	return toolCall(toolspec.RunSubagent, map[string]any{"task": task})
}

func TestApprovalOfASubagentAppliesToTheWholeConversation(t *testing.T) {
	write := toolCall("write_file", map[string]any{"path": "note.txt", "content": "x"})
	model := serviceOf(t)
	scripted(model, map[string][]openaitest.Answer{
		"parent": {
			startSubagent("one: write the note"), startSubagent("two: write it again"),
			startSubagent("three: do what is forbidden"),
		},
		"one": {write}, "two": {write},
		"three": {toolCall("list_directory", map[string]any{"path": "."})},
	})
	workspace, flags := t.TempDir(), testFlags(t)
	flags["workspace"] = workspace
	sys := openWith(t, flags, OpenOptions{Serve: true})
	if err := sys.Store.AddGrant(t.Context(),
		toolspec.Grant{ID: "g1", Scope: toolspec.GrantForbid, Tool: "list_directory", Text: "never"}); err != nil {
		t.Fatal(err)
	}
	asked := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ApprovalAsked}}, eventlog.FromNow)
	defer asked.Close()
	talk, err := sys.Loop.NewConversation(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var questions []event.Approval
	answering := make(chan struct{})
	go func() {
		defer close(answering)
		for e := range asked.C() {
			var a event.Approval
			if err := json.Unmarshal(e.Data, &a); err != nil {
				t.Error(err)
			}
			questions = append(questions, a)
			if err := sys.Approvals.Answer(t.Context(), a.ID, event.AnswerConversation, "", a.Hash); err != nil {
				t.Error(err)
			}
		}
	}()
	o, err := sys.Loop.Run(t.Context(), loop.TurnRequest{
		Conversation: talk.ID, Text: "parent: go", Model: "openai/m",
		Interactive: true,
	})
	asked.Close()
	<-answering
	if err != nil || o.Status != chat.StatusDone {
		t.Fatalf("%+v %v", o, err)
	}
	if len(questions) != 1 || !strings.HasSuffix(questions[0].Question, ", for the subagent “one: write the note”?") ||
		questions[0].Conversation == talk.ID {
		t.Errorf("%d questions: %+v", len(questions), questions)
	}
	if b, err := os.ReadFile(filepath.Join(workspace, "note.txt")); string(b) != "x" {
		t.Errorf("%q %v", b, err)
	}
	reported := ""
	for _, r := range model.Requests() {
		reported += r.LastContent()
	}
	if !strings.Contains(reported, "list_directory") || !strings.Contains(reported, "never") {
		t.Errorf("a rule that forbids a tool does not apply to a subagent: %s", reported)
	}

	list, err := sys.Store.Conversations(t.Context())
	if err != nil || len(list) != 4 {
		t.Fatalf("%+v %v", list, err)
	}
	c := clientOf(t, sys)
	for _, child := range list {
		if child.ID == talk.ID {
			continue
		}
		if child.Parent != talk.ID || child.ParentCall == "" || child.Status != chat.StatusDone {
			t.Errorf("%+v", child)
		}
		if status, body := c.do(http.MethodPost, "/api/conversations/"+child.ID+"/messages",
			map[string]any{"text": "go on", "model": "pilot"}); status != http.StatusConflict ||
			!strings.Contains(string(body), "subagent") {
			t.Errorf("a message to it: %d %s", status, body)
		}
	}
	if status, body := c.do(http.MethodDelete, "/api/conversations/"+talk.ID, nil); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
	if list, err = sys.Store.Conversations(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("after the conversation was deleted: %+v %v", list, err)
	}
}

func TestProgramStartsASubagentOverHTTP(t *testing.T) {
	model := serviceOf(t)
	scripted(model, map[string][]openaitest.Answer{
		"child": {lookAround(), {Text: "three panels", Usage: openaitest.Usage{Input: 50, Output: 3}}},
	})
	sys := openTest(t, OpenOptions{Serve: true})
	r := clientOf(t, sys).execute(toolspec.RunSubagent,
		map[string]any{"task": "child: count the panels", "model": "openai/m", "read_only": true, "expect": "a number"})
	value, ok := r.Value.(map[string]any)
	if !r.Success || !ok || value["answer"] != "three panels" || value["calls"] != 1.0 || value["rounds"] != 2.0 ||
		value["input_tokens"] != 50.0 {
		t.Fatalf("%+v", r)
	}
	first := model.Requests()[0]
	if !strings.Contains(first.LastContent(), "The answer that is wanted: a number") || first.HasTool("write_file") ||
		first.HasTool(toolspec.RunSubagent) || !first.HasTool("get_workspace_state") {
		t.Errorf("its first question: %s", first.Body)
	}
	if c, err := sys.Store.Conversation(t.Context(), value["conversation"].(string)); err != nil ||
		c.Title != "child: count the panels" {
		t.Errorf("%+v %v", c, err)
	}
	r = clientOf(t, sys).execute(toolspec.RunSubagent,
		map[string]any{"task": "child: x", "model": "openai/m", "tools": []string{"read_fil"}})
	if r.Success || r.ErrorType != toolspec.ValidationError || !strings.Contains(r.Suggestion, "read_file") {
		t.Errorf("%+v", r)
	}
}

// TestConversationIsCompleteAfterAKillDuringASubagent kills the real program in a call of
// a subagent. The service refuses a talk in which a call has no result, as real ones do.
func TestConversationIsCompleteAfterAKillDuringASubagent(t *testing.T) {
	program := Program(t)
	model := serviceOf(t)
	scripted(model, map[string][]openaitest.Answer{
		"parent": {startSubagent("child: wait")},
		"child":  {toolCall("bash", map[string]any{"command": "touch begun; sleep 300", "timeout": 300})},
	})
	flags, workspace := testFlags(t), t.TempDir()
	cmd := exec.Command(program, "run", "parent: go", "--model", "openai/m", "--yes-to", "all", "--data", flags["data"],
		"--config", flags["config"], "--workspace", workspace)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := func() bool {
		_, err := os.Stat(filepath.Join(workspace, "begun"))
		return err == nil
	}
	for until := time.Now().Add(60 * time.Second); !begun() && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	if !begun() {
		t.Fatal("the subagent's command never began")
	}

	sys := openWith(t, flags, OpenOptions{})
	list, err := sys.Store.Conversations(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	for _, c := range list {
		if c.Status != chat.StatusInterrupted {
			t.Errorf("%+v", c)
		}
		if c.Parent != "" {
			continue
		}
		o, err := sys.Loop.Run(
			t.Context(),
			loop.TurnRequest{Conversation: c.ID, Text: "what came of it?", Model: "openai/m"},
		)
		if err != nil || o.Status != chat.StatusDone {
			t.Errorf("%+v %v", o, err)
		}
	}
	requests := model.Requests()
	if last := requests[len(requests)-1]; !strings.Contains(string(last.Body), "its outcome is unknown") {
		t.Errorf("the model is not told that nobody knows: %s", last.Body)
	}
}
