// Package repetition detects a model that repeats the same call with the same result without making progress.
package repetition

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"regexp"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// maxRepeats is how often the same call and result may occur before the turn ends.
const maxRepeats = 3

// Detector detects a model that repeats a call with the same arguments and the same result, with nothing new in
// between. It belongs to one turn and is not safe for concurrent use.
type Detector struct {
	// known contains all calls with results of the turn; repeats counts them since the last success that was new.
	known   map[[sha256.Size]byte]bool
	repeats map[[sha256.Size]byte]int
}

// count records c with its result and returns how often it occurred since the last successful result that was new in
// this turn. Two alternating calls with known results therefore both count as repeated.
func (d *Detector) count(c chat.ToolCall, text string, r toolspec.Result) int {
	if d.known == nil {
		d.known, d.repeats = map[[sha256.Size]byte]bool{}, map[[sha256.Size]byte]int{}
	}
	key := sha256.Sum256([]byte(c.Name + "\x00" + canonical(c.Args) + "\x00" + withoutCounters(text)))
	if !d.known[key] && r.Success {
		clear(d.repeats)
	}
	d.known[key] = true
	d.repeats[key]++
	return d.repeats[key]
}

// Record records c. If c and its result occurred before, with nothing new since, it returns a note to append to the
// result; at maxRepeats the turn must end.
func (d *Detector) Record(c chat.ToolCall, text string, r toolspec.Result) (note string, over bool) {
	switch n := d.count(c, text, r); {
	case n == maxRepeats-1:
		return "\n(the same call gave the same result before, and nothing changed in between; once more ends " +
			"the turn. Do something else, or say what is missing.)", false
	case n >= maxRepeats:
		return "\n(the turn ended here: the same call gave the same result three times, and nothing changed in " +
			"between)", true
	}
	return "", false
}

func canonical(args json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(args)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(args)
	}
	return string(b)
}

// counters are the parts in which otherwise equal results differ: durations, and the numbers of the elements and the
// version of a page that is loaded again ("[30] link", "| v2 |").
var counters = regexp.MustCompile(`(?m) · settled [\d.]+ m?s(?: \([^)]*\))?|[\d.,]+ (?:ms|s)\b|^\[\d+\]|\| v\d+ \|`)

func withoutCounters(text string) string { return counters.ReplaceAllString(text, "") }
