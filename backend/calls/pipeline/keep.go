package pipeline

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"sextant/shared/clip"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// What is handed out in one piece: bytes of a text, characters in a turn, where the loop hands
// no more to a model. What is longer is told by its first and last bytes, the rest is kept.
const (
	maxWhole    = 50 << 10
	maxInTurn   = 24_000
	toldAtFirst = 12 << 10
	toldAtLast  = 4 << 10
	// maxReason is how many characters of an error are its own line; the rest is text.
	maxReason = 2000
	// maxBefore is how many characters a tool may tell before a text that it has cut itself.
	maxBefore = 40
)

// Results keeps texts that are too long to be handed out; *results.Store is one.
type Results interface {
	Keep(ctx context.Context, about wire.KeptResult, text string, whole toolspec.Whole) (wire.KeptResult, error)
}

// handOut shortens a result whose text is too long: it is kept whole under a handle, and its first
// and last part are the text. The value stays whole; only models and people read the text.
func (p *Pipeline) handOut(ctx context.Context, f *flight, result toolspec.Result) toolspec.Result {
	if !f.keeps(result) {
		if result.Whole != nil {
			result.Whole.Discard()
			result.Whole = nil
		}
		return result
	}
	text := result.Text
	switch {
	case !result.Success && len(result.Error) > maxReason:
		text = strings.TrimSpace(result.Error + "\n" + text)
		result.Error = clip.Runes(result.Error, maxReason)
	case result.Success:
		text = result.ModelText()
	}
	about := wire.KeptResult{
		Owner: f.call.From.Owner(), Conversation: f.call.From.Conversation, Tool: f.call.Tool, Call: f.call.ID,
		Sources: result.Sources, Read: f.readFrom(result), Time: p.cfg.Now().UTC(),
	}
	kept, err := p.cfg.Results.Keep(context.WithoutCancel(ctx), about, text, result.Whole)
	cut := result.Whole != nil
	result.Whole = nil
	if err == nil && f.unpaged() {
		result.Kept = &toolspec.Kept{Handle: kept.ID, Bytes: kept.Bytes, Lines: kept.Lines, Cut: kept.Cut}
		return result
	}
	first, last := ends(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		p.cfg.Log.Error("a long result was not kept", "tool", f.call.Tool, "call", f.call.ID, "err", err)
		result.Text = first + fmt.Sprintf("\n[%d bytes between are left out, and could not be kept. Do it again in smaller parts.]\n", len(text)-len(first)-len(last)) + last
		return result
	}
	result.Kept = &toolspec.Kept{Handle: kept.ID, Bytes: kept.Bytes, Lines: kept.Lines, Cut: kept.Cut}
	result.Text = first + onward(*result.Kept, first, last, cut) + last
	return result
}

// keeps reports whether a result is one to be kept: too long for who asked, who can read parts.
// What a tool has cut itself is lost otherwise, so that is kept for everybody but a body of
// code, which has the value.
func (f *flight) keeps(result toolspec.Result) bool {
	from := f.call.From
	switch {
	case from.Caller == toolspec.CallerCreated:
		return false
	case f.status == event.CallStopped && result.Whole != nil:
		return false // nobody waits for that, and a stop is not to wait for it
	case result.Whole != nil:
		return true
	case f.unpaged(), f.call.Tool == toolspec.ReadResult:
		return false // a page is bounded in characters, and a handle of a handle helps nobody
	}
	text := result.ModelText()
	return len(text) > maxWhole || from.Turn != "" && len(text) > maxInTurn && utf8.RuneCountInString(text) > maxInTurn
}

// unpaged reports whether who asked gets every text as the tool told it: a person at a panel, and
// programs that cannot read parts.
func (f *flight) unpaged() bool {
	from := f.call.From
	return from.Unpaged || from.Caller == toolspec.CallerPerson && from.Turn == ""
}

// ends are the first and the last part of a text, cut at the end of a line where one is near and
// never within a character.
func ends(text string) (first, last string) {
	if len(text) <= toldAtFirst+toldAtLast {
		return text, ""
	}
	at := toldAtFirst
	for !utf8.RuneStart(text[at]) {
		at--
	}
	first = text[:at]
	if end := strings.LastIndexByte(first, '\n'); end >= at/2 {
		first = first[:end+1]
	}
	at = len(text) - toldAtLast
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	last = text[at:]
	if end := strings.IndexByte(last, '\n'); end >= 0 && end < len(last)/2 {
		last = last[end+1:]
	}
	return first, last
}

// onward says what is missing between the parts and how to read it. cut is true when the tool
// has told its text with a line of its own before it: then the line to go on with is told again.
func onward(kept toolspec.Kept, first, last string, cut bool) string {
	lines := strings.Count(first, "\n")
	next := fmt.Sprintf(`"offset":%d`, max(lines+1, 1))
	switch {
	case !strings.HasSuffix(first, "\n"):
		at := utf8.RuneCountInString(first) + 1
		if cut {
			at = max(at-maxBefore, 1)
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
	return fmt.Sprintf("%s[Cut here; the end follows. Kept as %s: %s. Go on with %s {\"handle\":%q,%s}, or search it with {\"handle\":%q,\"pattern\":\"…\"}.]%s",
		between, kept.Handle, whole, toolspec.ReadResult, kept.Handle, next, kept.Handle, end)
}

func inBytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
