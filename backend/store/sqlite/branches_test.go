package sqlite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sextant/shared/chat"
	"sextant/shared/event"
)

func userMessage(id string) event.Event {
	return event.New(event.MessageAdded, chat.Message{
		ID: id, Role: chat.RoleUser, Text: id,
		Status: chat.StatusDone,
	}).InTurn("c", "t")
}

func branchStarted(id, after string) event.Event {
	return event.New(event.BranchStarted, event.Branch{ID: id, After: after, Replaces: "i"}).InTurn("c", "t")
}

func branchChosen(id string) event.Event {
	return event.New(event.BranchChosen, event.BranchRef{ID: id}).InTurn("c", "")
}

func shown(t *testing.T, s *Store) string {
	t.Helper()
	var ids []string
	for _, m := range messages(t, s) {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

func TestBranchesSurviveRestart(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	mustAppend(t, s, conversationCreated("c"), userMessage("m1"), messageAdded("m2", "", chat.StatusRunning),
		userMessage("m3"), messageAdded("m4", "four", chat.StatusDone))
	mustAppend(t, s, branchStarted("b1", "m2"), userMessage("n3"), messageAdded("n4", "", chat.StatusDone),
		delta("n4", "other four"))
	if got := shown(t, s); got != "m1 m2 n3 n4" {
		t.Fatalf("in the branch: %s", got)
	}
	// A message that is written again keeps its place, whichever branch is active.
	mustAppend(t, s, branchStarted("b2", "n3"), messageAdded("o4", "", chat.StatusDone),
		messageAdded("m4", "four, edited", chat.StatusDone))
	if got := shown(t, s); got != "m1 m2 n3 o4" {
		t.Fatalf("in the branch of the branch: %s", got)
	}
	mustAppend(t, s, branchStarted("b3", ""), userMessage("p1"))
	if got := shown(t, s); got != "p1" {
		t.Fatalf("from the beginning: %s", got)
	}
	mustAppend(t, s, branchChosen("b1"))
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if got := shown(t, s); got != "m1 m2 n3 n4" {
		t.Fatalf("after a restart: %s", got)
	}
	list, active, err := s.Branches(ctx, "c")
	if err != nil || active != "b1" || len(list) != 3 ||
		list[1] != (event.Branch{ID: "b2", After: "n3", Replaces: "i"}) {
		t.Fatalf("%+v, %q, %v", list, active, err)
	}
	mustAppend(t, s, branchChosen(""), conversationCreated("c")) // a new title changes no branch
	if got := messages(t, s); shown(t, s) != "m1 m2 m3 m4" || got[3].Text != "four, edited" {
		t.Fatalf("the first way: %+v", got)
	}
	mustAppend(t, s, event.New(event.ConversationDeleted, event.Removal{ID: "c"}).InTurn("c", ""))
	if list, active, err := s.Branches(ctx, "c"); err != nil || len(list) != 0 || active != "" {
		t.Fatalf("of a deleted conversation: %+v, %q, %v", list, active, err)
	}
}

func TestBranchMustForkFromItsConversation(t *testing.T) {
	s := openNew(t)
	mustAppend(t, s, conversationCreated("c"), userMessage("m1"), conversationCreated("d"))
	elsewhere := event.New(event.BranchStarted, event.Branch{ID: "b", After: "m1"}).InTurn("d", "t")
	for name, e := range map[string]event.Event{
		"after nothing known": branchStarted("b", "none"), "without an id": branchStarted("", "m1"),
		"after another's message": elsewhere, "choosing an unknown one": branchChosen("b"),
	} {
		if _, err := s.AppendEvents(context.Background(), []event.Event{e}); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	mustAppend(t, s, branchStarted("b", "m1"))
	if _, err := s.AppendEvents(context.Background(),
		[]event.Event{event.New(event.BranchChosen, event.BranchRef{ID: "b"}).InTurn("d", "")}); !errors.Is(err,
		ErrNotFound) {
		t.Errorf("a branch of another conversation: %v", err)
	}
}

func TestProgramMessageRoundTrip(t *testing.T) {
	s := openNew(t)
	fromProgram := chat.Message{ID: "m", Role: chat.RoleUser, FromProgram: true}
	mustAppend(t, s, event.New(event.MessageAdded, fromProgram).InTurn("c", "t"), userMessage("n"))
	if got := messages(t, s); !got[0].FromProgram || got[1].FromProgram {
		t.Fatalf("%+v", got)
	}
}

// TestBranchProjectionIsDeterministic makes random trees, compares each path through them with the expected
// one, and replays the events into another store.
func TestBranchProjectionIsDeterministic(t *testing.T) {
	ctx := context.Background()
	s, again := openNew(t), openNew(t)
	round := 0
	for name, value := range map[string]string{"rapid.checks": "50", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		round++
		conversation := fmt.Sprint("c", round)
		last, err := s.LastSeq(ctx)
		if err != nil {
			r.Fatal(err)
		}
		ways := map[string][]string{"": nil}
		order := []string{""}
		active := ""
		write := func(e event.Event) {
			if _, err := s.AppendEvents(ctx, []event.Event{e.InTurn(conversation, "t")}); err != nil {
				r.Fatal(err)
			}
		}
		for n := range rapid.IntRange(1, 40).Draw(r, "steps") {
			id := fmt.Sprintf("%s-%d", conversation, n)
			switch way := ways[active]; rapid.IntRange(0, 4).Draw(r, "step") {
			default:
				write(userMessage(id))
				ways[active] = append(slices.Clone(way), id)
			case 3:
				after := rapid.IntRange(0, len(way)).Draw(r, "after")
				b := event.Branch{ID: id}
				if after > 0 {
					b.After = way[after-1]
				}
				write(event.New(event.BranchStarted, b))
				active = id
				order = append(order, id)
				ways[id] = slices.Clone(way[:after])
			case 4:
				active = rapid.SampledFrom(order).Draw(r, "chosen")
				write(branchChosen(active))
			}
		}
		events, err := s.EventsAfter(ctx, last, 1000)
		if err != nil {
			r.Fatal(err)
		}
		if _, err := again.AppendEvents(ctx, events); err != nil {
			r.Fatal(err)
		}
		for _, of := range append([]string{active}, order...) {
			for _, each := range []*Store{s, again} {
				if _, err := each.AppendEvents(ctx,
					[]event.Event{event.New(event.BranchChosen, event.BranchRef{ID: of}).InTurn(conversation,
						"")}); err != nil {
					r.Fatal(err)
				}
				list, err := each.Messages(ctx, conversation)
				if err != nil {
					r.Fatal(err)
				}
				var ids []string
				for _, m := range list {
					ids = append(ids, m.ID)
				}
				if !slices.Equal(ids, ways[of]) {
					r.Fatalf("branch %q is %v, want %v", of, ids, ways[of])
				}
			}
			a, _, errA := s.Branches(ctx, conversation)
			b, _, errB := again.Branches(ctx, conversation)
			if diff := cmp.Diff(a, b); errA != nil || errB != nil || diff != "" {
				r.Fatalf("%v, %v, branches differ (-first +second):\n%s", errA, errB, diff)
			}
		}
	})
}
