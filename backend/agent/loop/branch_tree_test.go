package loop_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// branchTree grows one conversation at random and records what the user said in each branch.
type branchTree struct {
	*branchHarness
	t    *rapid.T
	id   string
	n    int
	ways map[string][]string
	all  []string
	now  string
}

// mine are the user messages in the active branch.
func (b *branchTree) mine() []chat.Message {
	list, err := b.Store.Messages(context.Background(), b.id)
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(m chat.Message) bool { return m.Role != chat.RoleUser })
}

// ask sends a unique question to a model of one format or the other.
func (b *branchTree) ask() loop.TurnRequest {
	b.n++
	model := rapid.SampledFrom([]string{"openai/m", "anthropic/m"}).Draw(b.t, "model")
	return loop.TurnRequest{Conversation: b.id, Text: fmt.Sprintf("%s question %d.", b.id, b.n), Model: model}
}

func (b *branchTree) answered(_ string, err error) {
	if err != nil {
		b.t.Fatal(err)
	}
	limit := time.After(20 * time.Second)
	for {
		select {
		case e := <-b.seen:
			if e.Kind != event.TurnEnded {
				continue
			}
			if end := data[event.Turn](e); end.Status != chat.StatusDone {
				b.t.Fatalf("the service was sent what it does not take: %+v", end)
			}
			return
		case <-limit:
			b.t.Fatal("no end")
		}
	}
}

// recordBranch records a new branch and what the user said in it.
func (b *branchTree) recordBranch(way []string) {
	_, active, err := b.Branches(context.Background(), b.id)
	if err != nil || active == b.now {
		b.t.Fatalf("still in %q, %v", active, err)
	}
	b.now = active
	b.all = append(b.all, active)
	b.ways[active] = slices.Clone(way)
}

// crash ends the program in the middle of a turn, perhaps one that begins a branch: only the first of its
// events were recorded.
func (b *branchTree) crash() {
	request := b.ask()
	in := func(k event.Kind, v any) event.Event {
		return event.New(k, v).InTurn(b.id, fmt.Sprint("t-", request.Text))
	}
	call := func(n int) chat.ToolCall {
		return chat.ToolCall{ID: fmt.Sprintf("dead%d-%s", n, request.Text), Name: "act", Args: []byte(`{}`)}
	}
	id := func(n int) string { return fmt.Sprintf("m-%s-%d", request.Text, n) }
	begun := []event.Event{
		in(event.MessageAdded, chat.Message{
			ID: id(0), Role: chat.RoleUser, Text: request.Text, Status: chat.StatusDone,
		}),
		in(event.TurnStarted, event.Turn{ID: "t-" + request.Text}),
	}
	way := b.ways[b.now]
	list := b.mine()
	parts := len(list) > 0 && rapid.Bool().Draw(b.t, "in a branch")
	if parts {
		at := rapid.IntRange(0, len(list)-1).Draw(b.t, "at")
		way = way[:at+1]
		begun = append(
			[]event.Event{in(event.BranchStarted, event.Branch{ID: "b-" + request.Text, After: list[at].ID})},
			begun...)
	}
	steps := []event.Event{
		in(event.TextDelta, event.Delta{Message: id(1), Text: "I will"}),
		in(
			event.MessageAdded,
			chat.Message{
				ID:     id(1),
				Role:   chat.RoleAssistant,
				Calls:  []chat.ToolCall{call(1), call(2)},
				Status: chat.StatusDone,
			},
		),
		in(
			event.MessageAdded,
			chat.Message{ID: id(2), Role: chat.RoleTool, CallID: call(1).ID, Text: "done", Status: chat.StatusDone},
		),
		in(
			event.MessageAdded,
			chat.Message{ID: id(3), Role: chat.RoleTool, CallID: call(2).ID, Text: "done", Status: chat.StatusDone},
		),
	}
	steps = steps[:rapid.IntRange(0, len(steps)).Draw(b.t, "recorded")]
	if _, err := b.AppendEvents(context.Background(), append(begun, steps...)); err != nil {
		b.t.Fatal(err)
	}
	if parts {
		b.recordBranch(way)
	}
	b.ways[b.now] = append(slices.Clone(b.ways[b.now]), request.Text)
	b.restart(b.t)
}

func (b *branchTree) step() {
	ctx := context.Background()
	list, way := b.mine(), b.ways[b.now]
	switch rapid.SampledFrom([]string{"ask", "ask", "edit", "retry", "choose", "die"}).Draw(b.t, "step") {
	case "edit":
		if len(list) == 0 {
			return
		}
		at := rapid.IntRange(0, len(list)-1).Draw(b.t, "at")
		request := b.ask()
		b.answered(b.Edit(ctx, request, list[at].ID))
		b.recordBranch(append(slices.Clone(way[:at]), request.Text))
	case "retry":
		if len(list) == 0 {
			return
		}
		at := rapid.IntRange(0, len(list)-1).Draw(b.t, "at")
		b.answered(b.Retry(ctx, b.ask(), list[at].ID))
		b.recordBranch(way[:at+1])
	case "choose":
		b.now = rapid.SampledFrom(b.all).Draw(b.t, "branch")
		if err := b.ChooseBranch(ctx, b.id, b.now); err != nil {
			b.t.Fatal(err)
		}
	case "die":
		b.crash()
	default:
		request := b.ask()
		b.answered(b.Start(ctx, request))
		b.ways[b.now] = append(slices.Clone(way), request.Text)
	}
	var got []string
	for _, m := range b.mine() {
		got = append(got, m.Text)
	}
	if !slices.Equal(got, b.ways[b.now]) {
		b.t.Fatalf("in branch %q was said %q, want %q", b.now, got, b.ways[b.now])
	}
}

// TestEveryBranchOfEveryTree grows random trees, with turns in which the program
// crashed, and asks one more question in every branch. The services refuse a call without its result right
// after it, and a result without its call, in their own formats.
func TestEveryBranchOfEveryTree(t *testing.T) {
	k := newBranchHarness(t)
	models := providers.New(providers.Config{
		Services: map[string]providers.Service{
			"openai":    {BaseURL: k.service.URL(), Key: "k"},
			"anthropic": {BaseURL: k.service.URL(), Key: "k"},
		},
		LocalPorts: map[string]int{}, RetryDelay: time.Millisecond,
	})
	defer models.Close()
	config := k.config
	k.config = func() loop.Config {
		c := config()
		c.Models = models
		return c
	}
	k.restart(t)
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		last := r.Messages[len(r.Messages)-1]
		if n := len(last.Content) % 3; last.Role == "user" && n > 0 {
			return calls([]openaitest.Call{call2("look", 1), call2("act", 2)}[:n]...)
		}
		return openaitest.Answer{Text: "Answered."}
	}
	questions := regexp.MustCompile(`c\d+ question \d+\.`)
	trees, requestBytes := 0, 0
	// Each event is synced to disk, which is slow: some trees are enough for every push.
	checks := "20"
	if os.Getenv("SEXTANT_WHOLE") != "" {
		checks = "500"
	}
	for name, value := range map[string]string{"rapid.checks": checks, "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		trees++
		g := &branchTree{
			branchHarness: k, t: r, id: fmt.Sprint("c", trees), ways: map[string][]string{"": nil},
			all: []string{""},
		}
		for range rapid.IntRange(3, 14).Draw(r, "steps") {
			g.step()
		}
		for _, branch := range g.all {
			if err := g.ChooseBranch(context.Background(), g.id, branch); err != nil {
				r.Fatal(err)
			}
			request := g.ask()
			sent := len(k.service.Requests())
			g.answered(g.Start(context.Background(), request))
			var read []string
			for _, m := range k.service.Requests()[sent].Messages {
				if m.Role == "user" {
					read = append(read, questions.FindAllString(m.Content, -1)...)
				}
			}
			if want := append(slices.Clone(g.ways[branch]), request.Text); !slices.Equal(read, want) {
				r.Fatalf("in branch %q the model read %q, want %q", branch, read, want)
			}
			requestBytes++
		}
	})
	t.Logf("%d trees, %d branches asked", trees, requestBytes)
}
