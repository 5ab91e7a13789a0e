package pipeline

import (
	"bytes"
	"context"
	"strings"

	"sextant/backend/record/audit"
	"sextant/shared/annotator"
	"sextant/shared/clip"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// maxReported is how many characters of what the model read go into call.ended.
const maxReported = 4000

// report closes the call's card, writes its audit row and returns what the caller gets.
func (p *Pipeline) report(ctx context.Context, f *flight, result toolspec.Result) toolspec.Result {
	if f.executor == nil {
		result = p.masked(result) // run has done it for the others
	}
	if !result.Success {
		result.Error = f.errorText(result.Error)
		// It quotes the arguments.
		result.Error = p.cfg.Secrets.Mask(result.Error)
	}
	result.Asked = f.asked
	p.announce(ctx, f)
	f.writes.add(func() {
		text := result.ModelText()
		end := p.end(f, result, text)
		p.audit(ctx, f, end, len(text)/toolspec.BytesPerToken)
		p.store(ctx, f, event.New(event.CallEnded, end), f.intent && !f.looks())
	})
	return result
}

func (p *Pipeline) end(f *flight, result toolspec.Result, text string) event.CallEnd {
	end := event.CallEnd{
		Tool: f.call.Tool, Status: f.status, DurationMS: result.DurationMS, Sentence: result.Sentence,
		Preview: result.Preview, Error: result.Error, ErrorType: result.ErrorType, Suggestion: result.Suggestion,
		Reason: f.reason, Sources: result.Sources, Output: clip.Runes(text, maxReported),
		Changed: result.Changed, Undoable: result.Undoable, Kept: result.Kept,
	}
	if len(end.Preview) == 0 && result.Success {
		end.Preview = preview(result, end.Sentence)
	}
	if end.Status == "" {
		end.Status = event.CallDone
		if !result.Success {
			end.Status = event.CallFailed
		}
	}
	if end.Sentence == "" {
		end.Sentence = f.desc.Present
	}
	if end.Sentence == "" {
		end.Sentence = "Calling " + clip.Runes(f.call.Tool, maxValue)
	}
	for _, image := range result.Images {
		id, err := p.cfg.Blobs.Put(bytes.NewReader(image.Data))
		if err != nil {
			p.cfg.Log.Error("picture not kept", "call", f.call.ID, "err", err)
			continue
		}
		end.Images = append(end.Images, id)
	}
	end.App = p.keepForApp(f, result)
	return end
}

// keepForApp keeps the whole answer of a call that a page shows. What the page itself calls it has got.
func (p *Pipeline) keepForApp(f *flight, result toolspec.Result) string {
	if f.def.App == "" || len(result.App) == 0 || f.call.From.Caller == toolspec.CallerApp {
		return ""
	}
	id, err := p.cfg.Blobs.Put(bytes.NewReader(result.App))
	if err != nil {
		p.cfg.Log.Error("answer not kept for its page", "call", f.call.ID, "err", err)
		return ""
	}
	return id
}

// Bounds of a preview that is made of a result's text: lines, and characters of one.
const (
	previewLines = 3
	previewWidth = 120
)

// preview are the first lines of a text, for a tool that shapes no preview of its own. What is
// no text but a structure is not shown to people line by line, and what the sentence says already
// is not said twice.
func preview(result toolspec.Result, sentence string) (lines []string) {
	text := result.Text
	if s, ok := result.Value.(string); ok && text == "" {
		text = s
	}
	for line := range strings.Lines(text) {
		if line = annotator.Clean(line, previewWidth); line != "" && line != sentence {
			lines = append(lines, line)
		}
		if len(lines) == previewLines {
			break
		}
	}
	return lines
}

// audit writes the row after: the result of an intent, or both at once for a call that
// never came that far.
func (p *Pipeline) audit(ctx context.Context, f *flight, end event.CallEnd, tokens int) {
	ctx = context.WithoutCancel(ctx)
	out := audit.Outcome{
		Status: end.Status, Sentence: end.Sentence, Preview: end.Preview, Error: end.Error, ErrorType: end.ErrorType,
		Suggestion: end.Suggestion, Sources: end.Sources, Output: end.Output, DurationMS: end.DurationMS, Tokens: tokens, Changed: end.Changed, Undoable: end.Undoable, Kept: end.Kept,
	}
	var err error
	begun := f.intent && !f.unwritten
	if begun {
		err = p.cfg.Audit.Done(ctx, f.call.ID, out)
	} else {
		err = p.cfg.Audit.Record(ctx, p.row(f), out)
	}
	if err != nil {
		p.cfg.Log.Error("audit row not written", "call", f.call.ID, "err", err)
		p.owe(owed{row: p.row(f), out: out, begun: begun, why: err.Error()})
	}
}

// errorText puts the call in front of what went wrong: bash(command="…"): message.
func (f *flight) errorText(message string) string {
	if strings.HasPrefix(message, f.call.Tool+"(") {
		return message
	}
	return Format(f.call.Tool, f.call.Args, f.desc.Secret...) + ": " + message
}
