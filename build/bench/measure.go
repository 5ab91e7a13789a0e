package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tiktoken-go/tokenizer"
)

// effectTimeout is how long after the answer an effect may arrive; not every system waits for it.
const effectTimeout = time.Second

// longPage is the number of elements above which a page is opened one time fewer (but at least twice if others are), so
// that a run takes less than ten minutes.
const longPage = 5_000

// maxRetries limits how often a page is listed again to find a target that was not in the last answer.
const maxRetries = 3

// Outcome is the result of one system on one page. Times are medians in milliseconds.
type Outcome struct {
	Page          string   `json:"page"`
	System        string   `json:"system"`
	Truth         int      `json:"truth"`
	Seen          int      `json:"seen"`
	Missed        []string `json:"missed,omitempty"`
	WronglyUsable []string `json:"unusable_as_usable,omitempty"`
	Tokens        int      `json:"tokens"`
	ViewTokens    int      `json:"view_tokens,omitempty"`
	Open          float64  `json:"open_ms"`
	FirstAnnotate float64  `json:"first_annotate_ms"`
	Annotate      float64  `json:"annotate_ms"`
	View          float64  `json:"view_ms,omitempty"`
	Act           float64  `json:"act_ms"`
	Effective     int      `json:"effective"`
	Tried         int      `json:"tried"`
	Problem       string   `json:"problem,omitempty"`
}

// Definitions is the size of a system's default tool definitions.
type Definitions struct {
	System string `json:"system"`
	Tools  int    `json:"tools"`
	Tokens int    `json:"tokens"`
}

// Bench contains the state that all measurements of a run share.
type Bench struct {
	site    *Site
	codec   tokenizer.Codec
	repeats int
	looks   int
	scratch string
	file    string
	verbose bool
	key     int
}

// maxFailures is the number of failed actions on a page after which no more are tried.
const maxFailures = 2

// start starts a system and warms it up by opening and listing a page.
func (b *Bench) start(ctx context.Context, s *System) (*RunningSystem, error) {
	r, err := s.start(ctx, s.Command, b.scratch)
	if err != nil {
		return nil, err
	}
	for _, c := range append(slices.Clone(s.StartCalls), s.Open(b.site.URL(quietPage, "warm")), s.ListPage) {
		if _, _, err := r.Do(ctx, c); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

func (b *Bench) run(ctx context.Context, r *RunningSystem, p *Page) Outcome {
	o := Outcome{Page: p.Name, System: r.Name}
	var opens, firsts, listings, views, acts []float64
	repeats := b.repeats
	if p.Nodes > longPage && repeats > 2 {
		repeats--
	}
	for range repeats {
		b.key++
		key := fmt.Sprint(b.key)
		_, took, err := r.Do(ctx, r.Open(b.site.URL(p.Name, key)))
		if err != nil {
			o.Problem = err.Error()
			continue
		}
		opens = append(opens, ms(took))
		var lines []ListedElement
		for i := range b.looks + 1 {
			text, took, err := r.Do(ctx, r.ListPage)
			if err != nil {
				o.Problem = err.Error()
				break
			}
			if i == 0 {
				firsts = append(firsts, ms(took))
			} else {
				listings = append(listings, ms(took))
			}
			lines = b.scoreAnswer(&o, r, p, text, i == 0 && len(firsts) == 1)
		}
		if r.DefaultView != nil {
			text, took, err := r.Do(ctx, *r.DefaultView)
			if err != nil {
				o.Problem = err.Error()
			}
			views = append(views, ms(took))
			o.ViewTokens = max(o.ViewTokens, b.tokens(text))
		}
		if o.Tried-o.Effective >= maxFailures {
			continue
		}
		o.Tried++
		took, err = b.act(ctx, r, p, lines)
		done, effects := b.site.WaitForEffect(key, p.Effect, effectTimeout)
		switch {
		case done:
			o.Effective++
			acts = append(acts, ms(took))
		case err != nil:
			o.Problem = err.Error()
		default:
			o.Problem = fmt.Sprintf("the action had no effect; the page reported %q", effects)
		}
	}
	o.Open, o.FirstAnnotate, o.Annotate, o.View, o.Act = median(opens), median(firsts), median(listings), median(views),
		median(acts)
	return o
}

// scoreAnswer parses an answer and, if it is the first of the page, scores it.
func (b *Bench) scoreAnswer(o *Outcome, r *RunningSystem, p *Page, text string, first bool) []ListedElement {
	lines := r.Parse(text)
	if !first {
		return lines
	}
	s := score(lines, p.Truth)
	o.Truth, o.Seen, o.Missed, o.WronglyUsable = s.Total, s.Found, s.Missed[:min(len(s.Missed), 12)], s.WronglyUsable
	o.Tokens = b.tokens(text)
	if b.verbose {
		fmt.Printf("\n--- %s on %s\n%s\n", r.Name, p.Name, text)
	}
	return lines
}

// act runs the page's steps. If a target is not in the last answer, the page is listed again, since the step
// before may have added the target.
func (b *Bench) act(ctx context.Context, r *RunningSystem, p *Page, lines []ListedElement) (time.Duration, error) {
	begin := time.Now()
	handle := func(t Truth) (string, error) {
		if t.Names == nil {
			return "", nil
		}
		if l, ok := findElement(lines, t); ok {
			return l.Ref, nil
		}
		for range maxRetries {
			text, _, err := r.Do(ctx, r.ListPage)
			if err != nil {
				return "", err
			}
			lines = r.Parse(text)
			if l, ok := findElement(lines, t); ok {
				return l.Ref, nil
			}
		}
		return "", fmt.Errorf("%s does not list %s %q", r.Name, t.Role, strings.Join(t.Names, "|"))
	}
	for _, step := range p.Act {
		on, err := handle(step.On)
		if err != nil {
			return 0, err
		}
		to, err := handle(step.To)
		if err != nil {
			return 0, err
		}
		for _, c := range r.Step(step, on, to, b.file) {
			text, _, err := r.Do(ctx, c)
			if b.verbose {
				fmt.Printf("\n--- %s: %s %v\n%s\n", r.Name, c.Tool, c.Args, text)
			}
			if err != nil {
				return 0, err
			}
			lines = append(r.Parse(text), lines...)
		}
	}
	return time.Since(begin), nil
}

func (b *Bench) definitions(ctx context.Context, s *System) (Definitions, error) {
	r, err := s.start(ctx, s.Core, b.scratch)
	if err != nil {
		return Definitions{}, err
	}
	defer r.Close()
	d := Definitions{System: s.Name}
	for tool, err := range r.session.Tools(ctx, nil) {
		if err != nil {
			return d, err
		}
		text, err := json.Marshal(map[string]any{
			"name": tool.Name, "description": tool.Description,
			"parameters": tool.InputSchema,
		})
		if err != nil {
			return d, err
		}
		d.Tools++
		d.Tokens += b.tokens(string(text))
	}
	return d, nil
}

func (b *Bench) tokens(text string) int {
	n, err := b.codec.Count(text)
	if err != nil {
		return -1
	}
	return n
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}
