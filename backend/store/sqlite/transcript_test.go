package sqlite

import (
	"fmt"
	"slices"
	"testing"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"

	"github.com/google/go-cmp/cmp"
)

// addTurn stores a turn with a question, two deltas and an answer, and returns the number of its first event.
func addTurn(t *testing.T, s *Store, id string, before ...event.Event) int64 {
	t.Helper()
	message := func(id string, role chat.Role) event.Event {
		return event.New(event.MessageAdded, chat.Message{
			ID: id, Role: role, Text: id, Status: chat.StatusDone, Outside: []string{"https://" + id + ".example"},
		})
	}
	events := append(before,
		message("q"+id, chat.RoleUser),
		event.New(event.TurnStarted, event.Turn{ID: id, Status: chat.StatusRunning}),
		event.New(event.TextDelta, event.Delta{Message: "a" + id, Text: "a"}),
		event.New(event.TextDelta, event.Delta{Message: "a" + id, Text: id}),
		message("a"+id, chat.RoleAssistant),
		event.New(event.TurnEnded, event.Turn{ID: id, Status: chat.StatusDone}),
	)
	for i := range events {
		events[i] = events[i].InTurn("c", id)
	}
	return mustAppend(t, s, events...)[0].Seq
}

func turnsOf(events []event.Event) []string {
	var turns []string
	for _, e := range events {
		if !slices.Contains(turns, e.Turn) {
			turns = append(turns, e.Turn)
		}
	}
	return turns
}

func TestTranscriptReturnsWholeTurns(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	starts := make([]int64, 6)
	for i := range starts {
		starts[i] = addTurn(t, s, fmt.Sprint(i))
	}
	for _, row := range []struct {
		name     string
		page     Page
		turns    []string
		from, to int64
	}{
		{"the end", Page{Limit: 3}, []string{"4", "5"}, starts[4], 0},
		{"before the loaded part", Page{Before: starts[4], Limit: 2}, []string{"3"}, starts[3], starts[4] - 1},
		{"the start", Page{Before: starts[1], Limit: 50}, []string{"0"}, 0, starts[1] - 1},
		{"after a part", Page{After: starts[2] - 1, Limit: 2}, []string{"2"}, starts[2], starts[3] - 1},
		{"up to the end", Page{After: starts[4] - 1, Limit: 4}, []string{"4", "5"}, starts[4], 0},
		{"around an answer", Page{Around: starts[2] + 4, Limit: 2}, []string{"2", "3"}, starts[2], starts[4] - 1},
		{"around the first question", Page{Around: starts[0], Limit: 1}, []string{"0"}, 0, starts[1] - 1},
		{"everything", Page{Limit: 500}, []string{"0", "1", "2", "3", "4", "5"}, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := s.Transcript(t.Context(), "c", row.page)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.turns, turnsOf(got.Events)); diff != "" {
				t.Error("turns (-want +got):\n" + diff)
			}
			if got.From != row.from || got.Until != row.to {
				t.Errorf("from %d until %d, want %d and %d", got.From, got.Until, row.from, row.to)
			}
		})
	}
	t.Run("no messages", func(t *testing.T) {
		got, err := s.Transcript(t.Context(), "other", Page{Limit: 5})
		if err != nil || len(got.Events) > 0 || got.From != 0 || got.Until != 0 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestBranchTree(t *testing.T) {
	t.Parallel()
	s := openNew(t)
	begin := func(id, after, replaces string) event.Event {
		return event.New(event.BranchStarted, event.Branch{ID: id, After: after, Replaces: replaces})
	}
	addTurn(t, s, "1")
	second := addTurn(t, s, "2")
	third := addTurn(t, s, "3", begin("edit", "a1", "q2"))
	fourth := addTurn(t, s, "4", begin("again", "", "q3")) // replaces the first message of "edit"
	fifth := addTurn(t, s, "5", begin("later", "q4", ""))
	chosen := mustAppend(t, s, event.New(event.BranchChosen, event.BranchRef{ID: "edit"}).InTurn("c", ""))[0].Seq

	got, err := s.BranchTree(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.BranchNode{
		{ID: ""},
		{ID: "edit", Cut: second, Used: chosen},
		{ID: "again", Cut: second, Used: fourth},
		{ID: "later", Parent: "again", Cut: fourth + 2, Used: fifth},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("tree (-want +got):\n" + diff)
	}
	page, err := s.Transcript(t.Context(), "c", Page{Before: fourth, Limit: 1})
	if err != nil || page.Branch != "" || page.From != third {
		t.Errorf("branch %q before event %d, want the first branch before %d: %v", page.Branch, page.From, third, err)
	}
	// The active branch "edit" shares only the first turn.
	sources, err := s.EarlierSources(t.Context(), "c", chosen)
	slices.Sort(sources)
	want2 := []string{"https://a1.example", "https://a3.example", "https://q1.example", "https://q3.example"}
	if diff := cmp.Diff(want2, sources); diff != "" || err != nil {
		t.Errorf("sources (-want +got):\n%s%v", diff, err)
	}
}
