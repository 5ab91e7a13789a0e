package unattended_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/unattended"
	"sextant/shared/toolspec"
)

func TestRunStaysWithinItsCard(t *testing.T) {
	runs := unattended.New()
	ctx, cancel := context.WithCancelCause(t.Context())
	noted := 0
	runs.Begin("r", unattended.Run{
		Card: &toolspec.Card{Tools: []string{"press"}, Acts: 2}, Cancel: cancel,
		BeforeAct: func(toolspec.Card) error { noted++; return nil },
	})
	press := toolspec.Card{Tools: []string{"press"}, Acts: 1}
	for range 2 {
		if err := runs.Use("r", press); err != nil {
			t.Error(err)
		}
	}
	if err := runs.Use("r", press); err == nil || !errors.Is(context.Cause(ctx), unattended.ErrParked) {
		t.Errorf("a third act: %v, and the run ended because of %v", err, context.Cause(ctx))
	}
	runs.Park("r", "another reason", "", toolspec.Card{})
	usage := runs.End("r")
	if noted != 2 || !usage.Parked || usage.Used.Acts != 2 || usage.Wanted != nil ||
		usage.Reason != "It has acted as often as the permission card allows, and wanted to go on." {
		t.Errorf("%d %+v", noted, usage)
	}
	if _, ok := runs.Card("r"); ok || runs.Use("r", press) == nil {
		t.Error("a run that ended has a card")
	}
	if usage := runs.End("r"); usage.Parked {
		t.Errorf("%+v", usage)
	}
}

func TestParkedRunSaysWhatItWanted(t *testing.T) {
	runs := unattended.New()
	_, cancel := context.WithCancelCause(t.Context())
	runs.Begin("r", unattended.Run{Card: &toolspec.Card{}, Cancel: cancel})
	wanted := toolspec.Card{Hosts: []string{"evil.example"}}
	runs.Park("r", "no", "Open evil.example?", wanted)
	want := unattended.Usage{Parked: true, Reason: "no", Question: "Open evil.example?", Wanted: &wanted}
	if diff := cmp.Diff(want, runs.End("r")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRunWaitsWhileItIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := unattended.New()
		if err := runs.TakeOver("r"); !errors.Is(err, unattended.ErrEnded) {
			t.Error("a run that does not run was taken over:", err)
		}
		acts := 0
		runs.Begin("r", unattended.Run{BeforeAct: func(toolspec.Card) error { acts++; return nil }})
		runs.AwaitReturn(t.Context(), "r")
		for _, giveBack := range []func(){func() { runs.GiveBack("r") }, func() { runs.End("r") }} {
			if err := runs.TakeOver("r"); err != nil || !runs.IsTakenOver("r") {
				t.Fatal("the run was not taken over:", err)
			}
			begun := time.Now()
			time.AfterFunc(time.Hour, giveBack)
			runs.AwaitReturn(t.Context(), "r")
			if waited := time.Since(begun); waited != time.Hour || runs.IsTakenOver("r") {
				t.Errorf("it waited for %v", waited)
			}
		}
		if acts != 2 {
			t.Errorf("what a person may have done was noted %d times", acts)
		}
	})
}
