package kills

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/shared/recipe"
)

// forms is how many forms the recipe fills in and sends, each on a page of its own.
const forms = 4

// formSite is a site that counts how often each of its forms was sent, and with which word.
type formSite struct {
	*httptest.Server
	mu   sync.Mutex
	sent [forms + 1][]string
}

func newFormSite() *formSite {
	site := &formSite{}
	site.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		if r.Method == http.MethodPost {
			site.mu.Lock()
			site.sent[n] = append(site.sent[n], r.FormValue("word"))
			site.mu.Unlock()
			http.Redirect(w, r, fmt.Sprintf("/form/%d", n+1), http.StatusSeeOther)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<title>Form %d</title><form method="post"><input name="word" aria-label="Word">
			<button>Send</button></form>`, n)
	}))
	return site
}

// take returns what was sent since the last time.
func (s *formSite) take() [forms + 1][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := s.sent
	s.sent = [forms + 1][]string{}
	return sent
}

func (s *formSite) recipe() recipe.Recipe {
	word, send := `{"annotationId":{"role":"textbox","name":"Word"},"text":"{{word}}"}`,
		`{"annotationId":{"role":"button","name":"Send"}}`
	rec := recipe.Recipe{Name: "send-forms", Parameters: []recipe.Parameter{{Name: "word"}}, Steps: []recipe.Step{
		{Tool: "navigate_page", Args: fmt.Appendf(nil, `{"url":%q}`, s.URL+"/form/1")},
	}}
	for n := range forms {
		rec.Steps = append(rec.Steps, recipe.Step{Tool: "type_text", Args: json.RawMessage(word)}, recipe.Step{
			Tool: "click_element", Args: json.RawMessage(send),
			Expect: &recipe.Effect{Event: "navigated", URL: fmt.Sprintf("http://127.0.0.1:*/form/%d", n+2)},
		})
	}
	return rec
}

// formOf returns the number of the form that a step sends, 0 for the other steps.
func formOf(step int) int {
	if step > 1 && step%2 == 1 {
		return step / 2
	}
	return 0
}

// TestKilledRecipeDoesNothingTwice kills the program while a recipe runs. After each kill the program must say at which
// step the run was interrupted. It then goes on or starts over; no form may be sent twice, and none be left out.
func TestKilledRecipeDoesNothingTwice(t *testing.T) {
	program, _ := buildProgram(t)
	kills := 4
	if long() {
		kills = 300
	}
	from := seed()
	t.Logf("SEXTANT_SEED=%d", from)
	r := rand.New(rand.NewPCG(from, 0)) //nolint:gosec // choices of a test
	site := newFormSite()
	defer site.Close()
	count := map[string]int{}
	for n := range kills {
		k := recipeKill{t: t, site: site, program: program, word: fmt.Sprintf("word %d", n)}
		k.after, k.startOver = time.Duration(r.IntN(2500))*time.Millisecond, r.IntN(3) == 0
		outcome := k.run()
		count[outcome]++
		if t.Failed() {
			t.Fatalf("kill %d after %v (start over %v): %s", n, k.after, k.startOver, outcome)
		}
	}
	t.Logf("%d kills: %v", kills, count)
	if long() && kills-count[notStarted]-count[wasDone] < kills/3 {
		t.Error("too few kills during a run to prove anything")
	}
}

// recipeKill is one kill during a run, and what follows.
type recipeKill struct {
	t             *testing.T
	site          *formSite
	program, word string
	after         time.Duration
	startOver     bool
}

const (
	notStarted = "before the first step"
	wasDone    = "after the last step"
)

func (k recipeKill) run() (outcome string) {
	dir, err := os.MkdirTemp("", "kills")
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	w := &worker{
		dir: dir, program: k.program, trigger: &killTrigger{}, acks: newAcknowledgements(), faults: &faults{},
		client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		env: []string{
			"SEXTANT_DATA=" + filepath.Join(dir, "data"), "SEXTANT_CONFIG=" + filepath.Join(dir, "config"),
			"SEXTANT_WORKSPACE=" + dir, "SEXTANT_MODE=full", "HOME=" + dir, "TMPDIR=" + dir,
		},
	}
	inst := k.start(w)
	if status, err := inst.request(http.MethodPut, "/api/recipes", k.site.recipe(), nil); err != nil || status != 200 {
		k.t.Fatalf("saving the recipe: %d %v", status, err)
	}
	clock := time.AfterFunc(k.after, inst.kill)
	defer clock.Stop()
	go func() { _, _ = k.execute(inst, nil) }()
	<-inst.exited
	if err := inst.waitForExit(); err != nil {
		k.t.Fatal(err)
	}
	w.checkProcesses()

	inst = k.start(w)
	defer func() {
		inst.kill()
		_ = inst.waitForExit()
		w.checkProcesses()
	}()
	var list struct {
		Recipes []struct {
			LastRun *recipe.LastRun `json:"last_run"`
		}
	}
	if status, err := inst.request(http.MethodGet, "/api/recipes", nil, &list); err != nil || len(list.Recipes) != 1 {
		k.t.Fatalf("reading the recipe: %d %v", status, err)
	}
	last, sent := list.Recipes[0].LastRun, k.site.take()
	if last == nil {
		last = &recipe.LastRun{Status: notStarted, Next: 1}
	}
	k.compare(*last, sent)
	if last.Status == recipe.StatusDone {
		return wasDone
	}
	next := last.Next
	outcome = fmt.Sprintf("in step %d", next)
	switch {
	case last.Status == notStarted:
		outcome = notStarted
	case last.Status != recipe.StatusInterrupted || last.Values["word"] != k.word:
		k.t.Errorf("after the kill: %+v", last)
	}
	if form := formOf(next); form > 0 && len(sent[form]) > 0 {
		next++ // the person sees that it was done
	}
	if k.startOver || next > len(k.site.recipe().Steps) {
		next, sent = 1, [forms + 1][]string{}
	}
	res, err := k.execute(inst, map[string]any{"from_step": next})
	if err != nil || !res.Success {
		k.t.Errorf("going on with step %d: %v %s", next, err, res.Error)
	}
	rest := k.site.take()
	for form := 1; form <= forms; form++ {
		if all := append(sent[form], rest[form]...); len(all) != 1 || all[0] != k.word {
			k.t.Errorf("form %d was sent with %q, going on with step %d", form, all, next)
		}
	}
	return outcome
}

func (k recipeKill) start(w *worker) *instance {
	inst, err := w.start(plan{})
	if err == nil {
		err = inst.connect()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	return inst
}

type executed struct {
	Success bool   `json:"success"`
	Error   string `json:"error"`
}

func (k recipeKill) execute(inst *instance, more map[string]any) (res executed, err error) {
	args := map[string]any{"word": k.word}
	for name, value := range more {
		args[name] = value
	}
	status, err := inst.request(http.MethodPost, "/api/ai/tools/execute",
		map[string]any{"tool": "recipe_send_forms", "args": args}, &res)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d", status)
	}
	return res, err
}

// compare checks that what was sent is what the program says that was done.
func (k recipeKill) compare(last recipe.LastRun, sent [forms + 1][]string) {
	for form := 1; form <= forms; form++ {
		step, times := 2*form+1, len(sent[form])
		least, most := 0, 0
		switch {
		case last.Next == 0 || step < last.Next:
			least, most = 1, 1
		case step == last.Next && last.Uncertain:
			most = 1
		}
		if times < least || times > most {
			k.t.Errorf("step %d was done %d times; the program says %+v", step, times, last)
		}
	}
}
