package questions

import (
	"bufio"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sextant/app"
	"sextant/app/config"
	"sextant/backend/sandbox/confine"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) {
	confine.RunStep()
	os.Exit(m.Run())
}

// sample is the share of the lists that a normal run of the tests takes: one in so many.
const sample = 25

type entry struct{ command, kind string }

// world is a Sextant in the mode Ask, and the folder that fixture.sh created.
type world struct {
	t              *testing.T
	sys            *app.System
	template, work string
}

func TestQuestionsAboutCommands(t *testing.T) {
	w := newWorld(t)
	if !w.sys.Confine.HasOverlays() {
		t.Skip("commands cannot be tried on a copy here")
	}
	for _, list := range []string{"everyday", "cheatsheet"} {
		t.Run(list, func(t *testing.T) {
			f := &figures{asked: map[string]int{}, before: map[string]int{}, all: map[string]int{}}
			for i, e := range readList(t, list+".txt") {
				if os.Getenv("SEXTANT_WHOLE") == "" && i%sample != 0 {
					continue
				}
				w.t = t
				w.judge(e, f)
			}
			f.report(t)
		})
	}
}

type figures struct {
	// asked counts the questions by the kind of the command, before those that reading the command alone leads to.
	asked, before, all map[string]int
	took               []time.Duration
}

func (f *figures) report(t *testing.T) {
	for _, kind := range []string{"R", "W", "D"} {
		if f.all[kind] > 0 {
			t.Logf("%s: %d of %d asked, %d without trials", kind, f.asked[kind], f.all[kind], f.before[kind])
		}
	}
	slices.Sort(f.took)
	if n := len(f.took); n > 0 {
		t.Logf("time to the question or the result of what was tried: median %v, 95th percentile %v, most %v",
			f.took[n/2], f.took[n*95/100], f.took[n-1])
	}
}

// judge calls bash as a model does. The person allows what changes something and denies the rest.
func (w *world) judge(e entry, f *figures) {
	w.t.Helper()
	w.restore(w.work)
	args, err := json.Marshal(map[string]string{"command": e.command})
	if err != nil {
		w.t.Fatal(err)
	}
	call := toolspec.Call{Tool: "bash", Args: args, From: toolspec.Provenance{
		Caller: toolspec.CallerModel, Conversation: "v_questions", Turn: "t_questions", Interactive: true,
	}}
	f.all[e.kind]++
	known := w.sys.Pipeline.IsAllowed(w.t.Context(), call)
	if !known {
		f.before[e.kind]++
	}
	started := time.Now()
	done := make(chan toolspec.Result, 1)
	go func() { done <- w.sys.Pipeline.Do(w.t.Context(), call) }()
	question, took := w.waitForQuestion(done, started)
	if !known {
		f.took = append(f.took, took.Round(time.Millisecond))
	}
	if question == nil {
		if e.kind != "R" {
			w.t.Errorf("nobody was asked about %s", e.command)
		}
		w.compare(e, w.template)
		return
	}
	f.asked[e.kind]++
	if e.kind == "R" {
		w.t.Logf("asked: %s\n  %s\n  %s", e.command, question.Question, question.Reason)
		w.answer(*question, event.AnswerDeny)
		<-done
		w.compare(e, w.template)
		return
	}
	w.answer(*question, event.AnswerOnce)
	<-done
	direct := w.t.TempDir()
	w.restore(direct)
	command := exec.Command("bash", "--noprofile", "--norc", "-c", e.command)
	command.Dir = direct
	_ = command.Run() // some end with an error
	w.compare(e, direct)
}

// waitForQuestion returns nil if the call ends without a question.
func (w *world) waitForQuestion(done chan toolspec.Result, started time.Time) (*event.Approval, time.Duration) {
	for {
		if waiting := w.sys.Approvals.WaitingApprovals(); len(waiting) > 0 {
			return &waiting[0], time.Since(started)
		}
		select {
		case <-done:
			return nil, time.Since(started)
		case <-time.After(time.Millisecond):
		}
	}
}

func (w *world) answer(question event.Approval, answer event.Answer) {
	w.t.Helper()
	if err := w.sys.Approvals.Answer(w.t.Context(), question.ID, answer, "", question.Hash); err != nil {
		w.t.Fatal(err)
	}
}

// compare reports files that the workspace folder has and want has not, or the other way round, and files with another
// size.
func (w *world) compare(e entry, want string) {
	w.t.Helper()
	was, is := w.files(want), w.files(w.work)
	for _, name := range append(was, is...) {
		if slices.Contains(was, name) != slices.Contains(is, name) {
			w.t.Errorf("%s: another result: %s", e.command, name)
			return
		}
	}
}

// files lists the files of a folder with their sizes, without caches and what git writes at every look.
func (w *world) files(folder string) []string {
	w.t.Helper()
	var all []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		switch {
		case d.IsDir() && (d.Name() == "__pycache__" || d.Name() == ".git"):
			return filepath.SkipDir
		case !d.IsDir():
			info, err := d.Info()
			if err != nil {
				return err
			}
			name += " " + info.Mode().String()
			if !strings.HasSuffix(path, ".gz") && !strings.HasSuffix(path, ".db") {
				name += " " + strconv.FormatInt(info.Size(), 10)
			}
		}
		all = append(all, name)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// restore makes a folder a copy of the template.
func (w *world) restore(folder string) {
	w.t.Helper()
	out, err := exec.Command("bash", "-c", `find "$1" -mindepth 1 -delete && cp -a "$0/." "$1"`, w.template, folder).
		CombinedOutput()
	if err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, template: base + "/template", work: base + "/work"}
	for _, dir := range []string{w.template, w.work} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/fixture.sh")
	if err != nil {
		t.Fatal(err)
	}
	create := exec.Command("bash", script)
	create.Dir = w.template
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c, err := config.Load(map[string]string{
		"data": base + "/data", "config": base + "/config", "workspace": w.work, "mode": "ask", "profile": "throw-away",
	})
	if err != nil {
		t.Fatal(err)
	}
	w.sys, err = app.OpenSystem(t.Context(), c, app.OpenOptions{Serve: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.sys.Close)
	return w
}

func readList(t *testing.T, name string) (all []entry) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		command, kind, ok := strings.Cut(lines.Text(), "\t")
		if !ok || !slices.Contains([]string{"R", "W", "D"}, kind) {
			t.Fatalf("%s: %q", name, lines.Text())
		}
		all = append(all, entry{command, kind})
	}
	return all
}
