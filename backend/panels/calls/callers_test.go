package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func TestPanelCallIsNeverUserCall(t *testing.T) {
	var got toolspec.Call
	c := New(func(_ context.Context, call toolspec.Call) toolspec.Result { got = call; return toolspec.OK(1) })
	within := toolspec.Provenance{
		Caller: toolspec.CallerPerson, Conversation: "talk", Turn: "t1", Interactive: true,
		TypedHosts: []string{"shop.example"}, YesTo: "all", Outside: []string{"https://shop.example"},
		UnattendedRun: "r1",
	}
	c.Call(t.Context(), Request{Panel: "notes", Tool: "x", Parent: &within})
	want := toolspec.Provenance{
		Caller: toolspec.CallerPanel, Client: "notes", Conversation: "talk", Turn: "t1", Interactive: true,
		NeedsFullResults: true,
		Outside:          []string{"https://shop.example", "panel:notes"},
		UnattendedRun:    "r1",
	}
	if fmt.Sprint(got.From) != fmt.Sprint(want) || got.Panel != "notes" || string(got.Args) != "{}" {
		t.Errorf("%+v", got)
	}
}

func TestPanelReadsTaintLaterCalls(t *testing.T) {
	reads := "https://shop.example"
	var outside []string
	c := New(func(_ context.Context, call toolspec.Call) toolspec.Result {
		outside = call.From.Outside
		r := toolspec.OK(1)
		r.Sources = []string{reads, "panel:" + call.Panel}
		return r
	})
	c.Call(t.Context(), Request{Panel: "notes", Tool: "x"})
	c.Call(t.Context(), Request{Panel: "notes", Tool: "x"})
	if diff := cmp.Diff([]string{"https://shop.example", "panel:notes"}, outside); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	c.Call(t.Context(), Request{Panel: "other", Tool: "x"})
	if diff := cmp.Diff([]string{"panel:other"}, outside); diff != "" {
		t.Errorf("of another panel (-want +got):\n%s", diff)
	}
	for i := range 2 * maxRead {
		reads = fmt.Sprintf("https://%d.example", i)
		c.Call(t.Context(), Request{Panel: "third", Tool: "x"})
	}
	if len(outside) > maxRead+2 || !slices.Contains(outside, manySources) {
		t.Errorf("%d sources: %v", len(outside), outside)
	}
}

func TestCallRateLimit(t *testing.T) {
	done := 0
	c := New(func(context.Context, toolspec.Call) toolspec.Result { done++; return toolspec.OK(1) })
	now := time.Unix(1000, 0)
	c.now = func() time.Time { return now }
	refused := 0
	for range 1000 {
		if r := c.Call(t.Context(), Request{Panel: "notes", Tool: "x"}); !r.Success {
			refused++
		}
	}
	if done != burst || refused != 1000-burst {
		t.Errorf("%d done, %d refused", done, refused)
	}
	if r := c.Call(t.Context(), Request{Panel: "other", Tool: "x"}); !r.Success {
		t.Errorf("another panel pays for it: %+v", r)
	}
	now = now.Add(time.Second)
	done = 0
	for range 100 {
		c.Call(t.Context(), Request{Panel: "notes", Tool: "x"})
	}
	if done != rate {
		t.Errorf("%d a second", done)
	}
}

func TestPendingCallLimit(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{}, atOnce)
	c := New(func(context.Context, toolspec.Call) toolspec.Result {
		started <- struct{}{}
		<-release
		return toolspec.OK(1)
	})
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() { c.Call(context.Background(), Request{Panel: "notes", Tool: "ask"}) })
	}
	for range atOnce {
		<-started
	}
	if r := c.Call(t.Context(), Request{Panel: "notes", Tool: "ask"}); r.Success ||
		!strings.Contains(r.Error, "already running") {
		t.Errorf("%+v", r)
	}
	close(release)
	all.Wait()
	if r := c.Call(t.Context(), Request{Panel: "notes", Tool: "ask"}); !r.Success {
		t.Errorf("%+v", r)
	}
}

func TestCallDepthLimit(t *testing.T) {
	var c *Gateway
	deepest := toolspec.Result{}
	c = New(func(ctx context.Context, call toolspec.Call) toolspec.Result {
		r := c.Call(ctx, Request{Panel: call.Panel, Tool: call.Tool})
		if !r.Success {
			deepest = r
		}
		return toolspec.OK(1)
	})
	c.Call(t.Context(), Request{Panel: "notes", Tool: "again"})
	if !strings.Contains(deepest.Error, "deep") {
		t.Errorf("%+v", deepest)
	}
	if r := c.Call(t.Context(), Request{
		Panel: "notes", Tool: "x",
		Args: json.RawMessage(strings.Repeat(" ", maxArgs+1)),
	}); r.ErrorType != toolspec.ValidationError {
		t.Errorf("%+v", r)
	}
}
