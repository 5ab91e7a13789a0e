package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Limits for the scripted solver, as means over all tasks.
const (
	maxCalls  = 4
	maxTokens = 6000
)

// report is the result of a whole run.
type report struct {
	Model string `json:"model"`
	Tasks int    `json:"tasks"`
	Done  int    `json:"done"`
	// Means per task: calls, rounds, tokens as in cost, seconds.
	Calls   float64   `json:"calls"`
	Rounds  float64   `json:"rounds"`
	Task    float64   `json:"task_tokens"`
	Prefix  float64   `json:"prefix_tokens"`
	Sent    float64   `json:"sent_tokens"`
	Seconds float64   `json:"seconds"`
	Each    []outcome `json:"each"`
}

func newReport(model string, each []outcome) report {
	r := report{Model: model, Tasks: len(each), Each: each}
	n := float64(max(len(each), 1))
	for _, o := range each {
		if o.OK {
			r.Done++
		}
		r.Calls += float64(o.Calls) / n
		r.Rounds += float64(o.Rounds) / n
		r.Task += float64(o.Tokens.Task) / n
		r.Prefix += float64(o.Tokens.Prefix) / n
		r.Sent += float64(o.Tokens.Sent) / n
		r.Seconds += o.Seconds / n
	}
	return r
}

// writeHeader and writeRow write the table. A row can be printed as soon as its task has ended.
func writeHeader(w io.Writer) {
	_, _ = fmt.Fprintf(w, "%-24s %-9s %-4s %5s %6s %7s %7s %6s %5s\n", "task", "family", "ok", "calls", "rounds",
		"tokens", "sent", "time", "asked")
}

func writeRow(w io.Writer, o outcome) {
	ok := "yes"
	if !o.OK {
		ok = "NO"
	}
	_, _ = fmt.Fprintf(w, "%-24s %-9s %-4s %5d %6d %7d %7d %5.1fs %5d%s\n", o.Task, o.Family, ok, o.Calls, o.Rounds,
		o.Tokens.Task, o.Tokens.Sent, o.Seconds, len(o.Questions), o.Problem)
}

func (r replayed) writeRow(w io.Writer) {
	ok := "yes"
	if !r.OK {
		ok = "NO"
	}
	_, _ = fmt.Fprintf(w, "%34s %-4s %5d steps, %d with an effect that was proved %14.1fs  %s\n", "again", ok, r.Steps,
		r.Proved, r.Seconds, r.Problem)
}

func (e exported) writeRow(w io.Writer) {
	ok := "yes"
	if !e.OK {
		ok = "NO"
	}
	_, _ = fmt.Fprintf(w, "%34s %-4s %59.1fs  %s\n", e.Program, ok, e.Seconds, e.Problem)
}

// writeTotals writes the totals and explains the columns.
func (r report) writeTotals(w io.Writer) {
	_, _ = fmt.Fprintf(w, "\n%d of %d tasks done by %s. Per task: %.2f calls, %.2f rounds, %.0f tokens, %.1f s.\n",
		r.Done, r.Tasks, r.Model, r.Calls, r.Rounds, r.Task, r.Seconds)
	if again := r.replays(); again.tasks > 0 {
		_, _ = fmt.Fprintf(w, "As recipes, without a model: %d of %d done, median %.1f s, %.0f %% of steps proved.\n",
			again.done, again.tasks, again.median, again.proved)
	}
	for _, p := range []program{playwright, recorder} {
		tests, passed := 0, 0
		for _, o := range r.Each {
			for _, e := range o.Exported {
				if e.Program == p.name {
					tests++
					if e.OK {
						passed++
					}
				}
			}
		}
		if tests > 0 {
			_, _ = fmt.Fprintf(w, "Exported to %s: %d of %d done.\n", p.name, passed, tests)
		}
	}
	prefix := ", without system prompt and tool definitions"
	if r.Prefix > 0 {
		prefix = fmt.Sprintf(", without the %.0f of system prompt and tool definitions", r.Prefix)
	}
	_, _ = fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf(`tokens: instruction, calls, results and answer, once each%s.
sent: everything in all requests of the task, %.0f tokens on average, most of it repeated.`, prefix, r.Sent)))
}

type replays struct {
	tasks, done    int
	median, proved float64
}

// replays sums up the tasks that ran again as recipes.
func (r report) replays() replays {
	var sum replays
	var seconds []float64
	steps, proved := 0, 0
	for _, o := range r.Each {
		if o.Replay == nil {
			continue
		}
		sum.tasks++
		if o.Replay.OK {
			sum.done++
			seconds = append(seconds, o.Replay.Seconds)
			steps, proved = steps+o.Replay.Steps, proved+o.Replay.Proved
		}
	}
	slices.Sort(seconds)
	if len(seconds) > 0 {
		sum.median, sum.proved = seconds[len(seconds)/2], 100*float64(proved)/float64(steps)
	}
	return sum
}

// checkLimits returns an error if a task failed or a mean is over its limit.
func (r report) checkLimits() error {
	var why []string
	if r.Done < r.Tasks {
		why = append(why, fmt.Sprintf("%d of %d tasks failed", r.Tasks-r.Done, r.Tasks))
	}
	if r.Calls > maxCalls {
		why = append(why, fmt.Sprintf("%.2f calls per task are more than %d", r.Calls, maxCalls))
	}
	if r.Task > maxTokens {
		why = append(why, fmt.Sprintf("%.0f tokens per task are more than %d", r.Task, maxTokens))
	}
	if len(why) > 0 {
		return fmt.Errorf("%s", strings.Join(why, "; "))
	}
	return nil
}

func (r report) write(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o600)
}
