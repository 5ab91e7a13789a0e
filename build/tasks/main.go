// Command tasks is the task benchmark: everyday tasks on local web sites. Each task has a checker that reads the
// state of the site, the workspace and the downloads as one tree of values. The tree must have changed by exactly
// the lines of the task's check. What the assistant says does not count.
//
// A scripted solver replaces the model. It is a server that gets the same requests as any model; the loop, the pipeline
// and Chromium are the real ones. It takes the numbers of elements only from the results that it reads, so it shows
// that the public tools are sufficient, and what they cost. With -model, a configured model does the same tasks.
//
// A task is one file in the folder tasks; docs/tasks.md describes the format. The benchmark does not test single
// tools and does not compare models.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"sextant/backend/sandbox/confine"
)

func main() {
	confine.RunStep() // the sandbox starts this binary as a helper of the commands that tools run
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "tasks:", err)
		os.Exit(1)
	}
}

type options struct {
	tasks, model, json           string
	short, verbose, list, replay bool
	playwright, recorder, hand   bool
}

func parseFlags() options {
	var o options
	flag.StringVar(&o.tasks, "tasks", "", "only tasks whose names match this pattern")
	flag.StringVar(&o.model, "model", os.Getenv("SEXTANT_BENCH_MODEL"),
		"a configured model, as provider/name (default: the scripted solver)")
	flag.StringVar(&o.json, "json", "", "write the results into this file")
	flag.BoolVar(&o.short, "short", false, "only the tasks of short runs")
	flag.BoolVar(&o.verbose, "v", false, "print the conversations")
	flag.BoolVar(&o.replay, "replay", false, "run each task again as a recipe, without the model")
	flag.BoolVar(&o.playwright, "playwright", false, "run each task again as an exported Playwright test")
	flag.BoolVar(&o.recorder, "recorder", false, "run each task again as an exported recording of Chrome's DevTools "+
		"(needs: npm ci --prefix build/tasks/recorder)")
	flag.BoolVar(&o.hand, "hand", false, "do each task by hand, and again as a recipe of what was recorded")
	flag.BoolVar(&o.list, "list", false, "list the tasks")
	flag.Parse()
	return o
}

// programs returns the programs in which each task runs again.
func (o options) programs() (all []program) {
	if o.playwright {
		all = append(all, playwright)
	}
	if o.recorder {
		all = append(all, recorder)
	}
	return all
}

func bench(ctx context.Context) error {
	o := parseFlags()
	all, err := readTasks()
	if err != nil {
		return err
	}
	some, err := selectTasks(all, o.tasks, o.short)
	if err != nil {
		return err
	}
	if o.list {
		for _, t := range some {
			fmt.Printf("%-24s %-9s %s\n", t.Name, t.Family, t.Instruction)
		}
		return nil
	}
	r, err := run(ctx, some, o)
	if err != nil {
		return err
	}
	if o.json != "" {
		if err := r.write(o.json); err != nil {
			return err
		}
	}
	if o.model == "" {
		return r.checkLimits()
	}
	return nil
}

// run runs the tasks one after the other and prints the table.
func run(ctx context.Context, tasks []*task, o options) (r report, err error) {
	model := o.model
	if model == "" {
		model = scriptedModel
	}
	env, err := openEnvironment(ctx, tasks, model, slog.New(slog.DiscardHandler))
	if err != nil {
		return report{}, err
	}
	defer env.close()
	writeHeader(os.Stdout)
	var each []outcome
	for _, t := range tasks {
		done, err := env.runTask(ctx, t)
		if err != nil {
			return report{}, errors.Join(fmt.Errorf("task %s", t.Name), err)
		}
		writeRow(os.Stdout, done)
		if o.replay && done.OK {
			again, err := env.replay(ctx, t, done.conversation)
			if err != nil {
				return report{}, errors.Join(fmt.Errorf("task %s, again", t.Name), err)
			}
			done.Replay = &again
			again.writeRow(os.Stdout)
		}
		if o.hand && done.OK {
			again, err := env.byHand(ctx, t)
			if err != nil {
				return report{}, errors.Join(fmt.Errorf("task %s, by hand", t.Name), err)
			}
			again.writeRow(os.Stdout)
		}
		for _, p := range o.programs() {
			if !done.OK {
				break
			}
			again, err := env.runExported(ctx, p, t, done.conversation)
			if err != nil {
				return report{}, errors.Join(fmt.Errorf("task %s, exported to %s", t.Name, p.name), err)
			}
			done.Exported = append(done.Exported, again)
			again.writeRow(os.Stdout)
		}
		if o.verbose {
			fmt.Println(transcript(done.messages))
		}
		each = append(each, done)
	}
	for i, t := range tasks {
		wrong, err := env.checkLater(t)
		if err != nil {
			return report{}, err
		}
		if wrong != "" && each[i].OK {
			each[i].OK, each[i].Problem = false, wrong
			writeRow(os.Stdout, each[i])
		}
	}
	r = newReport(model, each)
	r.writeTotals(os.Stdout)
	return r, nil
}
