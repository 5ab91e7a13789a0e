package kills

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"sextant/backend/agent/llm/openaitest"
)

// worker kills the program repeatedly on one data folder.
type worker struct {
	dir, program, preload string

	r       *rand.Rand
	env     []string
	client  *http.Client
	trigger *killTrigger
	effects *effects
	model   *scriptedModel
	llm     *openaitest.Server
	acks    *acknowledgements
	faults  *faults
	// conversations continue over all runs, one per wire format.
	conversations []*conversation
	// kinds counts all kills by kind of plan, killsAtWork those while a window was connected.
	kinds       map[string]int
	killsAtWork int
}

// faults collects the violations found after kills.
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

// conversation is one conversation, continued in every run.
type conversation struct {
	model string
	id    string
	// runs counts the runs it has been through; after 12 a new conversation replaces it.
	runs int
	// waiting are ids of messages that may still be queued.
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
		dir: dir, program: program, preload: preload, r: r, trigger: &killTrigger{}, acks: newAcknowledgements(),
		faults: &faults{},
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, kinds: map[string]int{},
	}
	w.effects = newEffects(w.trigger)
	t.Cleanup(w.effects.Close)
	w.model = &scriptedModel{
		trigger: w.trigger, effects: w.effects,
		r:        rand.New(rand.NewPCG(seed, uint64(number)+100)), //nolint:gosec // as above
		contents: map[string][]string{}, unknown: map[string]bool{},
	}
	if w.llm, err = openaitest.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.llm.Close)
	w.llm.Answer, w.llm.OnRefused = w.model.answer, w.model.recordRefusal
	if err := os.Mkdir(w.path("work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.path("work/first.txt"), []byte(content("first", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	w.watchTempFiles(t)
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
		w.conversations = append(w.conversations, &conversation{model: fmt.Sprintf("%s/m%d%d", service, number, i)})
	}
	return w
}

// watchTempFiles reports when a file's new content is in its temporary file, before the rename.
func (w *worker) watchTempFiles(t *testing.T) {
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
				w.trigger.reached(tempFileCreated)
			}
		}
	})
	t.Cleanup(func() {
		_ = watcher.Close()
		done.Wait()
	})
}

// killOnce runs the program once, kills it and checks what can be seen from outside.
func (w *worker) killOnce(n int) error {
	p := newPlan(w.r, n)
	w.model.mu.Lock()
	w.model.browser = p.browser
	w.model.mu.Unlock()
	inst, err := w.start(p)
	if err != nil {
		return err
	}
	w.trigger.arm(p, inst.kill)
	clock := time.AfterFunc(p.after, inst.kill)
	defer clock.Stop()
	var work, listening sync.WaitGroup
	turns := false
	if err := inst.connect(); err == nil {
		listening.Go(inst.listen)
		for _, c := range w.conversations {
			seed := w.r.Uint64()
			work.Go(func() { inst.converse(c, rand.New(rand.NewPCG(seed, 1))) }) //nolint:gosec // choices of a test
		}
		turns = true
	} else if !inst.killedWithin(p.after) {
		return fmt.Errorf("%v: %w", p, err)
	}
	<-inst.exited
	work.Wait()
	listening.Wait() // events that the program sent before the kill count, too
	w.trigger.arm(plan{}, nil)
	if err := inst.waitForExit(); err != nil {
		return fmt.Errorf("%v: %w", p, err)
	}
	if turns {
		w.killsAtWork++
	}
	w.kinds[p.kind]++
	before := len(w.faults.all())
	w.checkFiles()
	if p.browser {
		w.checkProcesses()
	}
	if len(w.faults.all()) > before {
		w.faults.add("the violations above are from kill %d: %v", n, p)
	}
	return nil
}

// killedWithin reports whether the program was killed in time.
func (inst *instance) killedWithin(within time.Duration) bool {
	select {
	case <-inst.exited:
		return true
	case <-time.After(within + 5*time.Second):
		inst.kill()
		return false
	}
}

// converse sends messages until the program has exited: first those that a kill left queued, then one after the other,
// some while a turn runs.
func (inst *instance) converse(c *conversation, r *rand.Rand) {
	if c.id == "" || c.runs > 12 {
		var created struct{ ID string }
		status, err := inst.request(http.MethodPost, "/api/conversations", map[string]string{}, &created)
		if err != nil || status != http.StatusCreated {
			return
		}
		*c = conversation{model: c.model, id: created.ID}
	}
	c.runs++
	base := "/api/conversations/" + c.id
	for _, id := range c.waiting {
		var ref struct{ Turn string }
		if status, err := inst.request(http.MethodPost, base+"/waiting/"+id+"/ask", nil, &ref); err == nil &&
			status == http.StatusAccepted {
			inst.w.acks.addMessage(c.id, ref.Turn, "")
		}
	}
	c.waiting = nil
	for {
		select {
		case <-inst.exited:
			return
		default:
		}
		ends := inst.turnsEnded(c.id)
		body := map[string]string{
			"text": fmt.Sprintf("Do task %d.", c.asked), "model": c.model,
			"when": []string{"now", "next"}[r.IntN(2)],
		}
		var ref struct{ Turn, Waiting string }
		status, err := inst.request(http.MethodPost, base+"/messages", body, &ref)
		if err != nil {
			return
		}
		if status == http.StatusAccepted {
			c.asked++
			inst.w.acks.addMessage(c.id, ref.Turn, ref.Waiting)
			if ref.Waiting != "" {
				c.waiting = append(c.waiting, ref.Waiting)
			}
			inst.w.trigger.reached(messageAccepted)
		}
		inst.waitForTurn(c, ends, time.Duration(30+r.IntN(200))*time.Millisecond)
	}
}

// waitForTurn waits until a turn ends, the time is over or the program has exited.
func (inst *instance) waitForTurn(c *conversation, ends int, most time.Duration) {
	for until := time.Now().Add(most); time.Now().Before(until) && inst.turnsEnded(c.id) == ends; {
		select {
		case <-inst.exited:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// checkFiles checks that each file of the workspace is complete and was meant to be written.
func (w *worker) checkFiles() {
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
		id := idOfWholeFile(string(text))
		if name := filepath.Base(path); name != "first.txt" && !slices.Contains(w.model.expectedContents(name), id) {
			w.faults.add("incomplete file: %s has %d bytes of %q", name, len(text), id)
		}
	}
}

// checkProcesses waits until no process has the worker's folder in its command line, as Chromium does.
func (w *worker) checkProcesses() {
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
			w.faults.add("a process is still running: %s", left)
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
