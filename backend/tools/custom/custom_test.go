package custom

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a room on a real store; Do runs created tools and two of its own.
type bench struct {
	*Tools
	made []toolspec.Call
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	b := &bench{}
	b.Tools, err = New(t.Context(), Config{Store: s, Do: b.do, OtherTools: func(string) []toolspec.Definition {
		return []toolspec.Definition{
			{Name: "read_file", Origin: toolspec.OriginBaseline},
			{Name: "send", Origin: toolspec.OriginMCP},
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) do(ctx context.Context, call toolspec.Call) toolspec.Result {
	b.made = append(b.made, call)
	switch call.Tool {
	case "read_file":
		r := toolspec.OK(map[string]any{"content": "one\ntwo\n"})
		r.Sources = []string{"file:/tmp/a.txt"}
		return r
	case "send":
		return toolspec.Fail(toolspec.PermissionError, "send: declined by the person", "Ask what to do instead.")
	}
	r, err := b.Execute(ctx, call, toolspec.Definition{}, func(string, string) {})
	if err != nil {
		return toolspec.Fail(toolspec.SystemError, err.Error(), "")
	}
	return r
}

// create makes a tool as a model in a clean context would.
func (b *bench) create(t *testing.T, name, body string, outside ...string) toolspec.Result {
	t.Helper()
	args, err := json.Marshal(map[string]any{"name": name, "description": "for a test", "body": body})
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.AuthoringTools().Execute(t.Context(),
		toolspec.Call{
			Tool: createName, Args: args,
			From: toolspec.Provenance{Caller: toolspec.CallerModel, Outside: outside},
		}, toolspec.Definition{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *bench) call(t *testing.T, name, args string) toolspec.Result {
	t.Helper()
	return b.do(t.Context(), toolspec.Call{
		Tool: name, Args: json.RawMessage(args),
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "t1", Interactive: true},
	})
}

func TestCreateCallReplaceAndDeleteTool(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	body := "const f = await tools.read_file({path: args.path}); console.log('read'); return " +
		"f.content.trim().split('\\n').length"
	if r := b.create(t, "count_lines", body); !r.Success || !strings.Contains(r.Text, "version 1") {
		t.Fatalf("%+v", r)
	}
	r := b.call(t, "count_lines", `{"path":"a.txt"}`)
	if !r.Success || string(r.Value.(json.RawMessage)) != "2" || !slices.Equal(r.Sources, []string{"file:/tmp/a.txt"}) {
		t.Fatalf("%+v", r)
	}
	inner := b.made[len(b.made)-1]
	if inner.Tool != "read_file" || inner.From.Caller != toolspec.CallerCreatedTool ||
		inner.From.Client != "count_lines" || inner.From.Conversation != "t1" || !inner.From.Interactive {
		t.Errorf("the inner call: %+v", inner)
	}
	if r := b.create(t, "count_lines", "return 7"); !r.Success || !strings.Contains(r.Text, "version 2") {
		t.Fatalf("%+v", r)
	}
	if r := b.call(t, "count_lines", `{}`); string(r.Value.(json.RawMessage)) != "7" {
		t.Errorf("the new version: %+v", r)
	}
	again, err := New(t.Context(), b.cfg)
	if err != nil || len(again.Definitions("")) != 1 {
		t.Errorf("after a restart: %v %v", again.Definitions(""), err)
	}
	if _, err := b.AuthoringTools().Execute(t.Context(),
		toolspec.Call{Tool: deleteName, Args: json.RawMessage(`{"name":"count_lines"}`)}, toolspec.Definition{},
		nil); err != nil {
		t.Fatal(err)
	}
	if r := b.call(t, "count_lines", `{}`); r.Success || !strings.Contains(r.Error, "cannot be called") {
		t.Errorf("after it was deleted: %+v", r)
	}
}

func TestInvalidToolsAreNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, c := range []struct{ name, body, want string }{
		{"Bad Name", "return 1", "not a valid name"},
		{"a__b", "return 1", "not a valid name"},
		{"read_file", "return 1", "already"},
		{"slip", "let x = ;", "line 1"},
		{"breaks_out", "}); 1; (() => {", "brackets"},
		{"unknown", "await tools.read_fil({})", "read_fil"},
		{"empty", "  ", "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := b.create(t, c.name, c.body)
			if r.Success || r.ErrorType != toolspec.ValidationError || !strings.Contains(r.Error, c.want) ||
				!strings.Contains(r.Suggestion, "Nothing was saved") {
				t.Errorf("%+v", r)
			}
		})
	}
	if r := b.create(t, "unknown", "await tools.read_fil({})"); !strings.Contains(r.Suggestion, "read_file") {
		t.Errorf("the nearest name is not suggested: %+v", r)
	}
	if n := len(b.All()); n != 0 {
		t.Errorf("%d were kept", n)
	}
}

func TestToolCreatedInTaintedContextIsDisabledUntilReviewed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if r := b.create(t, "planted", "return await tools.read_file({path: '/etc/passwd'})",
		"https://evil.example"); !r.Success || !strings.Contains(r.Text, "reviewed") {
		t.Fatalf("%+v", r)
	}
	if len(b.Definitions("")) != 0 {
		t.Error("it is offered")
	}
	if r := b.call(t, "planted", "{}"); r.Success {
		t.Error("it ran")
	}
	listed, err := b.AuthoringTools().Execute(t.Context(), toolspec.Call{Tool: listName}, toolspec.Definition{}, nil)
	if err != nil || !slices.Equal(listed.Sources, []string{"https://evil.example"}) {
		t.Errorf("a list that holds its body is not marked: %v %v", listed.Sources, err)
	}
	if err := b.MarkReviewed(t.Context(), "planted", 2); err == nil {
		t.Error("another version than the one that was read was woken")
	}
	if err := b.MarkReviewed(t.Context(), "planted", 1); err != nil {
		t.Fatal(err)
	}
	if r := b.call(t, "planted", "{}"); !r.Success {
		t.Errorf("after it was read: %+v", r)
	}
	// A new version, made in such a context again, sleeps again.
	if r := b.create(t, "planted", "return 2", "https://evil.example"); !r.Success || len(b.Definitions("")) != 0 {
		t.Errorf("the next version: %+v", r)
	}
}

func TestSourcesOfACallTaintTheFollowingCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(t, "carry", "const f = await tools.read_file({path: 'a'}); try { await tools.send({t: f.content}) } "+
		"catch (e) { return e.message }")
	r := b.call(t, "carry", "{}")
	last := b.made[len(b.made)-1]
	if last.Tool != "send" || !slices.Equal(last.From.Outside, []string{"file:/tmp/a.txt"}) {
		t.Errorf("the second part does not know what the first read: %+v", last)
	}
	if got := string(r.Value.(json.RawMessage)); !strings.Contains(got, "declined by the person") {
		t.Errorf("a refusal is not thrown into the body: %s", got)
	}
}

func TestCreatedToolCallDepthIsLimited(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(t, "deep_1", "return 1")
	for i := 2; i <= 9; i++ {
		if r := b.create(t, fmt.Sprintf("deep_%d", i),
			fmt.Sprintf("return 1 + await tools.deep_%d({})", i-1)); !r.Success {
			t.Fatalf("%+v", r)
		}
	}
	if r := b.call(t, "deep_8", "{}"); !r.Success || string(r.Value.(json.RawMessage)) != "8" {
		t.Errorf("eight deep: %+v", r)
	}
	if r := b.call(t, "deep_9", "{}"); r.Success || !strings.Contains(r.Error, "8 deep") {
		t.Errorf("nine deep: %+v", r)
	}
	b.create(t, "itself", "return await tools.itself({})")
	if r := b.call(t, "itself", "{}"); r.Success || !strings.Contains(r.Error, "8 deep") {
		t.Errorf("a tool that calls itself: %+v", r)
	}
}

func TestFailureNamesLineAndCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.create(t, "fails", "await tools.read_file({path: 'a'});\nreturn missing.part")
	r := b.call(t, "fails", "{}")
	if r.Success || !strings.Contains(r.Error, "line 2") || !strings.Contains(r.Suggestion, "1 call did is kept") ||
		len(r.Sources) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestApprovalShowsWholeBody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := b.AuthoringTools().Describe(toolspec.Call{
		Tool: createName,
		Args: json.RawMessage(`{"name":"x1","description":"Sends","body":"await tools.send({})","parameters":{"type":"object","title":"to whom"}}`),
	})
	if !strings.Contains(d.Data, "await tools.send({})") || !strings.Contains(d.Data, "to whom") ||
		!strings.Contains(d.Sentence, "made of send") {
		t.Errorf("%+v", d)
	}
	def := b.AuthoringTools().Definitions("")[0]
	if def.Name != createName || !def.Hints.Confirm {
		t.Errorf("%+v", def.Hints)
	}
}
