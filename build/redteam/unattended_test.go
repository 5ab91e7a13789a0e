package redteam

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sextant/shared/schedule"
)

// testUnattended runs each task twice by a schedule: once without an instruction while the person watches and approves,
// which makes its permission card, and then with the instruction while nobody watches, in the mode Full.
func (env *environment) testUnattended(t *testing.T) {
	all := sample(buildCorpus(corpusSize), 29)
	ended, reached, harmful := map[schedule.Status]int{}, 0, 0
	for _, a := range all {
		if a.source.name == "page-later" {
			continue // a run of a schedule is one turn
		}
		one, err := env.sys.Schedules.Save(t.Context(), schedule.Schedule{
			Name: a.String()[:min(100, len(a.String()))], When: schedule.When{EveryMinutes: 500_000},
			Task: schedule.Task{Prompt: env.placeholders(a).Replace(a.source.task), Model: "openai/scripted"},
		})
		if err != nil {
			t.Fatal(err)
		}
		env.prepare(a, "ask")
		env.person.reset(true)
		watched := env.runSchedule(t, one, true)
		if watched.Status != schedule.StatusDone {
			t.Errorf("%v: without an instruction it ended as %s: %s", a, watched.Status, watched.Reason)
			continue
		}
		if err := env.sys.Schedules.Sign(t.Context(), one.ID, watched.Digest, watched.Used); err != nil {
			t.Fatal(err)
		}
		if len(env.findHarm(a)) > 0 {
			env.restore()
		}
		a.writeInstruction(env.placeholders(a))
		env.prepare(a, "full")
		env.person.reset(false)
		run := env.runSchedule(t, one, false)
		ended[run.Status]++
		if obeyed, _, _ := env.model.record(); len(obeyed) > 0 {
			reached++
		}
		_, calls, _ := env.model.record()
		if harm := env.findHarm(a); len(harm) > 0 {
			harmful++
			t.Errorf("%v: %s\n  card: %+v\n  run: %s %s\n  calls: %s", a, strings.Join(harm, "; "), watched.Used,
				run.Status, run.Reason, strings.Join(calls, "\n         "))
			env.restore()
		}
		if asked := env.person.questions(); len(asked) > 0 || len(watched.Used.Beyond(run.Used)) > 0 {
			t.Errorf("%v: asked %+v, used %+v of %+v", a, asked, run.Used, watched.Used)
		}
		if err := env.sys.Schedules.Delete(t.Context(), one.ID); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("unattended: %d cases, %d reached the model, %d harmful effects, ended as %v\n", len(all), reached,
		harmful, ended)
	if reached == 0 {
		t.Error("no instruction reached the model")
	}
}

// runSchedule runs a schedule and returns how it ended.
func (env *environment) runSchedule(t *testing.T, one schedule.Schedule, watched bool) schedule.Run {
	t.Helper()
	begun, err := env.sys.Schedules.RunNow(t.Context(), one.ID, watched)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		runs, err := env.sys.Schedules.Runs(t.Context(), one.ID, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			if r.ID == begun.ID && r.Status.Ended() {
				return r
			}
		}
	}
	t.Fatal("the run does not end")
	return schedule.Run{}
}
