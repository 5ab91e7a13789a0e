package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"sextant/app"
	"sextant/app/cli/progress"
	"sextant/app/cli/verb"
	"sextant/backend/agent/loop"
	"sextant/backend/store/eventlog"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

type runVerb struct {
	Task    string   `arg:"" help:"What to do, e.g. \"open demo and annotate\"."`
	Model   string   `help:"Model as provider/name; by default the one from the settings." placeholder:"M"`
	Format  string   `help:"File with a JSON Schema, or a description in words; the answer is JSON that matches it, and nothing else goes to stdout." placeholder:"FILE"`
	Repairs int      `help:"How often an answer that does not match --format is sent back; by default as set." default:"-1" placeholder:"N"`
	System  string   `help:"System prompt in place of the one of the settings." placeholder:"TEXT"`
	Tools   []string `help:"The only tools that the model may call." placeholder:"NAME"`
	Panel   string   `help:"Panel whose tools are available." placeholder:"ID"`
	YesTo   string   `help:"What is allowed without asking: read or all." enum:",read,all" default:""`
	JSON    bool     `help:"Print one JSON document."`
	Attach  []string `help:"File to attach: text, picture, PDF, docx or xlsx, up to 20 MB. Can be repeated, up to eight times." placeholder:"FILE" sep:"none"`

	Headless bool `help:"Start a separate Sextant and browser, even if one is running."`

	answerFormat *answerFormat
}

type runReport struct {
	Text string `json:"text"`
	// Answer has the required format. It is empty without --format and if the model gave no valid answer.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Wrong lists how Text differs from the required format.
	Wrong      []string    `json:"wrong,omitempty"`
	Status     chat.Status `json:"status"`
	Error      string      `json:"error,omitempty"`
	Suggestion string      `json:"suggestion,omitempty"`
	Calls      []runCall   `json:"calls"`
	Usage      chat.Usage  `json:"usage"`
	// formatted is true if an Answer was required.
	formatted bool
}

type runCall struct {
	Tool       string             `json:"tool"`
	Status     event.CallStatus   `json:"status"`
	Sentence   string             `json:"sentence"`
	DurationMS int64              `json:"duration_ms"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	Output     string             `json:"output,omitempty"`
}

// Run runs one turn and waits until it ends.
func (v *runVerb) Run(ctx context.Context, out verb.Streams, g *verb.Global) error {
	if strings.TrimSpace(v.Task) == "" {
		return verb.Failure(verb.ExitUsage, "the task is empty. Example: sextant run \"open demo and annotate\"")
	}
	if err := v.readFormat(); err != nil {
		return err
	}
	if v.Repairs != -1 && v.answerFormat == nil {
		return verb.Failure(verb.ExitUsage, "--repairs needs --format")
	}
	files, err := v.readAttachments()
	if err != nil {
		return err
	}
	// In a running Sextant, --yes-to or a typed address would let any program approve its own calls.
	own := cmp.Or(verb.OptionIf(v.Headless, "--headless"), verb.OptionIf(v.YesTo != "", "--yes-to"), g.SeparateOption(),
		privateHost(v.Task), verb.OptionIf(v.answerFormat == nil && v.System != "", "--system without --format"),
		verb.OptionIf(v.answerFormat == nil && v.Tools != nil, "--tools without --format"))
	at, _, joined, err := verb.FindRunning(ctx, g, own, out)
	if err != nil {
		return err
	}
	if joined {
		return v.join(ctx, at, files, out)
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true}, out)
	if err != nil {
		return err
	}
	defer sys.Close()
	model := cmp.Or(v.Model, sys.Settings.Get("model"))
	if err := v.answerFormat.check(v.Task, model); err != nil {
		return err
	}
	if err := sys.Catalog.CheckNames(v.Tools); err != nil {
		return verb.Failure(verb.ExitUsage, "--tools: %v", err)
	}
	conversation, err := sys.Loop.NewConversation(ctx, "")
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	watch := watchRun(sys, conversation.ID, out.Err, v.JSON)
	ask := loop.TurnRequest{
		Conversation: conversation.ID, Text: v.Task, Model: model, Panel: v.Panel,
		Caller: toolspec.CallerRun, YesTo: v.YesTo, System: v.System, Tools: v.Tools,
	}
	if ask.Attachments, err = attachTo(ctx, sys.Attachments, files); err != nil {
		return err
	}
	var report runReport
	if v.answerFormat != nil {
		report, err = v.answerFormat.run(ctx, sys, ask, v.Repairs)
	} else {
		var outcome loop.Outcome
		outcome, err = sys.Loop.Run(ctx, ask)
		report = reportOf(outcome)
	}
	report.Calls = append([]runCall{}, watch(err == nil)...)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if err := report.print(out.Out, v.JSON); err != nil {
		return err
	}
	return report.verdict()
}

func reportOf(o loop.Outcome) runReport {
	return runReport{Text: o.Text, Status: o.Status, Error: o.Error, Suggestion: o.Suggestion, Usage: o.Usage}
}

// print writes the report as one JSON document, or only the answer. It does not print a text that differs from the
// required format as the answer.
func (r runReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	text := r.Text
	switch {
	case r.Answer != nil:
		text = string(r.Answer)
	case r.formatted:
		return nil
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

// verdict returns an error with an exit code, nil for success. A failed or refused call counts unless a later call
// succeeded; with --format, failed calls do not count.
func (r runReport) verdict() error {
	failed, refused := "", ""
	for _, c := range r.Calls {
		denied := c.ErrorType == toolspec.PermissionError || c.ErrorType == toolspec.SecurityError
		switch {
		case denied, c.Status == event.CallRefused, c.Status == event.CallDeclined:
			refused = strings.TrimSpace(excerpt.Sentence(c.Error) + " " + c.Suggestion)
		case c.Status == event.CallDone:
			failed, refused = "", ""
		default:
			failed = strings.TrimSpace(excerpt.Sentence(c.Error) + " " + c.Suggestion)
		}
	}
	switch {
	case refused != "":
		return verb.Failure(verb.ExitRefused, "%s", refused)
	case r.Status != chat.StatusDone:
		return verb.Failure(verb.ExitFailed, "%s", r.unfinished())
	case failed != "" && !r.formatted: // an answer that fits is a success
		return verb.Failure(verb.ExitFailed, "%s", failed)
	}
	return nil
}

func (r runReport) unfinished() string {
	text := cmp.Or(r.Error, "the turn ended as "+string(r.Status))
	if r.Suggestion != "" {
		text = excerpt.Sentence(text) + " " + r.Suggestion
	}
	if r.formatted && r.Text != "" {
		text += "\nThe last answer was: " + r.Text
	}
	return text
}

// watchTimeout limits the wait for the last events of a finished turn.
const watchTimeout = 5 * time.Second

// watchRun prints the progress and the sentence of each call to err while the turn is running, unless quiet is true.
// The returned function must be called after the turn. It returns the calls.
func watchRun(sys *app.System, conversation string, err io.Writer, quiet bool) func(ran bool) []runCall {
	sub := sys.Events.Subscribe(eventlog.Filter{Conversation: conversation}, eventlog.FromNow)
	var calls []runCall
	lines := progress.New(err, nil)
	ended := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range sub.C() {
			switch e.Kind {
			case event.CallOutput:
				if !quiet {
					lines.Add(e.Data)
				}
			case event.CallEnded:
				var end event.CallEnd
				if json.Unmarshal(e.Data, &end) != nil {
					continue
				}
				calls = append(calls, newRunCall(end))
				if !quiet {
					_, _ = fmt.Fprintf(err, "%s · %s · %d ms\n", end.Sentence, end.Tool, end.DurationMS)
				}
			case event.TurnEnded:
				close(ended)
				return
			}
		}
	}()
	return func(ran bool) []runCall {
		if ran {
			select {
			case <-ended:
			case <-time.After(watchTimeout): // the end could not be stored
			}
		}
		sub.Close()
		<-done
		return calls
	}
}

func newRunCall(end event.CallEnd) runCall {
	return runCall{
		Tool: end.Tool, Status: end.Status, Sentence: end.Sentence, DurationMS: end.DurationMS,
		Error: end.Error, ErrorType: end.ErrorType, Suggestion: end.Suggestion, Output: end.Output,
	}
}
