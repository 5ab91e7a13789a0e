package page

import (
	"context"
	"fmt"
	"unicode/utf8"

	"sextant/backend/tools/page/observation"
	"sextant/backend/tools/web/readable"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type contentParams struct {
	Format    string `json:"format" enum:"text,markdown" default:"\"markdown\""`
	MaxTokens int    `json:"max_tokens" min:"50" max:"100000" default:"4000"`
	Offset    int    `json:"offset" min:"0" doc:"in characters"`
}

// Offset, Next and Total count characters (runes) of the whole text. Next is 0 at the end.
type content struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Format string `json:"format"`
	Text   string `json:"text"`
	Offset int    `json:"offset"`
	Next   int    `json:"next_offset,omitempty"`
	Total  int    `json:"total"`
	// Article is true if navigation, asides and footer were left out.
	Article bool `json:"article,omitempty"`
}

func (t *Tools) getPageContent() tool {
	return build(tool{
		name: "get_page_content", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true},
		examples: []string{`{}`, `{"format":"text","max_tokens":1000}`, `{"offset":16000}`},
	}, func(session, contentParams) toolspec.Description {
		return toolspec.Description{Sentence: "Reading the page"}
	}, func(ctx context.Context, s session, p contentParams) (toolspec.Result, error) {
		html, url, title, err := s.HTML(ctx)
		if err != nil {
			return toolspec.Result{}, err
		}
		text, cut, err := readable.ExtractPage(html, url, p.Format)
		if err != nil {
			return toolspec.Result{}, err
		}
		c := content{URL: url, Title: title, Format: p.Format, Offset: p.Offset, Article: cut}
		head := t.pageLine(c, p.MaxTokens)
		if err := t.portion(&c, text, p.MaxTokens-t.tokens.Count(head)-positionTokens); err != nil {
			return toolspec.Result{}, err
		}
		r := toolspec.OK(c)
		r.Text = head + c.position() + c.Text
		r.Sentence = "Read " + observation.DisplayName(url)
		r.Preview = []string{fmt.Sprintf("%d characters · %s", c.Total, annotation.Clean(title, 60))}
		r.Sources = observation.Sources(url)
		return r, nil
	})
}

func (t *Tools) portion(c *content, text string, budget int) error {
	c.Total = utf8.RuneCountInString(text)
	if c.Offset > 0 && c.Offset >= c.Total {
		return &argumentError{
			fmt.Sprintf("offset %d is beyond the end; the text has %d characters", c.Offset, c.Total),
			`send {"offset":0} to read it from the start`,
		}
	}
	text = text[byteOffset(text, c.Offset):]
	end := t.tokens.Fit(text, budget)
	if end < len(text) {
		c.Next = c.Offset + utf8.RuneCountInString(text[:end])
	}
	c.Text = text[:end]
	return nil
}

func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// positionTokens is the budget for the line that position writes.
const positionTokens = 42

func (t *Tools) pageLine(c content, maxTokens int) string {
	line := ""
	for _, long := range []struct{ title, url int }{{120, 400}, {40, 120}, {12, 30}, {4, 8}} {
		line = fmt.Sprintf("Page: %s | %s\n", annotation.Clean(c.Title, long.title), annotation.Clean(c.URL, long.url))
		if t.tokens.Count(line) <= maxTokens/3 {
			break
		}
	}
	return line
}

func (c content) position() string {
	switch {
	case c.Total == 0:
		return "The page has no readable text."
	case c.Offset == 0 && c.Next == 0 && !c.Article:
		return "\n"
	}
	s := ""
	if c.Article {
		s = "without navigation, asides and footer; "
	}
	s += fmt.Sprintf("characters %d to %d of %d", c.Offset, c.Offset+utf8.RuneCountInString(c.Text), c.Total)
	if c.Next > 0 {
		s += fmt.Sprintf("; continue with offset %d", c.Next)
	}
	return s + "\n\n"
}
