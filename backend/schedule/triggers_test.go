package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/schedule"
	data "sextant/shared/schedule"
	"sextant/shared/toolspec"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// The clock of the test is not that of the file system.
	if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
}

// filesOfRuns returns the names of the files that note was called for, in order.
func (p *program) filesOfRuns() (ran func() []string, note func(data.Run)) {
	var all []string
	ran = func() []string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return slices.Clone(all)
	}
	note = func(r data.Run) {
		p.mu.Lock()
		defer p.mu.Unlock()
		all = append(all, filepath.Base(r.File))
	}
	return ran, note
}

func TestEachNewFileRunsOnce(t *testing.T) {
	p := newProgram(t)
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	ran, note := p.filesOfRuns()
	p.work = func(_ context.Context, r data.Run) schedule.Outcome {
		note(r)
		write(t, r.File, "read") // its own change is no reason to run again
		if err := p.cards.Use(r.ID, toolspec.Card{Files: []string{r.File}}); err != nil {
			t.Error(err)
		}
		return schedule.Outcome{Status: data.StatusDone}
	}
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		write(t, in("old.pdf"), "was there")
		s, _, end := p.open()
		one := p.add(s, data.Schedule{When: data.When{Folder: folder, Pattern: "*.pdf"}})
		time.Sleep(time.Minute)
		for _, name := range []string{
			"a.pdf", "b.pdf", "note.txt", ".hidden.pdf", "{{secret:bank}}.pdf", "two\nlines.pdf", "\xff.pdf",
		} {
			write(t, in(name), "new")
			time.Sleep(time.Second)
		}
		if err := os.Symlink("/etc/hosts", in("link.pdf")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		end()

		write(t, in("while-off.pdf"), "new")
		s, _, end = p.open()
		time.Sleep(time.Minute)
		for range 10 { // a file that grows is not complete
			write(t, in("grows.pdf"), "x")
			time.Sleep(2 * time.Second)
		}
		if slices.Contains(ran(), "grows.pdf") {
			t.Error("it ran with a file that was still written")
		}
		time.Sleep(time.Minute)
		write(t, in("a.pdf"), "changed by somebody")
		time.Sleep(time.Minute)

		if err := s.Pause(t.Context(), one.ID, "Paused."); err != nil {
			t.Fatal(err)
		}
		write(t, in("while-paused.pdf"), "new")
		time.Sleep(time.Minute)
		if err := s.Resume(t.Context(), one.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		want := []string{"a.pdf", "b.pdf", "while-off.pdf", "grows.pdf", "a.pdf", "while-paused.pdf"}
		if diff := cmp.Diff(want, ran()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		write(t, in("newest.txt"), "another name")
		run, err := s.RunNow(t.Context(), one.ID, false)
		if err != nil || filepath.Base(run.File) != "while-paused.pdf" {
			t.Errorf("started by a person, it took %s, %v", run.File, err)
		}
		time.Sleep(time.Minute)
		last, err := s.LastRun(t.Context(), one.ID)
		if err != nil || !slices.Equal(last.Used.Files, []string{folder}) {
			t.Errorf("it used %+v, %v", last.Used, err)
		}
		end()
	})
}

// Files of a schedule that failed twice wait for the person, and are not lost.
func TestFilesWaitWhileTheScheduleIsPaused(t *testing.T) {
	p := newProgram(t)
	folder := t.TempDir()
	var works atomic.Bool
	ran, note := p.filesOfRuns()
	p.work = func(_ context.Context, r data.Run) schedule.Outcome {
		note(r)
		if !works.Load() {
			return schedule.Outcome{Status: data.StatusFailed, Reason: "The site was down."}
		}
		return schedule.Outcome{Status: data.StatusDone}
	}
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		one := p.add(s, data.Schedule{When: data.When{Folder: folder}})
		for _, name := range []string{"1", "2", "3", "4"} {
			write(t, filepath.Join(folder, name), "new")
			time.Sleep(time.Second)
		}
		time.Sleep(5 * time.Minute)
		works.Store(true)
		if err := s.Resume(t.Context(), one.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if diff := cmp.Diff([]string{"1", "2", "3", "4"}, ran()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A run whose schedule is deleted, or whose file is gone, ends: as many as run at once do not hold up the next one.
func TestRunEndsWithoutItsScheduleOrFile(t *testing.T) {
	p := newProgram(t)
	folder := t.TempDir()
	ran, note := p.filesOfRuns()
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		p.mu.Lock()
		p.work = func(_ context.Context, r data.Run) schedule.Outcome {
			note(r)
			err := os.Remove(r.File)
			if name := filepath.Base(r.File); name == "a" || name == "b" {
				write(t, r.File, "there") // so that it has something to note
				err = s.Delete(t.Context(), r.Schedule)
			}
			if err != nil {
				t.Error(err)
			}
			return schedule.Outcome{Status: data.StatusDone}
		}
		p.mu.Unlock()
		for _, name := range []string{"a", "b", "c"} {
			p.add(s, data.Schedule{When: data.When{Folder: folder, Pattern: name}})
		}
		for _, name := range []string{"a", "b", "c"} {
			write(t, filepath.Join(folder, name), "new")
			time.Sleep(time.Minute)
		}
		if diff := cmp.Diff([]string{"a", "b", "c"}, ran()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestFileInATask(t *testing.T) {
	const path = `/in/\a "b"`
	got := schedule.WithFile(data.Task{
		Values: map[string]string{"file": data.FileMark, "name": "x"}, Args: []byte(`{"path":"{{file}}"}`),
	}, path)
	var args struct{ Path string }
	if err := json.Unmarshal(got.Args, &args); err != nil {
		t.Fatal(err)
	}
	if args.Path != path || got.Values["file"] != path || got.Values["name"] != "x" {
		t.Errorf("%+v, %s", got.Values, args.Path)
	}
}

func TestFolderThatCannotBeWatched(t *testing.T) {
	p := newProgram(t)
	s, _, end := p.open()
	defer end()
	folder := t.TempDir()
	for want, when := range map[string]data.When{
		"write the whole path of the folder, from /, instead of Inbox":  {Folder: "Inbox"},
		"the folder /nowhere cannot be read: no such file or directory": {Folder: "/nowhere"},
		`"a/*.pdf" is not a pattern of names; one looks like *.pdf`:     {Folder: folder, Pattern: "a/*.pdf"},
		`"[" is not a pattern of names; one looks like *.pdf`:           {Folder: folder, Pattern: "["},
		"say in which folder files appear":                              {Webhook: true, Pattern: "*.pdf"},
	} {
		_, err := s.Save(t.Context(), data.Schedule{Name: "n", Task: data.Task{Recipe: "r"}, When: when})
		if err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", when, err, want)
		}
	}
}

func TestWebhook(t *testing.T) {
	p := newProgram(t)
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		ctx := t.Context()
		timed := p.add(s, data.Schedule{When: data.When{EveryMinutes: 600}})
		if _, err := s.NewToken(ctx, timed.ID); err == nil {
			t.Error("a schedule without a webhook got a token")
		}
		one, err := s.Save(ctx, data.Schedule{
			Name: "called", Task: data.Task{Recipe: "r"}, When: data.When{Webhook: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		old, err := s.NewToken(ctx, one.ID)
		if err != nil {
			t.Fatal(err)
		}
		token, err := s.NewToken(ctx, one.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Call(ctx, one.ID, token); !errors.Is(err, schedule.ErrUnsigned) {
			t.Errorf("it ran before it was allowed: %v", err)
		}
		if err := s.Sign(ctx, one.ID, p.digest, toolspec.Card{}); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []string{"", "x", old} {
			for _, id := range []string{one.ID, timed.ID, "s_none"} {
				if _, err := s.Call(ctx, id, wrong); !errors.Is(err, schedule.ErrToken) {
					t.Errorf("%s with %q: %v", id, wrong, err)
				}
			}
		}
		var runs []string
		for range 5 { // one runs, one waits, and the others are the same as the one that waits
			r, err := s.Call(ctx, one.ID, token)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r.ID)
			time.Sleep(time.Second)
		}
		if len(slices.Compact(runs)) != 2 {
			t.Errorf("five calls during a run added %q", runs)
		}
		time.Sleep(10 * time.Minute)
		if diff := cmp.Diff([]string{"done", "done"}, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := s.Pause(ctx, one.ID, "Paused."); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Call(ctx, one.ID, token); !errors.Is(err, schedule.ErrPaused) {
			t.Errorf("it ran while it was paused: %v", err)
		}
	})
}
