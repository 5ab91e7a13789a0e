package pipeline

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// A text is returned whole up to maxText bytes, and in a turn up to maxTextInTurn characters, the loop's limit for a
// model. A longer text is stored, and about firstBytes of its start and lastBytes of its end are returned.
const (
	maxText       = 50 << 10
	maxTextInTurn = 24_000
	firstBytes    = 12 << 10
	lastBytes     = 4 << 10
	maxReason     = 2000
	// maxHeading is the number of characters that a tool may put before a text that it has cut itself.
	maxHeading = 40
)

// Results stores texts that are too long to return; *results.Store implements it.
type Results interface {
	Save(ctx context.Context, about wire.StoredResult, text string, whole toolspec.SpooledText) (wire.StoredResult,
		error)
}

// A caller that gets every text whole (unpaged) keeps the text if it could be stored. The value is not shortened,
// because only models and people read the text.
func (p *Pipeline) shorten(ctx context.Context, c *callState, result toolspec.Result) toolspec.Result {
	if !c.tooLong(result) {
		if result.Spooled != nil {
			result.Spooled.Discard()
			result.Spooled = nil
		}
		return result
	}
	text := result.Text
	switch {
	case !result.Success && len(result.Error) > maxReason:
		text = strings.TrimSpace(result.Error + "\n" + text)
		result.Error = excerpt.TruncateRunes(result.Error, maxReason)
	case result.Success:
		text = result.ModelText()
	}
	about := wire.StoredResult{
		Owner: c.call.From.Owner(), Conversation: c.call.From.Conversation, Tool: c.call.Tool, Call: c.call.ID,
		Sources: result.Sources, PrivateSources: result.PrivateSources, Time: p.cfg.Now().UTC(),
	}
	stored, err := p.cfg.Results.Save(context.WithoutCancel(ctx), about, text, result.Spooled)
	cut := result.Spooled != nil
	result.Spooled = nil
	if err == nil && c.unpaged() {
		result.Stored = storedText(stored)
		return result
	}
	first, last := ends(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		p.cfg.Log.Error("a long result was not stored", "tool", c.call.Tool, "call", c.call.ID, "err", err)
		result.Text = first + fmt.Sprintf(
			"\n[%d bytes in between were left out and could not be stored. Do it again in smaller parts.]\n",
			len(text)-len(first)-len(last)) + last
		return result
	}
	result.Stored = storedText(stored)
	result.Text = first + gapNote(*result.Stored, first, last, cut) + last
	return result
}

func storedText(r wire.StoredResult) *toolspec.StoredText {
	return &toolspec.StoredText{Handle: r.ID, Bytes: r.Bytes, Lines: r.Lines, Cut: r.Cut}
}

// Results for created tools are not stored, because a created tool gets the value.
func (c *callState) tooLong(result toolspec.Result) bool {
	from := c.call.From
	switch {
	case from.Caller == toolspec.CallerCreatedTool:
		return false
	case c.status == event.CallStopped && result.Spooled != nil:
		return false // no caller waits for it, and storing would delay the stop
	case result.Spooled != nil:
		return true
	case c.unpaged(), c.call.Tool == toolspec.ReadResult:
		return false // a part of a stored result is short enough
	}
	text := result.ModelText()
	return len(text) > maxText ||
		from.Turn != "" && len(text) > maxTextInTurn && utf8.RuneCountInString(text) > maxTextInTurn
}

// unpaged reports whether the caller gets every text whole: a person outside of turns, or a program that cannot read
// parts.
func (c *callState) unpaged() bool {
	from := c.call.From
	return from.NeedsFullResults || from.Caller == toolspec.CallerPerson && from.Turn == ""
}

// ends returns the first and the last part of a text, or all of a short text and "". It cuts at a nearby line end.
func ends(text string) (first, last string) {
	if len(text) <= firstBytes+lastBytes {
		return text, ""
	}
	at := firstBytes
	for !utf8.RuneStart(text[at]) {
		at--
	}
	first = text[:at]
	if end := strings.LastIndexByte(first, '\n'); end >= at/2 {
		first = first[:end+1]
	}
	at = len(text) - lastBytes
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	last = text[at:]
	if end := strings.IndexByte(last, '\n'); end >= 0 && end < len(last)/2 {
		last = last[end+1:]
	}
	return first, last
}

// gapNote describes the missing part and how to read it. cut is true if the tool put a line before its text, so that
// reading continues one line earlier.
func gapNote(kept toolspec.StoredText, first, last string, cut bool) string {
	lines := strings.Count(first, "\n")
	next := fmt.Sprintf(`"offset":%d`, max(lines+1, 1))
	switch {
	case !strings.HasSuffix(first, "\n"):
		at := utf8.RuneCountInString(first) + 1
		if cut {
			at = max(at-maxHeading, 1)
		}
		next = fmt.Sprintf(`"unit":"characters","offset":%d`, at)
	case cut:
		next = fmt.Sprintf(`"offset":%d`, max(lines, 1))
	}
	whole := fmt.Sprintf("%s in %d lines", inBytes(kept.Bytes), kept.Lines)
	if kept.Cut {
		whole = "only its first " + whole
	}
	between := "\n"
	if strings.HasSuffix(first, "\n") {
		between = ""
	}
	end := "\n"
	if last == "" {
		end = ""
	}
	return fmt.Sprintf(
		"%s[Cut here; the end follows. Stored as %s: %s. Continue with %s {\"handle\":%q,%s}, "+
			"or search it with {\"handle\":%q,\"pattern\":\"…\"}.]%s",
		between, kept.Handle, whole, toolspec.ReadResult, kept.Handle, next, kept.Handle, end)
}

func inBytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
