package loop

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// guard notices a model that goes in circles: the same call with the same arguments and
// the same result, while nothing else changed in between.
type guard struct {
	times map[[sha256.Size]byte]int
}

// seen counts c with its result and says how often it happened since something changed.
func (g *guard) seen(c chat.ToolCall, text string, r toolspec.Result) int {
	if g.times == nil {
		g.times = map[[sha256.Size]byte]int{}
	}
	key := sha256.Sum256([]byte(c.Name + "\x00" + canonical(c.Args) + "\x00" + timeless(text)))
	if g.times[key] == 0 && r.Success && len(g.times) > 0 {
		// A new result is news: what was repeated before may be worth another try.
		clear(g.times)
	}
	g.times[key]++
	return g.times[key]
}

// canonical is args with sorted keys and no white space.
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

// timeless drops durations ("settled 38 ms"), which differ in results that are otherwise
// the same.
func timeless(s string) string {
	words := strings.Fields(s)
	for i := 1; i < len(words); i++ {
		if unit := strings.TrimRight(words[i], ".,;"); unit == "ms" || unit == "s" {
			if strings.Trim(words[i-1], "0123456789.,") == "" {
				words[i-1] = "#"
			}
		}
	}
	return strings.Join(words, " ")
}
