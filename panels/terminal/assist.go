package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"sextant/backend/sandbox/confine"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type runParams struct {
	Command     string `json:"command"`
	Description string `json:"description,omitempty"`
	WorkingDir  string `json:"working_dir,omitempty"`
	Timeout     int    `json:"timeout,omitempty"`
	Network     bool   `json:"network,omitempty"`
	Wait        int    `json:"-"`
}

type running struct {
	tab     *Tab
	started chan struct{}
	ended   chan struct{}
	// result is set before ended is closed.
	result toolspec.Result
}

// run runs a command with the shell tool in a terminal of the assistant. It returns the result, or the output so far
// after p.Wait seconds; the command then continues. If ctx ends first, the command is stopped.
func (t *Terminals) run(ctx context.Context, call toolspec.Call, p runParams) toolspec.Result {
	tab, err := t.freeTab()
	if err != nil {
		return toolspec.Fail(toolspec.UserError, err.Error(),
			"Stop a running command or wait for it. List them with terminal_list.")
	}
	args, err := json.Marshal(p)
	if err != nil {
		return toolspec.Fail(toolspec.ValidationError, err.Error(), "")
	}
	// The command may outlive the call, but not the panel.
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, cancel)
	unbind := context.AfterFunc(t.life, cancel)
	r := &running{tab: tab, started: make(chan struct{}), ended: make(chan struct{})}
	tab.set(func() { tab.command, tab.cancel, tab.reason = p.Command, cancel, "" })
	t.changed()
	t.mu.Lock()
	if t.shut {
		t.mu.Unlock()
		cancel()
		return toolspec.Fail(toolspec.SystemError, errClosing.Error(), "")
	}
	t.done.Go(func() {
		defer cancel()
		defer unbind()
		t.perform(inner, r, call, args)
	})
	t.mu.Unlock()
	select {
	case <-r.started:
	case <-r.ended:
	}
	var wait <-chan time.Time
	if p.Wait > 0 {
		timer := time.NewTimer(time.Duration(p.Wait) * time.Second)
		defer timer.Stop()
		wait = timer.C
	}
	select {
	case <-r.ended:
		detach()
		return r.result
	case <-wait:
		if detach() {
			return t.stillRunning(r, p)
		}
		<-r.ended
		return r.result
	}
}

func (t *Terminals) freeTab() (*Tab, error) {
	t.mu.Lock()
	all := t.ordered()
	t.mu.Unlock()
	for _, tab := range all {
		if tab.claim() {
			return tab, nil
		}
	}
	tab, err := t.add(true, 100, 30)
	if err != nil {
		return nil, err
	}
	tab.claim()
	return tab, nil
}

func (t *Tab) claim() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.assistant || t.closed || t.phase == wire.TerminalRunning || t.phase == wire.TerminalWaiting {
		return false
	}
	t.phase = wire.TerminalWaiting
	return true
}

func (t *Terminals) perform(ctx context.Context, r *running, call toolspec.Call, args []byte) {
	tab := r.tab
	columns, rows := tab.size()
	whole := false
	begin := sync.OnceFunc(func() {
		tab.set(func() { tab.phase = wire.TerminalRunning })
		_, _ = tab.Write([]byte(prompt(tab.printableCommand())))
		close(r.started)
		t.changed()
	})
	result := t.cfg.RunCommand(ctx, CommandRun{
		Call: call, Args: args, Columns: columns, Rows: rows,
		OnStart: func(tty confine.TTY) { tab.attach(tty); begin() },
		OnOutput: func(b []byte) {
			// A stopped program does not leave the alternate screen.
			if at := bytes.LastIndex(b, []byte("\x1b[?1049")); at >= 0 && at+7 < len(b) {
				whole = b[at+7] == 'h'
			}
			_, _ = tab.Write(b)
		},
	})
	select {
	case <-r.started:
		code, how := exitText(result)
		back := ""
		if whole {
			back = "\x1b[?1049l"
		}
		_, _ = fmt.Fprintf(tab, "%s\x1b[0m\x1b[?25h\x1b[2m%s\x1b[0m\r\n\r\n", back, how)
		tab.finish(wire.TerminalEnded, code, how)
	default:
		tab.finish(wire.TerminalFailed, 0, excerpt.Line(result.Error, 200))
	}
	tab.set(func() {
		for _, s := range result.Sources {
			tab.sources[s] = true
		}
	})
	r.result = withTab(result, tab.number)
	close(r.ended)
	t.changed()
}

func (t *Tab) size() (columns, rows uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.columns, t.rows
}

func (t *Tab) printableCommand() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return -1
		}
		return r
	}, t.command)
}

func prompt(command string) string {
	return "\x1b[1m$ " + strings.ReplaceAll(command, "\n", "\r\n  ") + "\x1b[0m\r\n"
}

func exitText(r toolspec.Result) (code int, how string) {
	value, _ := r.Value.(map[string]any)
	code, _ = value["exit_code"].(int)
	switch {
	case value["timed_out"] == true:
		return code, "stopped: time limit reached"
	case value["cancelled"] == true || !r.Success:
		return code, "stopped"
	}
	return code, fmt.Sprintf("exit %d", code)
}

// The changes are removed, because the shell tool's own call has recorded them.
func withTab(r toolspec.Result, tab int) toolspec.Result {
	if value, ok := r.Value.(map[string]any); ok {
		value = maps.Clone(value)
		value["tab"] = tab
		r.Value = value
	}
	r.Changed, r.Spooled = nil, nil
	return r
}

func (t *Terminals) stillRunning(r *running, p runParams) toolspec.Result {
	data, _ := r.tab.text()
	text := plain(data, 40)
	answer := toolspec.OK(map[string]any{"tab": r.tab.number, "running": true, "output": text})
	answer.Text = fmt.Sprintf("still running in terminal %d after %d s; terminal_read shows more, terminal_stop "+
		"ends it.\n%s", r.tab.number, p.Wait, text)
	answer.Sentence = "Started " + excerpt.Line(p.Command, 60)
	answer.Sources = []string{r.tab.source()}
	return answer
}

func (t *Tab) source() string { return fmt.Sprintf("terminal %d", t.number) }

var (
	errNotShared   = errors.New("that is a terminal of the user, which is not shared")
	errNothingRuns = errors.New("nothing is running there")
)

func (t *Terminals) stopCommand(number int) error {
	tab, ok := t.Find(number)
	switch {
	case !ok:
		return errClosed
	case !tab.assistant:
		return errNotShared
	case !tab.stop():
		return errNothingRuns
	}
	return nil
}

// read returns the last lines of a terminal's text. The terminal is itself a source of that text if it is the user's or
// a program is running in it.
func (t *Terminals) read(number, lines int) (text string, state wire.Terminal, sources []string, err error) {
	tab, ok := t.Find(number)
	if !ok {
		return "", state, nil, errClosed
	}
	state = tab.state()
	if !tab.assistant && !state.Shared {
		return "", wire.Terminal{}, nil, errNotShared
	}
	data, sources := tab.text()
	if !tab.assistant || state.State == wire.TerminalRunning {
		sources = append(sources, tab.source())
	}
	return plain(data, lines), state, sources, nil
}
