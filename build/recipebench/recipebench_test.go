// Package recipebench measures how surely the target of a recipe is found again on pages that have changed: it is
// recorded on a page, the page is changed by a generator with a seed, and the page says which control was pressed.
package recipebench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/browser/launch"
	"sextant/backend/recipes"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// site serves one page at a time and records which control was pressed.
type site struct {
	mu            sync.Mutex
	text, pressed string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/pressed" {
		b, _ := io.ReadAll(io.LimitReader(r.Body, 100))
		s.pressed = string(b)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, s.text)
}

func (s *site) show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.pressed = text, ""
}

func (s *site) taken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pressed
	s.pressed = ""
	return p
}

// tally counts the outcomes of one kind of change. beyond counts targets that were found although not certain.
type tally struct{ solvable, done, unsolvable, stopped, beyond, wrong int }

func TestChangedPages(t *testing.T) {
	if _, err := launch.Find(""); errors.Is(err, launch.ErrNotFound) {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	pages, seed := 140, uint64(time.Now().UnixNano())
	if os.Getenv("SEXTANT_WHOLE") != "" {
		pages = 10_500
	}
	if v, err := strconv.ParseUint(os.Getenv("SEXTANT_SEED"), 10, 64); err == nil {
		seed = v
	}
	s := &site{}
	server := httptest.NewServer(s)
	defer server.Close()
	b := browser.New(browser.Config{Headless: true})
	defer func() { _ = b.Close() }()
	bench := &bench{t: t, ctx: t.Context(), session: b.Session(""), site: s, url: server.URL}
	found := make([]tally, len(mutations))
	for base := 0; base < pages/len(mutations) && !t.Failed(); base++ {
		bench.page(seed, base, found)
	}
	var sum tally
	for i, k := range found {
		t.Logf("%-18s %5d of %5d solvable done; of %5d others %5d stopped, %d found; %d wrong",
			mutations[i].kind, k.done, k.solvable, k.unsolvable, k.stopped, k.beyond, k.wrong)
		sum.solvable, sum.done = sum.solvable+k.solvable, sum.done+k.done
		sum.wrong += k.wrong
	}
	t.Logf("seed %d: %d pages, %.1f %% of the solvable done, %d wrong", seed, pages,
		100*float64(sum.done)/float64(max(sum.solvable, 1)), sum.wrong)
	if sum.wrong > 0 {
		t.Errorf("%d wrong acts", sum.wrong)
	}
	// The short form may meet two more of the hard kind than their share.
	if missed := sum.solvable - sum.done; missed > 2 && sum.done*100 < sum.solvable*95 {
		t.Errorf("only %d of %d solvable pages were done", sum.done, sum.solvable)
	}
}

type bench struct {
	t       *testing.T
	ctx     context.Context
	session *browser.Session
	site    *site
	url     string
}

// page records a target on a page, changes the page in each way, and acts.
func (b *bench) page(seed uint64, base int, found []tally) {
	original := func() (*rand.Rand, *model, place) {
		r := rand.New(rand.NewPCG(seed, uint64(base)))
		m := newModel(r)
		return r, m, pick(r, m.places())
	}
	r, m, target := original()
	mem := remember(target)
	want, ok := b.record(m.write(r, false), mem)
	if !ok {
		return
	}
	for i, change := range mutations {
		_, m, target := original()
		n := base*len(mutations) + i
		r := rand.New(rand.NewPCG(seed+1, uint64(n)))
		change.do(r, m, target)
		b.site.show(m.write(r, change.wrap))
		b.act(n, change.kind, m, mem, want, &found[i])
	}
}

func (b *bench) act(n int, kind string, m *model, mem memory, want annotation.Reference, count *tally) {
	e, err := recipes.Find(want, b.look(n))
	pressed := ""
	if err == nil {
		if _, err = b.session.Click(b.ctx, surface.ClickOptions{ID: e.ID}); err == nil {
			pressed = b.site.taken()
		}
	}
	id, can := expected(m, mem)
	// Pressing the target is right also where it could not be certain: guesses would be wrong on other pages.
	right := pressed == strconv.Itoa(mem.id) || (can && pressed == strconv.Itoa(id))
	switch {
	case pressed != "" && !right:
		count.wrong++
		b.t.Logf("%s, page %d: pressed %s instead of %d (%v) for %+v: %#v", kind, n, pressed, id, can, mem, want)
	case pressed != "" && can:
		count.done++
	case pressed != "":
		count.beyond++
	case can:
		b.t.Logf("%s, page %d: not done: %v", kind, n, err)
	default:
		count.stopped++
	}
	if can {
		count.solvable++
	} else {
		count.unsolvable++
	}
}

// look opens the page that the site shows and returns its elements.
func (b *bench) look(n int) []annotation.Element {
	if _, err := b.session.Navigate(b.ctx, browser.NavigateOptions{URL: fmt.Sprintf("%s/?%d", b.url, n)}); err != nil {
		b.t.Fatal(err)
	}
	seen, err := b.session.Annotate(b.ctx, surface.AnnotateOptions{Scope: "page"})
	if err != nil {
		b.t.Fatal(err)
	}
	return seen.Elements
}

// record finds the target by pressing each control of its name until the page says that it was the target.
func (b *bench) record(text string, mem memory) (annotation.Reference, bool) {
	b.site.show(text)
	elements := b.look(0)
	for _, e := range elements {
		if e.Name != mem.name {
			continue
		}
		b.site.taken()
		if _, err := b.session.Click(b.ctx, surface.ClickOptions{ID: e.ID}); err != nil {
			continue
		}
		if b.site.taken() == strconv.Itoa(mem.id) {
			return e.ReferenceAmong(elements), true
		}
	}
	b.t.Logf("%+v was not found when it was recorded", mem)
	return annotation.Reference{}, false
}
