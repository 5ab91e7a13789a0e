package sqlite

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sextant/shared/wire"
)

func TestAcceptedPanelsRoundTrip(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	a := wire.AcceptedPanel{Panel: "a", Hash: "1", Manifest: "{}", Tools: map[string]string{"x": `{"y":1}`}}
	b := wire.AcceptedPanel{Panel: "b", Hash: "2", Manifest: "{ }", Tools: map[string]string{}, Declined: "3"}
	if err := s.SaveAcceptedPanels(ctx, []wire.AcceptedPanel{a, b}); err != nil {
		t.Fatal(err)
	}
	a.Hash = "4"
	if err := s.SaveAcceptedPanels(ctx, []wire.AcceptedPanel{a}); err != nil {
		t.Fatal(err)
	}
	all, err := s.AcceptedPanels(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wire.AcceptedPanel{a, b}, all); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPinnedPanelsKeepOrder(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	for _, id := range []string{"z", "a", "z"} {
		if err := s.PinPanel(ctx, id, true); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := s.PinnedPanels(ctx); err != nil || !slices.Equal(all, []string{"z", "a"}) {
		t.Fatalf("%v, %v", all, err)
	}
	if err := s.PinPanel(ctx, "z", false); err != nil {
		t.Fatal(err)
	}
	if all, err := s.PinnedPanels(ctx); err != nil || !slices.Equal(all, []string{"a"}) {
		t.Fatalf("%v, %v", all, err)
	}
}

func TestPanelUndosByCallTurnAndConversation(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	one := func(call, turn, conversation, owner string) wire.PanelUndo {
		u := wire.PanelUndo{
			Call: call, Turn: turn, Conversation: conversation, Owner: owner, Panel: "p", Tool: "t", Sentence: "Did it",
			Method: "POST", Path: "/api/p/x", Body: "{}", State: wire.UndoReady, Time: at,
		}
		if err := s.AddPanelUndo(ctx, u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	first, second, third := one("1", "t1", "c1", "me"), one("2", "t1", "c1", "me"), one("3", "t2", "c1", "other")
	for i, u := range []*wire.PanelUndo{&first, &second, &third} {
		u.ID = int64(i + 1)
	}
	for _, c := range []struct {
		name, conversation, owner, turn, call string
		want                                  []wire.PanelUndo
	}{
		{"call", "", "", "", "2", []wire.PanelUndo{second}},
		{"call of another owner", "", "other", "", "2", nil},
		{"turn", "", "", "t1", "", []wire.PanelUndo{first, second}},
		{"conversation", "c1", "", "", "", []wire.PanelUndo{third}},
		{"conversation and owner", "c1", "me", "", "", []wire.PanelUndo{second}},
		{"unknown conversation", "c2", "", "", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.PanelUndos(ctx, c.conversation, c.owner, c.turn, c.call)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if moved, err := s.ChangePanelUndoState(ctx, "2", wire.UndoReady, wire.UndoDone, ""); !moved || err != nil {
		t.Fatal(moved, err)
	}
	if moved, err := s.ChangePanelUndoState(ctx, "2", wire.UndoReady, wire.UndoDone, ""); moved || err != nil {
		t.Error("it was undone twice")
	}
	if got, err := s.PanelUndos(ctx, "c1", "me", "", ""); err != nil || len(got) != 1 || got[0].Call != "1" {
		t.Errorf("the last one that can be undone: %+v, %v", got, err)
	}
}
