package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sextant/backend/sandbox/confine"
)

func TestMain(m *testing.M) {
	confine.RunStep() // the sandbox starts this binary as a helper of the commands that tools run
	os.Exit(m.Run())
}

func tasksOf(t *testing.T) []*task {
	t.Helper()
	all, err := readTasks()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestScriptedSolverFinishesShortTasks(t *testing.T) {
	some, err := selectTasks(tasksOf(t), "", true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run(t.Context(), some, options{verbose: testing.Verbose(), replay: true})
	if err != nil {
		t.Fatal(err)
	}
	if again := r.replays(); again.tasks != len(some) || again.done != len(some) {
		t.Errorf("%d of %d tasks were done again as recipes, without a model", again.done, again.tasks)
	}
	if err := r.checkLimits(); err != nil {
		t.Error(err)
	}
	families := map[string]bool{}
	for _, one := range some {
		families[one.Family] = true
	}
	if len(some) < 8 || len(families) < 8 {
		t.Errorf("short runs have %d tasks of %d families, fewer than 8", len(some), len(families))
	}
}

func TestTasksAreManyAndDistinct(t *testing.T) {
	all := tasksOf(t)
	if len(all) < 40 {
		t.Errorf("there are %d tasks, fewer than 40", len(all))
	}
	instructions := map[string]string{}
	for _, one := range all {
		if other := instructions[one.instruction()]; other != "" {
			t.Errorf("%s and %s have the same instruction", one.Name, other)
		}
		instructions[one.instruction()] = one.Name
		for _, call := range one.Script {
			if strings.Contains(call.tool+call.args, "evaluate_script") {
				t.Errorf("%s is solved by a script in the page", one.Name)
			}
		}
	}
}

func TestCheckReportsMissingAndUnexpectedChanges(t *testing.T) {
	tree := map[string]any{"orders": []any{}, "basket": map[string]any{"fen": 1.0, "moor": 2.0}}
	before := map[string]string{}
	if err := flatten("", tree, before); err != nil {
		t.Fatal(err)
	}
	for path, v := range map[string]any{
		"orders.-": map[string]any{"name": "Ana"}, "basket.fen": nil,
		"basket.moor": 3.0,
	} {
		if err := setValue(tree, path, v); err != nil {
			t.Fatal(err)
		}
	}
	now := map[string]string{}
	if err := flatten("", tree, now); err != nil {
		t.Fatal(err)
	}
	want, err := parseCheck("orders.0 = {\"name\": \"Ana\"}\nbasket.fen gone\nbasket.moor = 3\n")
	if err != nil {
		t.Fatal(err)
	}
	got := changes(before, now)
	if wrong := diff(want, got); wrong != "" {
		t.Errorf("equal changes differ: %s", wrong)
	}
	if wrong := diff(want[1:], got); !strings.Contains(wrong, "not asked for: basket.fen gone") {
		t.Errorf("an unexpected change is reported as %q", wrong)
	}
	if wrong := diff(append(slices.Clone(want), "wishes.fen = true"), got); !strings.Contains(wrong,
		"missing: wishes.fen") {
		t.Errorf("a missing change is reported as %q", wrong)
	}
}

func TestScriptUsesOnlyWhatItRead(t *testing.T) {
	read := []string{
		"[3] button \"Cancel\" (in \"1042 Paper shade\")\n[4] button \"Cancel\" (in \"1039 Bulb\")\n[9] link \"Fen " +
			"desk lamp\"\n[20] button \"Move\" (in \"A1 x\")\n[21] button \"Sell\" (same row 2 of 2)",
		"[4] button \"Cancel\" (in \"1039 Bulb\")\n[12] textbox \"Name\"\nBooking code QX4K9P. Show it.",
	}
	for wanted, id := range map[string]int{
		"button Cancel ~ 1042": 3, "button Cancel": 4, "link Fen": 9, "* Name": 12,
		"button Cancel < Paper": 4, "button Sell ~ A1": 21,
	} {
		t.Run(wanted, func(t *testing.T) {
			if got, err := findElementID(read, wanted); err != nil || got != id {
				t.Errorf("got %d (%v), want %d", got, err, id)
			}
		})
	}
	if got, err := findElementID(read, "button Save"); err == nil {
		t.Errorf("a button that was never read is %d", got)
	}
	args, err := fillArgs(`{"annotationId":"@textbox Name","text":"code {{/code (\\w+)/}}"}`, read)
	if err != nil || args != `{"annotationId":12,"text":"code QX4K9P"}` {
		t.Errorf("the arguments are %s (%v)", args, err)
	}
	if _, err := fillArgs(`{"text":"{{/PIN (\\d+)/}}"}`, read); err == nil {
		t.Error("a value that was never read is filled in")
	}
}
