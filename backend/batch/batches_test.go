package batch_test

import (
	cmpor "cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/batch"
	"sextant/backend/recipes"
	"sextant/backend/store/sqlite"
	"sextant/backend/unattended"
	data "sextant/shared/batch"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// program is a data folder with one recipe, and what its runs do.
type program struct {
	t       testing.TB
	dir     string
	store   *sqlite.Store
	cards   *unattended.Runs
	recipes *recipes.Recipes
	// work is what the run of a row does. It has the value of the parameter and the id of the run.
	work func(ctx context.Context, item, run string) toolspec.Result

	mu sync.Mutex
	// runs counts the runs by value, and leased the browsers that are lent, most of them at once.
	runs         map[string]int
	leased, most int
}

func newProgram(t testing.TB) *program {
	p := &program{t: t, dir: t.TempDir(), cards: unattended.New(), runs: map[string]int{}}
	var err error
	if p.store, err = sqlite.Open(t.Context(), filepath.Join(p.dir, "sextant.db"), p.log()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.store.Close() })
	p.recipes, err = recipes.New(recipes.Config{Folder: filepath.Join(p.dir, "recipes"), Log: p.log()})
	if err != nil {
		t.Fatal(err)
	}
	p.saveRecipe("https://{{host}}/{{item}}")
	p.work = func(context.Context, string, string) toolspec.Result { return toolspec.OK(recipe.Run{}) }
	return p
}

func (p *program) log() *slog.Logger { return slog.New(slog.NewTextHandler(p.t.Output(), nil)) }

func (p *program) saveRecipe(url string) {
	other := "shop.example"
	err := p.recipes.Save(recipe.Recipe{
		Name: "order", Parameters: []recipe.Parameter{{Name: "item"}, {Name: "host", Default: &other}},
		Steps: []recipe.Step{{Tool: "navigate_page", Args: fmt.Appendf(nil, `{"url":%q}`, url)}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// Lease implements batch.Browsers.
func (p *program) Lease(string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leased++
	p.most = max(p.most, p.leased)
}

// Release implements batch.Browsers.
func (p *program) Release(string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leased--
}

// CloseIdle implements batch.Browsers.
func (p *program) CloseIdle() error { return nil }

func (p *program) do(ctx context.Context, call toolspec.Call) toolspec.Result {
	var args struct{ Item string }
	if err := json.Unmarshal(call.Args, &args); err != nil {
		p.t.Error(err)
	}
	p.mu.Lock()
	p.runs[args.Item]++
	work := p.work
	p.mu.Unlock()
	return work(ctx, args.Item, call.From.UnattendedRun)
}

func (p *program) open() *batch.Batches { return p.openWith(p.store.Batches) }

func (p *program) openWith(store batch.Store) *batch.Batches {
	p.t.Helper()
	_, shared := store.(batch.Shared)
	b, err := batch.Open(p.t.Context(), batch.Config{
		Store: store, Browsers: p, Recipes: p.recipes, Do: p.do, Unattended: p.cards, Runs: !shared,
		CardUse: func(_ context.Context, call toolspec.Call) toolspec.Card {
			host, _, _ := strings.Cut(strings.TrimPrefix(string(call.Args), `{"url":"https://`), "/")
			return toolspec.Card{Hosts: []string{host}, Tools: []string{call.Tool}, Acts: 1}
		},
		Changed: func(data.Batch) {}, Ended: func(data.Batch) {}, Log: p.log(),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// add adds a signed batch with a row for each item. An item is name@host or name.
func (p *program) add(b *batch.Batches, in batch.New, items ...string) data.Batch {
	p.t.Helper()
	in.Recipe, in.Browsers, in.Table = "order", max(in.Browsers, 1), []byte("Item,Host\n")
	for _, item := range items {
		name, host, _ := strings.Cut(item, "@")
		in.Table = fmt.Appendf(in.Table, "%s,%s\n", name, host)
	}
	one, err := b.Add(p.t.Context(), in)
	if err == nil {
		err = b.Sign(p.t.Context(), one.ID, one.Digest, one.Needs)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return one
}

// await waits until a batch has a state and no row runs, and returns its rows in words.
func (p *program) await(b *batch.Batches, id string, state data.State) []string {
	p.t.Helper()
	for range 3000 {
		one, err := b.Get(id)
		if err != nil {
			p.t.Fatal(err)
		}
		rows, err := b.Rows(p.t.Context(), id, 0, 1000)
		if err != nil {
			p.t.Fatal(err)
		}
		var lines []string
		running := false
		for _, r := range rows {
			running = running || r.Status == data.StatusRunning
			lines = append(lines, strings.TrimSpace(r.Cells[0]+" "+string(r.Status)+" "+r.Reason))
		}
		if one.State == state && !running {
			return lines
		}
		time.Sleep(10 * time.Millisecond)
	}
	one, _ := b.Get(id)
	p.t.Fatalf("the batch is %s (%s), not %s", one.State, one.Reason, state)
	return nil
}

func (p *program) close(b *batch.Batches) {
	if err := b.Close(); err != nil {
		p.t.Error(err)
	}
}

func TestEachRowRunsOnceInAFewBrowsers(t *testing.T) {
	p := newProgram(t)
	b := p.open()
	defer p.close(b)
	busy, most := map[string]int{}, map[string]int{}
	p.work = func(_ context.Context, item, _ string) toolspec.Result {
		host := item[:1]
		p.mu.Lock()
		busy[host]++
		most[host] = max(most[host], busy[host])
		p.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		p.mu.Lock()
		busy[host]--
		p.mu.Unlock()
		return toolspec.OK(recipe.Run{Status: recipe.StatusDone, Values: map[string]any{"price": "€ " + item}})
	}
	var items []string
	for i := range 30 {
		items = append(items, fmt.Sprintf("a%d@a.example", i), fmt.Sprintf("b%d@b.example", i))
	}
	one := p.add(b, batch.New{Browsers: 6, PerHost: 2}, items...)
	if want := []string{"a.example", "b.example"}; !cmp.Equal(one.Needs.Hosts, want) || one.Needs.Acts != 1 {
		t.Errorf("the card is %+v", one.Needs)
	}
	for i, line := range p.await(b, one.ID, data.StateDone) {
		if !strings.HasSuffix(line, " done") {
			t.Errorf("row %d: %s", i+1, line)
		}
	}
	for item, n := range p.runs {
		if n != 1 {
			t.Errorf("%s ran %d times", item, n)
		}
	}
	if len(p.runs) != 60 || most["a"] != 2 || most["b"] != 2 || p.most > 4 || p.leased != 0 {
		t.Errorf("%d items ran, at once %v, in %d browsers, of which %d were kept", len(p.runs), most, p.most, p.leased)
	}
	columns, rows, err := b.Table(t.Context(), one.ID)
	want := []string{"Item", "Host", "price", "status", "reason"}
	if err != nil || !cmp.Equal(columns, want) || !cmp.Equal(rows[1], []string{"b0", "b.example", "€ b0", "done", ""}) {
		t.Errorf("%q %q %v", columns, rows[1], err)
	}
}

func failed(reason string, uncertain bool) toolspec.Result {
	r := toolspec.Fail(toolspec.UserError, reason, "")
	r.Value = recipe.Run{Status: recipe.StatusFailed, Step: 2, Reason: reason, Uncertain: uncertain}
	return r
}

func TestHowRowsEnd(t *testing.T) {
	p := newProgram(t)
	b := p.open()
	defer p.close(b)
	press := toolspec.Card{Tools: []string{"click_element"}, Acts: 1}
	p.work = func(ctx context.Context, item, run string) toolspec.Result {
		if err := p.cards.Use(run, toolspec.Card{Tools: []string{"navigate_page"}, Acts: 0}); err != nil {
			t.Error(err)
		}
		switch item {
		case "looks":
			return failed("no button", true)
		case "presses":
			if err := p.cards.Use(run, press); err != nil {
				t.Error(err)
			}
			return failed("no effect", true)
		case "strays":
			p.cards.Park(run, "It would use the host evil.example.", "", toolspec.Card{Hosts: []string{"evil.example"}})
			<-ctx.Done()
			return failed("it was stopped", false)
		case "acts often":
			_ = p.cards.Use(run, press)
			if err := p.cards.Use(run, press); err == nil {
				t.Error("it acted more often than the card allows")
			}
			return failed("it was refused", false)
		}
		return toolspec.OK(recipe.Run{Status: recipe.StatusDone})
	}
	one := p.add(b, batch.New{Browsers: 2}, "looks", "presses", "strays", "acts often", "works")
	want := []string{
		"looks failed no button.", "presses unknown no effect.",
		"strays parked It would use the host evil.example.",
		"acts often parked It has acted as often as the permission card allows, and wanted to go on.", "works done",
	}
	if diff := cmp.Diff(want, p.await(b, one.ID, data.StateDone)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	signed, err := b.Get(one.ID)
	if err != nil {
		t.Fatal(err)
	}
	proposal, err := b.Proposal(t.Context(), signed)
	if err != nil || proposal == nil || !cmp.Equal(proposal.Beyond, []string{"the host evil.example"}) ||
		proposal.Card.Acts != 2 {
		t.Errorf("the proposal is %+v, %v", proposal, err)
	}
	p.mu.Lock()
	p.work = func(context.Context, string, string) toolspec.Result { return toolspec.OK(recipe.Run{}) }
	p.mu.Unlock()
	if n, err := b.Retry(t.Context(), one.ID, 0, true, data.StatusFailed, data.StatusParked); n != 3 || err != nil {
		t.Errorf("%d rows wait again: %v", n, err)
	}
	p.await(b, one.ID, data.StateDone)
	counts, err := b.Counts(t.Context(), one.ID)
	if diff := cmp.Diff(data.Counts{data.StatusDone: 4, data.StatusUnknown: 1}, counts); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var acted batch.ActedError
	if _, err := b.Retry(t.Context(), one.ID, 2, false); !errors.As(err, &acted) || acted.Rows != 1 {
		t.Errorf("a row that had acted runs again without a word: %v", err)
	}
	n, err := b.Retry(t.Context(), one.ID, 2, true)
	if lines := p.await(b, one.ID, data.StateDone); n != 1 || err != nil || lines[1] != "presses done" {
		t.Errorf("row 2 was not run again: %d %v %q", n, err, lines)
	}
}

// A row that had changed something is not run again by itself, whether its batch was stopped or Sextant was closed.
func TestRowsThatWereCutOff(t *testing.T) {
	for _, end := range []string{"stop", "close", "kill"} {
		t.Run(end, func(t *testing.T) {
			p := newProgram(t)
			b := p.open()
			started := make(chan struct{}, 2)
			p.work = func(ctx context.Context, item, run string) toolspec.Result {
				if item == "acted" {
					_ = p.cards.Use(run, toolspec.Card{Tools: []string{"click_element"}, Acts: 1})
				}
				started <- struct{}{}
				<-ctx.Done()
				return failed("it was stopped", true)
			}
			one := p.add(b, batch.New{Browsers: 2}, "acted", "looked", "waited")
			<-started
			<-started
			why := "Sextant ended while it ran."
			switch end {
			case "stop":
				why = "You stopped it."
				if err := b.Stop(t.Context(), one.ID, why); err != nil {
					t.Error(err)
				}
				p.await(b, one.ID, data.StateStopped)
				p.close(b)
			case "close":
				why = "Sextant was closed while it ran."
				p.close(b)
			case "kill":
				defer p.close(b)
			}
			want := []string{
				"acted unknown " + why + " Its last step may have been done; look before you run it again.",
				"looked done", "waited done",
			}
			p.mu.Lock()
			p.work = func(context.Context, string, string) toolspec.Result { return toolspec.OK(recipe.Run{}) }
			p.mu.Unlock()
			again := p.open()
			defer p.close(again)
			if end == "stop" {
				if lines := p.await(again, one.ID, data.StateStopped); lines[1] != "looked queued" {
					t.Errorf("%q", lines)
				}
				if err := again.Start(t.Context(), one.ID); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(want, p.await(again, one.ID, data.StateDone)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if p.runs["acted"] != 1 {
				t.Errorf("what had acted ran %d times", p.runs["acted"])
			}
		})
	}
}

func TestManyBadRowsStopTheBatch(t *testing.T) {
	p := newProgram(t)
	b := p.open()
	defer p.close(b)
	p.work = func(context.Context, string, string) toolspec.Result { return failed("no button", false) }
	one := p.add(b, batch.New{}, strings.Split("a b c d e f g h i j k l", " ")...)
	lines := p.await(b, one.ID, data.StateStopped)
	if lines[9] != "j failed no button." || lines[10] != "k queued" {
		t.Errorf("%q", lines)
	}
	if now, _ := b.Get(one.ID); now.Reason != "10 consecutive rows did not end as done. The last: no button." {
		t.Errorf("%q", now.Reason)
	}
}

func TestChangedRecipeNeedsAnotherSignature(t *testing.T) {
	p := newProgram(t)
	b := p.open()
	defer p.close(b)
	p.work = func(context.Context, string, string) toolspec.Result {
		p.saveRecipe("https://other.example/{{item}}{{host}}")
		return toolspec.OK(recipe.Run{})
	}
	one := p.add(b, batch.New{}, "a", "b")
	if lines := p.await(b, one.ID, data.StateStopped); !cmp.Equal(lines, []string{"a done", "b queued"}) {
		t.Errorf("%q", lines)
	}
	for _, err := range []error{b.Start(t.Context(), one.ID), b.Sign(t.Context(), one.ID, one.Digest, one.Needs)} {
		if !errors.Is(err, batch.ErrChanged) {
			t.Errorf("it went on: %v", err)
		}
	}
	now, err := b.Get(one.ID)
	if err != nil || now.State != data.StateUnsigned || now.Card != nil ||
		!cmp.Equal(now.Needs.Hosts, []string{"other.example"}) {
		t.Errorf("%+v %v", now, err)
	}
	if err := b.Start(t.Context(), one.ID); !errors.Is(err, batch.ErrUnsigned) {
		t.Errorf("it went on unsigned: %v", err)
	}
	if err := b.Sign(t.Context(), one.ID, now.Digest, now.Needs); err != nil {
		t.Error(err)
	}
	if lines := p.await(b, one.ID, data.StateDone); !cmp.Equal(lines, []string{"a done", "b done"}) {
		t.Errorf("%q", lines)
	}
}

func TestAddRefuses(t *testing.T) {
	p := newProgram(t)
	b := p.open()
	defer p.close(b)
	for name, c := range map[string]struct {
		table string
		in    batch.New
		want  string
	}{
		"no recipe": {"item\na", batch.New{Recipe: "lost"}, "there is no recipe lost"},
		"no rows":   {"item", batch.New{}, "the table needs a first line"},
		"another column": {
			"a,b\n1,2", batch.New{}, "the recipe needs item, and no column has this name. The table has a, b",
		},
		"an empty cell": {"item,b\n1,2\n ,3", batch.New{}, "row 2: the recipe needs a value for item"},
		"a secret":      {"item\n{{secret:bank}}", batch.New{}, "row 1: item names a secret"},
		"another value": {
			"item\n1", batch.New{Values: map[string]string{"c": "1"}}, "row 1: the recipe has no parameter c",
		},
		"browsers": {"item\n1", batch.New{Browsers: 99}, "1 to 32 browsers"},
		"only values": {
			"a\n1",
			batch.New{Values: map[string]string{"item": "1"}},
			"no column of the table has the name of a parameter",
		},
	} {
		c.in.Table, c.in.Recipe = []byte(c.table), cmpor.Or(c.in.Recipe, "order")
		c.in.Browsers = cmpor.Or(c.in.Browsers, 1)
		if _, err := b.Add(t.Context(), c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(b.Batches()) != 0 {
		t.Error("a batch that was refused is there")
	}
}

func TestDelete(t *testing.T) {
	p := newProgram(t)
	b := p.open()
	defer p.close(b)
	release := make(chan struct{})
	p.work = func(context.Context, string, string) toolspec.Result {
		<-release
		return toolspec.OK(recipe.Run{})
	}
	one := p.add(b, batch.New{}, "a")
	if err := b.Delete(t.Context(), one.ID); !errors.Is(err, batch.ErrRunning) {
		t.Errorf("a batch that runs was deleted: %v", err)
	}
	close(release)
	p.await(b, one.ID, data.StateDone)
	if err := b.Delete(t.Context(), one.ID); err != nil {
		t.Error(err)
	}
	rows, err := p.store.Batches.Rows(t.Context(), one.ID, 0, 10)
	if err != nil || len(rows) > 0 || !errors.Is(b.Delete(t.Context(), one.ID), batch.ErrNotFound) {
		t.Errorf("%v %v", rows, err)
	}
}
