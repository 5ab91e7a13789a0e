package environment

import (
	"context"
	_ "embed"
	"fmt"
	"unicode/utf8"

	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed get_page_content.md
var contentAbout string

type contentParams struct {
	Format    string `json:"format" enum:"text,markdown" default:"\"markdown\""`
	MaxTokens int    `json:"max_tokens" min:"50" max:"100000" default:"4000"`
	Offset    int    `json:"offset" min:"0" doc:"in characters"`
}

// content is the value of get_page_content. Offset, Next and Total count characters (runes) of
// the whole text; Next is 0 at the end.
type content struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Format string `json:"format"`
	Text   string `json:"text"`
	Offset int    `json:"offset"`
	Next   int    `json:"next_offset,omitempty"`
	Total  int    `json:"total"`
}

func (t *Tools) getPageContent() tool {
	return build(tool{
		name: "get_page_content", about: about(contentAbout), hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`, `{"format":"text","max_tokens":1000}`, `{"offset":16000}`},
	}, func(session, contentParams) toolspec.Description {
		return toolspec.Description{Present: "Reading the page"}
	}, func(ctx context.Context, s session, p contentParams) (toolspec.Result, error) {
		html, url, title, err := s.HTML(ctx)
		if err != nil {
			return toolspec.Result{}, err
		}
		text, err := readable(html, url, p.Format)
		if err != nil {
			return toolspec.Result{}, err
		}
		c, err := portion(text, p)
		if err != nil {
			return toolspec.Result{}, err
		}
		c.URL, c.Title, c.Format = url, title, p.Format
		r := toolspec.OK(c)
		r.Text = c.headed()
		r.Sentence = "Read " + place(url)
		r.Preview = []string{fmt.Sprintf("%d characters · %s", c.Total, annotator.Clean(title, 60))}
		r.Sources = sources(url)
		return r, nil
	})
}

// portion cuts the part of text that p asks for, at the end of a line or word where it can.
func portion(text string, p contentParams) (content, error) {
	runes := []rune(text)
	c := content{Offset: p.Offset, Total: len(runes)}
	if p.Offset > 0 && p.Offset >= len(runes) {
		return c, &argumentError{fmt.Sprintf("offset %d lies behind the end; the text has %d characters", p.Offset, len(runes)), `send {"offset":0} to read it from the start`}
	}
	runes = runes[p.Offset:]
	end := within(runes, p.MaxTokens)
	if end < len(runes) {
		end = breakBefore(runes, end)
		c.Next = p.Offset + end
	}
	c.Text = string(runes[:end])
	return c, nil
}

// within is how many runes fit into budget tokens, at least one, found by halving.
func within(runes []rune, budget int) int {
	low, high := 1, len(runes)
	// A token is hardly ever longer than this many characters.
	if most := budget * 16; high > most {
		high = most
	}
	if len(runes) == 0 || annotator.Tokens(string(runes[:high])) <= budget {
		return high
	}
	for low < high {
		mid := (low + high + 1) / 2
		if annotator.Tokens(string(runes[:mid])) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// breakBefore moves end back to just behind a line end or a space, if one is near.
func breakBefore(runes []rune, end int) int {
	for _, sep := range []rune{'\n', ' '} {
		for i := end; i > end-end/5 && i > 0; i-- {
			if runes[i-1] == sep {
				return i
			}
		}
	}
	return end
}

// headed is c as models read it: what it is, which part, how to go on.
func (c content) headed() string {
	head := fmt.Sprintf("Page: %s | %s\n", annotator.Clean(c.Title, 120), annotator.Clean(c.URL, 400))
	if c.Total == 0 {
		return head + "The page holds no readable text."
	}
	n := utf8.RuneCountInString(c.Text)
	if c.Offset > 0 || c.Next > 0 {
		head += fmt.Sprintf("characters %d to %d of %d", c.Offset, c.Offset+n, c.Total)
		if c.Next > 0 {
			head += fmt.Sprintf("; go on with offset %d", c.Next)
		}
		head += "\n"
	}
	return head + "\n" + c.Text
}
