package kept

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/tools/room"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

//go:embed read_result.md
var readResultDoc string

// Bounds of one answer: characters, lines when limit is not sent, matches when it is not, and
// lines around a match.
const (
	maxPage         = 16_000
	standardLines   = 300
	standardMatches = 50
	maxContext      = 20
	maxPattern      = 1000
)

// The units of offset and limit.
const (
	inLines      = "lines"
	inCharacters = "characters"
)

// readResultParams: which result, from where, how much, in lines or characters, and what to
// search for with how many lines around it.
type readResultParams struct {
	Handle  string `json:"handle"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
	Unit    string `json:"unit"`
	Pattern string `json:"pattern"`
	Context int    `json:"context"`
}

// part is the value of read_result. Pages that follow Next, joined, are the whole text.
type part struct {
	Handle string `json:"handle"`
	// Text is the page as it is kept, or the lines found.
	Text string `json:"text"`
	// Unit, Offset and Count say what Text holds; of a search Count is how many lines matched.
	Unit   string `json:"unit"`
	Offset int    `json:"offset"`
	Count  int    `json:"count"`
	// Next and NextUnit go on after Text; Next is 0 at the end.
	Next     int    `json:"next_offset,omitempty"`
	NextUnit string `json:"next_unit,omitempty"`
	Lines    int    `json:"total_lines"`
	Bytes    int64  `json:"total_bytes"`
	// Cut is true when what is kept is only the beginning of what there was.
	Cut bool `json:"cut,omitempty"`
}

func readResult() tool {
	return tool{
		def: room.Define(toolspec.ReadResult, "workspace", readResultDoc, fmt.Sprintf(`{"type":"object","properties":{`+
			`"handle":{"type":"string","minLength":1,"maxLength":40},`+
			`"offset":{"type":"integer","minimum":1,"default":1},`+
			`"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"Lines, characters or matches at most."},`+
			`"unit":{"type":"string","enum":["lines","characters"],"default":"lines"},`+
			`"pattern":{"type":"string","maxLength":%d},`+
			`"context":{"type":"integer","minimum":0,"maximum":%d,"default":0}`+
			`},"required":["handle"],"additionalProperties":false}`, maxPage, maxPattern, maxContext),
			toolspec.Hints{ReadOnly: true, Idempotent: true},
			`{"handle":"r_k3x7q2m5w4ab","offset":301}`, `{"handle":"r_k3x7q2m5w4ab","pattern":"(?i)error","context":2}`,
			`{"handle":"r_k3x7q2m5w4ab","unit":"characters","offset":12001}`),
		describe: func(call toolspec.Call) toolspec.Description {
			var p readResultParams
			_ = json.Unmarshal(call.Args, &p)
			if p.Pattern != "" {
				return toolspec.Description{Present: "Searching a long result for " + toolspec.Brief(p.Pattern, 60)}
			}
			return toolspec.Description{Present: "Reading on in a long result"}
		},
		run: runReadResult,
	}
}

func runReadResult(ctx context.Context, t *Tools, call toolspec.Call) (toolspec.Result, error) {
	p := readResultParams{Offset: 1, Unit: inLines}
	if bad := room.Decode(call.Args, &p); bad != nil {
		return *bad, nil
	}
	var pattern *regexp.Regexp
	if p.Pattern != "" {
		var err error
		if pattern, err = regexp.Compile(p.Pattern); err != nil {
			return toolspec.Fail(toolspec.ValidationError, "the pattern is no RE2 expression: "+err.Error(),
				`Escape what is meant as it stands, as in {"pattern":"a\\(b"}.`), nil
		}
		p.Unit = inLines
	}
	f, about, bad, err := t.open(ctx, call, p.Handle)
	if err != nil || bad != nil {
		return told(bad), err
	}
	defer func() { _ = f.Close() }()
	v := part{Handle: about.ID, Unit: p.Unit, Offset: max(p.Offset, 1), Lines: about.Lines, Bytes: about.Bytes, Cut: about.Cut}
	source := obeying{ctx, f}
	switch {
	case pattern != nil:
		err = v.search(source, pattern, orElse(p.Limit, standardMatches), p.Context)
	case p.Unit == inCharacters:
		err = v.characters(source, orElse(p.Limit, maxPage))
	default:
		err = v.lines(source, orElse(p.Limit, standardLines))
	}
	if err != nil {
		return toolspec.Result{}, fmt.Errorf("reading a result: %w", err)
	}
	if pattern == nil && v.Count == 0 && v.Offset > 1 {
		r := toolspec.Fail(toolspec.UserError, fmt.Sprintf("%s ends before %s %d", about.ID, strings.TrimSuffix(v.Unit, "s"), v.Offset),
			fmt.Sprintf("It has %d lines. Send a smaller offset.", about.Lines))
		return r, nil
	}
	return v.result(about, pattern), nil
}

func told(bad *toolspec.Result) toolspec.Result {
	if bad == nil {
		return toolspec.Result{}
	}
	return *bad
}

func orElse(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// result tells v; what it was read from goes with it.
func (v *part) result(about wire.KeptResult, pattern *regexp.Regexp) toolspec.Result {
	r := toolspec.OK(v)
	var head string
	switch {
	case pattern != nil && v.Count == 0:
		head = fmt.Sprintf("%s: no line from %d on matches", v.Handle, v.Offset)
	case pattern != nil:
		head = fmt.Sprintf("%s: %d matching %s", v.Handle, v.Count, english.PluralWord(v.Count, "line", ""))
	case v.Count == 0:
		head = v.Handle + " is empty"
	default:
		head = fmt.Sprintf("%s: %s %d-%d", v.Handle, v.Unit, v.Offset, v.Offset+v.Count-1)
		if v.Unit == inLines {
			head += fmt.Sprintf(" of %d", v.Lines)
		}
	}
	if v.Next > 0 {
		head += fmt.Sprintf("; go on with \"offset\":%d", v.Next)
		if v.NextUnit != v.Unit {
			head += fmt.Sprintf(",\"unit\":%q", v.NextUnit)
		}
	} else if v.Cut {
		head += "; only this much was kept"
	}
	r.Text = head + "\n" + v.Text
	r.Sentence = "Read on in the result of " + about.Tool
	if pattern != nil {
		r.Sentence = fmt.Sprintf("Found %d %s in the result of %s", v.Count, english.PluralWord(v.Count, "line", ""), about.Tool)
	}
	for line := range strings.Lines(v.Text) {
		if len(r.Preview) == 3 {
			break
		}
		r.Preview = append(r.Preview, toolspec.Brief(line, 120))
	}
	r.Sources, r.Read = about.Sources, about.Read
	return r
}
