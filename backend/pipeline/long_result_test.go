package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"sextant/backend/policy"
	"sextant/backend/store/results"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// numberedLines returns n numbered lines of text.
func numberedLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d 漢字 and more\n", i+1)
	}
	return b.String()
}

// program returns a call of a program that can read results in parts.
func program(tool string) toolspec.Call {
	return toolspec.Call{
		Tool: tool, Args: json.RawMessage(`{}`),
		From: toolspec.Provenance{Caller: toolspec.CallerMCP, Client: "editor", Session: "s1"},
	}
}

func (h *fixture) storedText(handle string) (string, wire.StoredResult) {
	h.t.Helper()
	f, about, err := h.long.Open(context.Background(), handle)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(f)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b), about
}

func TestLongTextsAreStoredAndShortened(t *testing.T) {
	text := numberedLines(5000)
	for _, origin := range []toolspec.Origin{
		toolspec.OriginBaseline, toolspec.OriginPanel, toolspec.OriginMCP,
		toolspec.OriginCreated,
	} {
		t.Run(string(origin), func(t *testing.T) {
			h := newFixture(t)
			h.Register(toolspec.OriginMCP, h)
			h.Register(toolspec.OriginCreated, h)
			h.setMode(policy.ModeFull)
			h.add(toolspec.Definition{Name: "long", Origin: origin, Owner: "x", Hints: toolspec.Hints{ReadOnly: true}},
				reads(text, "mcp:mail"))
			for _, call := range []toolspec.Call{program("long"), called("long", `{}`)} {
				r := h.do(call)
				if !r.Success || r.Stored == nil {
					t.Fatalf("%s: %+v", origin, r)
				}
				if r.Value != text {
					t.Errorf("%s: the value is not complete", origin)
				}
				if len(r.ModelText()) > 20<<10 || !utf8.ValidString(r.ModelText()) {
					t.Errorf("%s: the text has %d bytes", origin, len(r.ModelText()))
				}
				kept, about := h.storedText(r.Stored.Handle)
				if kept != text || about.Owner != call.From.Owner() || about.Conversation != call.From.Conversation ||
					strings.Join(about.Sources, " ") != "mcp:mail" {
					t.Errorf("%s: stored %d bytes, %+v", origin, len(kept), about)
				}
				if r.Stored.Bytes != int64(len(text)) || r.Stored.Lines != 5000 {
					t.Errorf("%s: %+v", origin, r.Stored)
				}
				first, rest, _ := strings.Cut(r.Text, "[Cut here")
				notice, last, _ := strings.Cut(rest, "]\n")
				if !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) || last == "" ||
					!strings.HasSuffix(first, "more\n") || !strings.HasSuffix(text[:len(text)-len(last)], "\n") {
					t.Errorf("%s: not cut at lines: …%q, %q…", origin, first[len(first)-40:], last[:min(len(last), 40)])
				}
				if want := fmt.Sprintf(`read_result {"handle":%q,"offset":%d}`, r.Stored.Handle, strings.Count(first, "\n")+
					1); !strings.Contains(
					notice,
					want,
				) {
					t.Errorf("%s: %q does not say %s", origin, notice, want)
				}
			}
			ends := eventsOf[event.CallEnd](h, event.CallEnded)
			if len(ends) == 0 || ends[0].Stored == nil {
				t.Errorf("%s: the end has no stored result: %+v", origin, ends)
			}
		})
	}
}

func TestLongLineIsCutBetweenCharacters(t *testing.T) {
	h := newFixture(t)
	text := strings.Repeat("é漢🙂", 20_000)
	h.add(toolspec.Definition{Name: "long", Hints: toolspec.Hints{ReadOnly: true}}, reads(text))
	r := h.do(program("long"))
	first, _, _ := strings.Cut(r.Text, "\n[Cut here")
	if !strings.HasPrefix(text, first) || !strings.Contains(r.Text,
		fmt.Sprintf(`"unit":"characters","offset":%d}`, utf8.RuneCountInString(first)+1)) {
		t.Errorf("%q", regexp.MustCompile(`\[Cut.*\]`).FindString(r.Text))
	}
}

func TestUnpagedCallersGetCompleteText(t *testing.T) {
	h := newFixture(t)
	text := numberedLines(5000)
	h.add(toolspec.Definition{Name: "long", Hints: toolspec.Hints{ReadOnly: true}}, reads(text))
	unpaged := program("long")
	unpaged.From.NeedsFullResults = true
	person := program("long")
	person.From = toolspec.Provenance{Caller: toolspec.CallerPerson}
	body := program("long")
	body.From.Caller = toolspec.CallerCreatedTool
	for _, call := range []toolspec.Call{unpaged, person, body} {
		if r := h.do(call); r.Text != text || r.Stored != nil {
			t.Errorf("%+v: %d bytes, %+v", call.From, len(r.Text), r.Stored)
		}
	}
	h.add(toolspec.Definition{Name: toolspec.ReadResult, Hints: toolspec.Hints{ReadOnly: true}}, reads(text))
	if r := h.do(program(toolspec.ReadResult)); r.Text != text || r.Stored != nil {
		t.Errorf("a part of a stored result is stored again: %+v", r.Stored)
	}
	h.add(toolspec.Definition{Name: "short", Hints: toolspec.Hints{ReadOnly: true}}, reads(strings.Repeat("x", 50<<10)))
	if r := h.do(program("short")); r.Stored != nil || len(r.Text) != 50<<10 {
		t.Errorf("50 KB are stored: %+v", r.Stored)
	}
}

func TestLongErrorIsStoredAndShortened(t *testing.T) {
	h := newFixture(t)
	why := "the server says: " + numberedLines(5000)
	h.add(toolspec.Definition{Name: "long"}, func(context.Context, toolspec.Call,
		func(stream, text string),
	) (toolspec.Result, error) {
		return toolspec.Fail(toolspec.UserError, why, "Change it."), nil
	})
	h.setMode(policy.ModeFull)
	r := h.do(program("long"))
	if r.Success || r.Stored == nil || len(r.ModelText()) > 24<<10 || !strings.Contains(r.ModelText(), "Change it.") {
		t.Fatalf("%d bytes, %+v", len(r.ModelText()), r.Stored)
	}
	if kept, _ := h.storedText(r.Stored.Handle); kept != strings.TrimSpace(why) {
		t.Errorf("stored %d bytes", len(kept))
	}
}

func TestSpooledTextIsStoredForEveryCaller(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "run", Hints: toolspec.Hints{ReadOnly: true}},
		func(context.Context, toolspec.Call, func(stream, text string)) (toolspec.Result, error) {
			d, err := h.long.NewDraft()
			if err != nil {
				return toolspec.Result{}, err
			}
			_, err = io.WriteString(d, numberedLines(9000))
			r := toolspec.OK(map[string]any{"output": "cut"})
			r.Text, r.Spooled = numberedLines(3000), d
			return r, err
		})
	for _, caller := range []toolspec.Caller{toolspec.CallerPerson, toolspec.CallerMCP, toolspec.CallerHTTP} {
		call := program("run")
		call.From.Caller = caller
		r := h.do(call)
		if r.Stored == nil || r.Stored.Lines != 9000 || r.Spooled != nil {
			t.Errorf("%s: %+v", caller, r.Stored)
		}
	}
	call := program("run")
	call.From.Caller = toolspec.CallerCreatedTool
	if r := h.do(call); r.Stored != nil {
		t.Errorf("a created tool's call is stored: %+v", r.Stored)
	}
	left, err := os.ReadDir(h.settings.Folder + "/results")
	if err != nil || len(left) != 3 {
		t.Errorf("%d files, %v", len(left), err)
	}
}

func TestLongTextThatCannotBeStored(t *testing.T) {
	h := newFixture(t)
	h.cfg.Results = full{}
	h.cfg.Log = slog.New(slog.DiscardHandler)
	h.add(toolspec.Definition{Name: "long", Hints: toolspec.Hints{ReadOnly: true}}, reads(numberedLines(5000)))
	r := h.do(program("long"))
	if !r.Success || r.Stored != nil || len(r.Text) > 20<<10 || !strings.Contains(r.Text, "could not be stored") {
		t.Errorf("%d bytes, %+v", len(r.Text), r.Stored)
	}
}

// full is a result store that stores nothing.
type full struct{}

func (full) Save(context.Context, wire.StoredResult, string, toolspec.SpooledText) (wire.StoredResult, error) {
	return wire.StoredResult{}, errors.New("no space left")
}

// What is read later from a stored result is recognised like the first part.
func TestReadingStoredResultTaints(t *testing.T) {
	h := newFixture(t)
	h.setMode(policy.ModeFull)
	h.add(toolspec.Definition{Name: "read_result", Group: "workspace", Hints: toolspec.Hints{ReadOnly: true}},
		func(ctx context.Context, call toolspec.Call, _ func(stream, text string)) (toolspec.Result, error) {
			r := toolspec.OK("order 4711081523429981")
			r.Text, r.PrivateSources = "order 4711081523429981", []string{"file /home/ada/orders.txt"}
			return r, ctx.Err()
		})
	h.add(toolspec.Definition{Name: "type_text", Group: "environment"}, echo)
	h.do(called("read_result", `{}`))
	h.descs["type_text"] = toolspec.Description{Hosts: []string{"other.example"}, Data: "4711081523429981"}
	done := h.start(called("type_text", `{"x":"4711081523429981"}`))
	asked := h.question()
	if !strings.Contains(asked.Reason, "/home/ada/orders.txt") {
		t.Errorf("%q", asked.Reason)
	}
	h.Cancel(asked.Call)
	<-done
}

var _ Results = (*results.Store)(nil)
