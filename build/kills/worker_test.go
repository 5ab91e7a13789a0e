package kills

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"sextant/backend/agent/llm/openaitest"
)

// worker kills one program over and over, on one data folder.
type worker struct {
	dir, program, preload string

	r       *rand.Rand
	env     []string
	client  *http.Client
	fuse    *fuse
	effects *effects
	mind    *mind
	llm     *openaitest.Server
	ledger  *ledger
	faults  *faults
	// talks are the conversations that go on over all lives, one a wire format.
	talks []*talk
	// busy counts the kills that met a turn, by the kind of plan kills.
	kinds map[string]int
	busy  int
}

// faults are what a kill did that it may not do.
type faults struct {
	mu   sync.Mutex
	list []string
}

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

func (f *faults) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.list
}

// talk is one conversation, taken up again in every life.
type talk struct {
	model string
	id    string
	// lives is how many it has seen; it makes room for a new one then.
	lives int
	// waiting are messages that may still wait.
	waiting []string
	asked   int
}

func newWorker(t *testing.T, program, preload string, seed uint64, number int) *worker {
	t.Helper()
	dir, err := os.MkdirTemp("", "kills")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	r := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // choices of a test
	w := &worker{
		dir: dir, program: program, preload: preload, r: r, fuse: &fuse{}, ledger: newLedger(), faults: &faults{},
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, kinds: map[string]int{},
	}
	w.effects = newEffects(w.fuse)
	t.Cleanup(w.effects.Close)
	w.mind = &mind{
		fuse: w.fuse, effects: w.effects, r: rand.New(rand.NewPCG(seed, uint64(number)+100)), //nolint:gosec // as above
		files: map[string][]string{}, unknown: map[string]bool{},
	}
	if w.llm, err = openaitest.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.llm.Close)
	w.llm.Answer, w.llm.OnRefused = w.mind.answer, w.mind.refuse
	if err := os.Mkdir(w.path("work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path("work/first.txt"), []byte(content("first", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.watch(t)
	for name, value := range map[string]string{
		"DATA": w.path("data"), "CONFIG": w.path("config"), "WORKSPACE": w.path("work"), "MODE": "full",
		"CALLS_PER_TURN": "60", "ROUNDS": "60",
		"WEB_PER_MINUTE": "100000", "CONTEXT_WINDOW": "16000", "OPENAI_FORMAT": "responses",
		"OPENAI_BASE_URL": w.llm.URL(),
		"OPENAI_API_KEY":  "k", "OPENROUTER_BASE_URL": w.llm.URL(), "OPENROUTER_API_KEY": "k",
		"ANTHROPIC_BASE_URL": w.llm.URL(), "ANTHROPIC_API_KEY": "k",
	} {
		w.env = append(w.env, "SEXTANT_"+name+"="+value)
	}
	w.env = append(w.env, "HOME="+dir, "TMPDIR="+dir)
	for i, service := range []string{"openai", "openrouter", "anthropic"} {
		w.talks = append(w.talks, &talk{model: fmt.Sprintf("%s/m%d%d", service, number, i)})
	}
	return w
}

// watch meets the moments at which a new content stands beside its file and not yet in its place.
func (w *worker) watch(t *testing.T) {
	t.Helper()
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		err = watcher.Add(w.path("work"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for e := range watcher.Events {
			if e.Has(fsnotify.Create) && strings.HasPrefix(filepath.Base(e.Name), ".") {
				w.fuse.meet(fileBegun)
			}
		}
	})
	t.Cleanup(func() {
		_ = watcher.Close()
		done.Wait()
	})
}

// round is one life, its kill, and what can be seen from outside after it.
func (w *worker) round(n int) error {
	p := newPlan(w.r, n)
	w.mind.mu.Lock()
	w.mind.browser = p.browser
	w.mind.mu.Unlock()
	l, err := w.begin(p)
	if err != nil {
		return err
	}
	w.fuse.light(p, l.kill)
	clock := time.AfterFunc(p.after, l.kill)
	defer clock.Stop()
	var work, listening sync.WaitGroup
	turns := false
	if err := l.connect(); err == nil {
		listening.Go(l.listen)
		for _, t := range w.talks {
			seed := w.r.Uint64()
			work.Go(func() { l.hold(t, rand.New(rand.NewPCG(seed, 1))) }) //nolint:gosec // choices of a test
		}
		turns = true
	} else if !l.over(p.after) {
		return fmt.Errorf("%v: %w", p, err)
	}
	<-l.gone
	work.Wait()
	listening.Wait() // what had left the program before its end was handed out, too
	w.fuse.light(plan{}, nil)
	if err := l.end(); err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	if turns {
		w.busy++
	}
	w.kinds[p.kind]++
	before := len(w.faults.all())
	w.files()
	if p.browser {
		w.nothingLives()
	}
	if len(w.faults.all()) > before {
		w.faults.add("that was kill %d: %v", n, p)
	}
	return nil
}

// over waits for the kill that cut a start short.
func (l *life) over(within time.Duration) bool {
	select {
	case <-l.gone:
		return true
	case <-time.After(within + 5*time.Second):
		l.kill()
		return false
	}
}

// hold keeps a conversation going until the program is gone: messages one after the other, some
// while a turn runs, and those that a kill left waiting.
func (l *life) hold(t *talk, r *rand.Rand) {
	if t.id == "" || t.lives > 12 {
		var c struct{ ID string }
		if status, err := l.ask(http.MethodPost, "/api/conversations", map[string]string{}, &c); err != nil ||
			status != http.StatusCreated {
			return
		}
		*t = talk{model: t.model, id: c.ID}
	}
	t.lives++
	base := "/api/conversations/" + t.id
	for _, id := range t.waiting {
		var ref struct{ Turn string }
		if status, err := l.ask(http.MethodPost, base+"/waiting/"+id+"/ask", nil, &ref); err == nil &&
			status == http.StatusAccepted {
			l.w.ledger.accept(t.id, ref.Turn, "")
		}
	}
	t.waiting = nil
	for {
		select {
		case <-l.gone:
			return
		default:
		}
		ends := l.ends(t.id)
		body := map[string]string{
			"text": fmt.Sprintf("Do task %d.", t.asked), "model": t.model,
			"when": []string{"now", "next"}[r.IntN(2)],
		}
		var ref struct{ Turn, Waiting string }
		status, err := l.ask(http.MethodPost, base+"/messages", body, &ref)
		if err != nil {
			return
		}
		if status == http.StatusAccepted {
			t.asked++
			l.w.ledger.accept(t.id, ref.Turn, ref.Waiting)
			if ref.Waiting != "" {
				t.waiting = append(t.waiting, ref.Waiting)
			}
			l.w.fuse.meet(messageTaken)
		}
		l.rest(t, ends, time.Duration(30+r.IntN(200))*time.Millisecond)
	}
}

// rest waits for the end of a turn, some time or the end of the program, whichever is first.
func (l *life) rest(t *talk, ends int, most time.Duration) {
	for until := time.Now().Add(most); time.Now().Before(until) && l.ends(t.id) == ends; {
		select {
		case <-l.gone:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// files looks whether each file of the workspace is whole, and one that was to be there.
func (w *worker) files() {
	list, err := filepath.Glob(w.path("work/*.txt"))
	if err != nil {
		w.faults.add("%v", err)
	}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			w.faults.add("%v", err)
			continue
		}
		id := whole(string(text))
		if name := filepath.Base(path); name != "first.txt" && !contains(w.mind.written(name), id) {
			w.faults.add("half a file: %s holds %d bytes of %q", name, len(text), id)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s && s != "" {
			return true
		}
	}
	return false
}

// nothingLives waits until no process names our folder: Chromium has its profile there.
func (w *worker) nothingLives() {
	deadline := time.Now().Add(20 * time.Second)
	for {
		left := ""
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range all {
			if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), w.dir) {
				left = f
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			w.faults.add("a process lives on: %s", left)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
