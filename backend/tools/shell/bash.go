package shell

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"sextant/backend/pipeline/deadline"
	"sextant/backend/policy/command"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed bash.md
var bashDoc string

// maxCommand is in characters, defaultLimit and maxLimit are in seconds. beforeDeadline leaves time to return the
// output before the deadline of the call.
const (
	maxCommand     = 16_000
	defaultLimit   = 30
	maxLimit       = 300
	beforeDeadline = time.Second
)

// Timeout is in seconds.
type bashParams struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	WorkingDir  string `json:"working_dir"`
	Timeout     int    `json:"timeout"`
	Network     bool   `json:"network"`
}

func bash() tool {
	return tool{
		def: toolspec.Definition{
			Name: "bash", Description: strings.TrimSpace(bashDoc), Origin: toolspec.OriginBaseline, Group: Group,
			Parameters: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
				`"command":{"type":"string","minLength":1,"maxLength":%d},`+
				`"description":{"type":"string","maxLength":200,"description":"What it is for, in a few words."},`+
				`"working_dir":{"type":"string","maxLength":4096,"description":"Absolute or relative to the workspace folder; default: the workspace folder."},`+
				`"timeout":{"type":"integer","minimum":1,"maximum":%d,"default":%d,"description":"Seconds."},`+
				`"network":{"type":"boolean","default":false}`+
				`},"required":["command"],"additionalProperties":false}`, maxCommand, maxLimit, defaultLimit)),
			// The description of a call contains its real effect.
			Hints: toolspec.Hints{Destructive: true}, TimeoutMS: toolspec.MaxTimeoutMS,
			Examples: []json.RawMessage{
				json.RawMessage(`{"command":"grep -rn TODO src | head -20","description":"Find open tasks"}`),
				json.RawMessage(`{"command":"npm run build","working_dir":"frontend","timeout":120}`),
				json.RawMessage(`{"command":"curl -s https://api.example.com/items | jq length","network":true}`),
			},
		},
		describe: describeBash,
		run:      runBash,
	}
}

// The arguments were validated before.
func bashParamsOf(args json.RawMessage) bashParams {
	p := bashParams{Timeout: defaultLimit}
	_ = json.Unmarshal(args, &p)
	return p
}

func (p bashParams) limit() time.Duration {
	return min(time.Duration(p.Timeout)*time.Second, maxLimit*time.Second-beforeDeadline)
}

func describeBash(t *Tools, args json.RawMessage) toolspec.Description {
	p := bashParamsOf(args)
	d := toolspec.Description{Target: p.Command, Note: p.Description, LimitMS: int(p.limit().Milliseconds())}
	dir := t.folder(p.WorkingDir)
	reading := t.analyze(p.Command, dir)
	reading.Describe(&d)
	var warnings []string
	d.Files, warnings = t.classify(append(d.Files, t.outsideWorkspace(append([]string{dir}, reading.Folders...))...))
	d.Warnings = append(d.Warnings, warnings...)
	d.RunsProgram, d.Network = true, d.Network || p.Network
	d.HostsLimited = d.Network && t.canLimitNetwork()
	if ok, _, why := t.cfg.Sandbox.Available(); !ok {
		d.Unconfined = why
	} else if !reading.Harmless && t.cfg.Sandbox.ForcesReadOnly(t.cfg.Folder()) {
		d.Warnings = append(d.Warnings, readOnlyWorkspace)
	}
	if d.Sentence == "" {
		d.Sentence = "Run a command"
	}
	return d
}

// run is a call that may run.
type run struct {
	bashParams
	call           toolspec.Call
	workspace, dir string
	hidden         []string
	reading        command.Analysis
}

func (t *Tools) newRun(ctx context.Context, call toolspec.Call) (run, *toolspec.Result) {
	r := run{bashParams: bashParamsOf(call.Args), call: call, workspace: t.cfg.Folder()}
	r.dir = t.folder(r.WorkingDir)
	if bad := t.usable(r.workspace, r.dir); bad != nil {
		return r, bad
	}
	var bad *toolspec.Result
	if r.hidden, bad = t.forbidden(ctx, r.workspace, r.dir); bad != nil {
		return r, bad
	}
	// The run gets what was judged: the same analysis decides about the network and write access.
	r.reading = t.analyze(r.Command, r.dir)
	r.Network = r.Network || r.reading.Network
	return r, nil
}

func (r run) spec(out *output) confine.Spec {
	return confine.Spec{
		Args: []string{"bash", "--noprofile", "--norc", "-c", r.Command}, Dir: r.dir, Workspace: r.workspace,
		Hidden: r.hidden, Stdout: out.stream("stdout"), Stderr: out.stream("stderr"),
	}
}

func runBash(ctx context.Context, t *Tools, call toolspec.Call, out outputFunc) (toolspec.Result, error) {
	p, bad := t.newRun(ctx, call)
	if bad != nil {
		return *bad, nil
	}
	output := newOutput(out, t.cfg.NewDraft)
	defer output.discard()
	available, _, _ := t.cfg.Sandbox.Available()
	writes := !available || !p.reading.Harmless
	readOnly := available && t.cfg.Sandbox.ForcesReadOnly(p.workspace)
	spec := p.spec(output)
	spec.Network, spec.ReadOnly, spec.Unconfined = p.Network, p.reading.Harmless, !available
	if p.reading.Harmless {
		t.closeHomeExceptReads(p, &spec)
	} else {
		spec.Writable, spec.Env = t.cacheFolder()
	}
	changed := t.watch(ctx, call, p.workspace, writes, readOnly)
	defer changed(&toolspec.Result{}, nil) // only the first call has an effect
	// The time limit starts after the preparations.
	timed, stop := deadline.With(ctx, p.limit())
	defer stop()
	terminalOf(ctx).apply(&spec)
	var gate *networkGate
	if p.Network && t.canLimitNetwork() {
		gate = t.newGate(timed, call, p.reading.Hosts)
		defer gate.close()
		spec.Network, spec.Proxy, spec.Env = false, gate.serve, append(spec.Env, gate.env()...)
	}
	exit, err := t.cfg.Sandbox.Run(timed, spec)
	if gate != nil {
		gate.close() // the command has ended, so open questions no longer matter
	}
	switch {
	case errors.Is(err, confine.ErrSetup):
		return toolspec.Fail(toolspec.SystemError, err.Error(),
			"Nothing was changed. Run sextant doctor to see what the sandbox needs."), nil
	case err != nil && ctx.Err() == nil:
		return toolspec.Result{}, fmt.Errorf("running a command: %w", err)
	}
	r := commandResult(p.bashParams, output, exit, ctx.Err() != nil)
	if r.Spooled, err = output.whole(); err != nil {
		t.cfg.Log.Error("a long output was not stored", "err", err)
	}
	switch {
	case gate != nil:
		gate.report(&r)
	case p.Network:
		r.Sources = []string{fromNetwork}
	}
	var outside []string
	if !available {
		outside = writtenOutside(p.reading.Files, p.workspace)
	}
	changed(&r, outside)
	if readOnly && !p.reading.Harmless {
		addLine(&r, readOnlyWorkspace)
	}
	return r, nil
}

func (t *Tools) usable(workspace, dir string) *toolspec.Result {
	for what, path := range map[string]string{"the workspace folder": workspace, "the working directory": dir} {
		info, err := os.Stat(path)
		if err == nil && !info.IsDir() {
			err = errors.New("it is not a folder")
		}
		if err != nil {
			r := toolspec.Fail(toolspec.UserError, fmt.Sprintf("%s %s cannot be used: %v", what, path, err),
				"Choose an existing folder.")
			return &r
		}
	}
	if t.cfg.Places.Classify(dir).Kind == protectedpaths.KindSecret {
		r := toolspec.Fail(toolspec.SecurityError, dir+" is hidden from commands", "Choose another working directory.")
		return &r
	}
	return nil
}

// An exit code other than 0 is an answer, not a failure of the tool.
func commandResult(p bashParams, output *output, exit confine.Exit, stopped bool) toolspec.Result {
	text, left := output.text()
	value := map[string]any{"exit_code": exit.Code, "output": text, "sandbox": exit.Mechanisms}
	if left > 0 {
		value["left_out_bytes"] = left
	}
	short := excerpt.Line(p.Command, 60)
	r := toolspec.OK(value)
	switch {
	case stopped:
		value["cancelled"] = true
		r = toolspec.Fail(toolspec.UserError, "cancelled while it ran", "Ask the person how to continue.")
		r.Sentence = "Cancelled " + short
	case exit.Killed:
		value["timed_out"] = true
		r = toolspec.Fail(toolspec.UserError, fmt.Sprintf("timed out: stopped after %d s", p.Timeout),
			fmt.Sprintf("Give a longer timeout (at most %d), or do less in one command. What it did until then is "+
				"kept.", maxLimit))
		r.Sentence = fmt.Sprintf("Stopped after %d s: %s", p.Timeout, short)
	case exit.Code != 0:
		r.Sentence = fmt.Sprintf("Ran %s: exit code %d", short, exit.Code)
	default:
		r.Sentence = "Ran " + short
	}
	r.Value = value
	if r.Success {
		r.Text = fmt.Sprintf("exit code %d", exit.Code)
		if text == "" {
			r.Text += ", no output"
		}
	} else if text != "" {
		r.Text = "output until then:"
	}
	if text != "" {
		r.Text = strings.TrimPrefix(r.Text+"\n"+text, "exit code 0\n")
	}
	r.Preview = lastLines(text, 5)
	return r
}

// fromNetwork is the source of the output of a command that used the network.
const fromNetwork = "a command with network"
