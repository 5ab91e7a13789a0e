package pipeline

import (
	"bytes"
	"context"
	"strings"

	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const maxReported = 4000

const editedNote = "The person edited the text of this call before it ran. Read the file before you change it again.\n"

// report returns the Result for the caller. In the background, it writes the audit row and publishes the end of the
// call.
func (p *Pipeline) report(ctx context.Context, c *callState, result toolspec.Result) toolspec.Result {
	if c.executor == nil {
		result = p.masked(result) // run has already masked every other result
	}
	if !result.Success {
		// The error text quotes the arguments.
		result.Error = p.cfg.Secrets.Mask(c.errorText(result.Error))
	}
	result.ApprovedQuestion = c.asked
	if c.edited {
		text := result.Text
		if result.Success {
			text = result.ModelText()
		}
		result.Text = strings.TrimRight(editedNote+text, "\n")
	}
	// Pictures are stored before the answer, so that the caller can read them by their ids.
	for _, image := range result.Images {
		id, err := p.cfg.Blobs.Put(bytes.NewReader(image.Data))
		if err != nil {
			p.cfg.Log.Error("picture not stored", "call", c.call.ID, "err", err)
			continue
		}
		result.ImageIDs = append(result.ImageIDs, id)
	}
	p.announce(ctx, c)
	c.writes.add(func() {
		text := result.ModelText()
		end := p.end(c, result, text)
		p.audit(ctx, c, end, len(text)/toolspec.BytesPerToken)
		p.store(ctx, c, event.New(event.CallEnded, end), c.optional())
	})
	return result
}

func (p *Pipeline) end(c *callState, result toolspec.Result, text string) event.CallEnd {
	end := event.CallEnd{
		Tool: c.call.Tool, Status: c.status, Sentence: result.Sentence, Reason: c.row.Reason, Change: result.Change,
		CallOutcome: event.CallOutcome{
			DurationMS: result.DurationMS, Preview: result.Preview,
			Error: result.Error, ErrorType: result.ErrorType, Suggestion: result.Suggestion,
			Sources: result.Sources, Output: excerpt.TruncateRunes(text, maxReported),
			Changed: result.Changed, Undoable: result.Undoable, Stored: result.Stored,
		},
	}
	if c.call.From.Caller == toolspec.CallerPilot {
		end.Suggestion = "" // it is advice for a model; the pilot's answer says it in words for people
	}
	if c.edited {
		end.EditedArgs = p.shownArgs(c)
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
		end.Sentence = c.sentence()
	}
	end.Images = result.ImageIDs
	end.AppResult = p.storeForApp(c, result)
	return end
}

// storeForApp stores the whole result of a call that an MCP server's page shows. Calls of the page itself need no copy.
func (p *Pipeline) storeForApp(c *callState, result toolspec.Result) string {
	if c.def.AppURI == "" || len(result.AppResult) == 0 || c.call.From.Caller == toolspec.CallerApp {
		return ""
	}
	id, err := p.cfg.Blobs.Put(bytes.NewReader(result.AppResult))
	if err != nil {
		p.cfg.Log.Error("answer not stored for its page", "call", c.call.ID, "err", err)
		return ""
	}
	return id
}

const (
	previewLines = 3
	previewWidth = 120
)

// preview leaves out structured values and lines that equal the sentence.
func preview(result toolspec.Result, sentence string) (lines []string) {
	text := result.Text
	if s, ok := result.Value.(string); ok && text == "" {
		text = s
	}
	for line := range strings.Lines(text) {
		if line = annotation.Clean(line, previewWidth); line != "" && !repeats(line, sentence) {
			lines = append(lines, line)
		}
		if len(lines) == previewLines {
			break
		}
	}
	return lines
}

// repeats reports whether a line begins with the sentence that is shown above it.
func repeats(line, sentence string) bool { return sentence != "" && strings.HasPrefix(line, sentence) }

// audit writes the result of an intent, or both rows at once for a call that ended before its intent.
func (p *Pipeline) audit(ctx context.Context, c *callState, end event.CallEnd, tokens int) {
	ctx = context.WithoutCancel(ctx)
	out := event.CallResult{Status: end.Status, Sentence: end.Sentence, CallOutcome: end.CallOutcome, Tokens: tokens}
	var err error
	begun := c.intent && !c.intentFailed
	if begun {
		err = p.cfg.Audit.WriteResult(ctx, c.call.ID, out)
	} else {
		err = p.cfg.Audit.WriteCall(ctx, p.auditRow(c), out)
	}
	if err != nil {
		p.cfg.Log.Error("audit row not written", "call", c.call.ID, "err", err)
		p.queueAudit(p.auditRow(c), out, begun, err)
	}
}

// errorText puts the call before the message, unless it is there already: bash(command="…"): message.
func (c *callState) errorText(message string) string {
	if strings.HasPrefix(message, c.call.Tool+"(") {
		return message
	}
	return FormatCall(c.call.Tool, c.call.Args, c.desc.SecretArgs...) + ": " + message
}
