package sqlite

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"sextant/shared/wire"
)

func TestAcceptedPanelsComeBackWholeAndTheLastOneCounts(t *testing.T) {
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
	if all, err := s.AcceptedPanels(ctx); err != nil || !reflect.DeepEqual(all, []wire.AcceptedPanel{a, b}) {
		t.Fatalf("%+v, %v", all, err)
	}
}

func TestPinnedPanelsAreKeptInTheOrderTheyWerePinned(t *testing.T) {
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

func TestUndosOfPanelsAreFoundByCallTurnAndConversationOfTheirOwner(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	one := func(call, turn, conversation, owner string) wire.PanelUndo {
		u := wire.PanelUndo{
			Call: call, Turn: turn, Conversation: conversation, Owner: owner, Panel: "p", Tool: "t", Did: "Did it",
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
		conversation, owner, turn, call string
		want                            []wire.PanelUndo
	}{
		{"", "", "", "2", []wire.PanelUndo{second}},
		{"", "other", "", "2", nil},
		{"", "", "t1", "", []wire.PanelUndo{first, second}},
		{"c1", "", "", "", []wire.PanelUndo{third}},
		{"c1", "me", "", "", []wire.PanelUndo{second}},
		{"c2", "", "", "", nil},
	} {
		if got, err := s.PanelUndos(ctx, c.conversation, c.owner, c.turn, c.call); err != nil ||
			!slices.EqualFunc(got, c.want, func(a, b wire.PanelUndo) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("%+v: got %+v, %v", c, got, err)
		}
	}
	if moved, err := s.MovePanelUndo(ctx, "2", wire.UndoReady, wire.UndoDone, ""); !moved || err != nil {
		t.Fatal(moved, err)
	}
	if moved, err := s.MovePanelUndo(ctx, "2", wire.UndoReady, wire.UndoDone, ""); moved || err != nil {
		t.Error("it was taken back twice")
	}
	if got, err := s.PanelUndos(ctx, "c1", "me", "", ""); err != nil || len(got) != 1 || got[0].Call != "1" {
		t.Errorf("the last one that can be taken back: %+v, %v", got, err)
	}
}
