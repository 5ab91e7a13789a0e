package readresult

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

//go:embed read_result.md
var readResultDoc string

// maxPage and maxPattern are in characters.
const (
	maxPage        = 16_000
	defaultLines   = 300
	defaultMatches = 50
	maxContext     = 20
	maxPattern     = 1000
)

const (
	inLines      = "lines"
	inCharacters = "characters"
)

type readResultParams struct {
	Handle  string `json:"handle"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
	Unit    string `json:"unit"`
	Pattern string `json:"pattern"`
	Context int    `json:"context"`
}

type part struct {
	Handle string `json:"handle"`
	Text   string `json:"text"`
	// Count is in Unit; for a search, it is the number of matching lines.
	Unit   string `json:"unit"`
	Offset int    `json:"offset"`
	Count  int    `json:"count"`
	// Next is the offset to continue with, in NextUnit, or 0 at the end.
	Next     int    `json:"next_offset,omitempty"`
	NextUnit string `json:"next_unit,omitempty"`
	Lines    int    `json:"total_lines"`
	Bytes    int64  `json:"total_bytes"`
	// Cut is true if only the beginning of the result is stored.
	Cut bool `json:"cut,omitempty"`
}

func readResult() tool {
	return tool{
		def: toolkit.Define(toolspec.ReadResult, "workspace", readResultDoc,
			fmt.Sprintf(`{"type":"object","properties":{`+
				`"handle":{"type":"string","minLength":1,"maxLength":40},`+
				`"offset":{"type":"integer","minimum":1,"default":1},`+
				`"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"Maximum lines, characters or matches."},`+
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
				return toolspec.Description{Sentence: "Searching a long result for " + excerpt.Line(p.Pattern, 60)}
			}
			return toolspec.Description{Sentence: "Reading more of a long result"}
		},
		run: runReadResult,
	}
}

func runReadResult(ctx context.Context, t *Tools, call toolspec.Call) (toolspec.Result, error) {
	p := readResultParams{Offset: 1, Unit: inLines}
	if bad := toolkit.Decode(call.Args, &p); bad != nil {
		return *bad, nil
	}
	var pattern *regexp.Regexp
	if p.Pattern != "" {
		var err error
		if pattern, err = regexp.Compile(p.Pattern); err != nil {
			return toolspec.Fail(toolspec.ValidationError, "the pattern is not a valid RE2 expression: "+err.Error(),
				`Escape what is meant literally, as in {"pattern":"a\\(b"}.`), nil
		}
		p.Unit = inLines
	}
	f, about, failed, err := t.open(ctx, call, p.Handle)
	if err != nil || failed != nil {
		if failed != nil {
			return *failed, nil
		}
		return toolspec.Result{}, err
	}
	defer func() { _ = f.Close() }()
	v := part{
		Handle: about.ID, Unit: p.Unit, Offset: max(p.Offset, 1), Lines: about.Lines, Bytes: about.Bytes,
		Cut: about.Cut,
	}
	source := toolkit.ContextReader(ctx, f)
	switch {
	case pattern != nil:
		err = v.search(source, pattern, limitOr(p.Limit, defaultMatches), p.Context)
	case p.Unit == inCharacters:
		err = v.characters(source, limitOr(p.Limit, maxPage))
	default:
		err = v.lines(source, limitOr(p.Limit, defaultLines))
	}
	if err != nil {
		return toolspec.Result{}, fmt.Errorf("reading a result: %w", err)
	}
	if pattern == nil && v.Count == 0 && v.Offset > 1 {
		r := toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("%s ends before %s %d", about.ID, strings.TrimSuffix(v.Unit, "s"), v.Offset),
			fmt.Sprintf("It has %d lines. Send a smaller offset.", about.Lines))
		return r, nil
	}
	return v.result(about, pattern), nil
}

func limitOr(limit, standard int) int {
	if limit <= 0 {
		return standard
	}
	return limit
}

func (p *part) result(about wire.StoredResult, pattern *regexp.Regexp) toolspec.Result {
	r := toolspec.OK(p)
	var head string
	switch {
	case pattern != nil && p.Count == 0:
		head = fmt.Sprintf("%s: no line from %d on matches", p.Handle, p.Offset)
	case pattern != nil:
		head = fmt.Sprintf("%s: %d matching %s", p.Handle, p.Count, english.PluralWord(p.Count, "line", ""))
	case p.Count == 0:
		head = p.Handle + " is empty"
	default:
		head = fmt.Sprintf("%s: %s %d-%d", p.Handle, p.Unit, p.Offset, p.Offset+p.Count-1)
		if p.Unit == inLines {
			head += fmt.Sprintf(" of %d", p.Lines)
		}
	}
	if p.Next > 0 {
		head += fmt.Sprintf("; continue with \"offset\":%d", p.Next)
		if p.NextUnit != p.Unit {
			head += fmt.Sprintf(",\"unit\":%q", p.NextUnit)
		}
	} else if p.Cut {
		head += "; the rest was not stored"
	}
	r.Text = head + "\n" + p.Text
	r.Sentence = "Read more of the result of " + about.Tool
	if pattern != nil {
		r.Sentence = fmt.Sprintf("Found %d %s in the result of %s", p.Count, english.PluralWord(p.Count, "line", ""),
			about.Tool)
	}
	r.Preview = excerpt.FirstLines(p.Text, 3, 120)
	r.Sources, r.PrivateSources = about.Sources, about.PrivateSources
	return r
}
