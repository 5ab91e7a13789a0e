package environment

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"sextant/backend/tools/readable"
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
	// Article is true when navigation, asides and footer around a text were left out.
	Article bool `json:"article,omitempty"`
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
		text, cut, err := readable.Page(html, url, p.Format)
		if err != nil {
			return toolspec.Result{}, err
		}
		c := content{URL: url, Title: title, Format: p.Format, Offset: p.Offset, Article: cut}
		head := t.pageLine(c, p.MaxTokens)
		if err := t.portion(&c, text, p.MaxTokens-t.tokens.count(head)-whereTokens); err != nil {
			return toolspec.Result{}, err
		}
		r := toolspec.OK(c)
		r.Text = head + c.where() + c.Text
		r.Sentence = "Read " + place(url)
		r.Preview = []string{fmt.Sprintf("%d characters · %s", c.Total, annotator.Clean(title, 60))}
		r.Sources = sources(url)
		return r, nil
	})
}

// portion cuts the part of text that c asks for, at the end of a line or word where it can.
func (t *Tools) portion(c *content, text string, budget int) error {
	c.Total = utf8.RuneCountInString(text)
	if c.Offset > 0 && c.Offset >= c.Total {
		return &argumentError{fmt.Sprintf("offset %d lies behind the end; the text has %d characters", c.Offset, c.Total), `send {"offset":0} to read it from the start`}
	}
	text = text[bytesOf(text, c.Offset):]
	end := t.within(text, max(budget, 1))
	if end < len(text) {
		end = breakBefore(text, end)
		c.Next = c.Offset + utf8.RuneCountInString(text[:end])
	}
	c.Text = text[:end]
	return nil
}

// bytesOf is how many bytes the first n characters of s take.
func bytesOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// pieceBytes is how much of a text is counted at once: tokenizers are slow on long words.
const pieceBytes = 400

// within is how many bytes of text fit into budget tokens, at least one character.
func (t *Tools) within(text string, budget int) int {
	// A token is at least one byte.
	if len(text) <= budget {
		return len(text)
	}
	end, left := 0, budget
	for end < len(text) {
		piece := text[end:pieceEnd(text, end)]
		n := t.tokens.measure(piece)
		if n > left {
			end += t.most(piece, left)
			break
		}
		left -= n
		end += len(piece)
	}
	// Pieces by themselves cost a little more or less than together.
	for end > pieceBytes && t.tokens.measure(text[:end]) > budget {
		end = back(text, end-max(end/50, 8))
	}
	_, least := utf8.DecodeRuneInString(text)
	return max(end, least)
}

// pieceEnd is where a piece that starts at from ends: behind a line end, or when there is none near.
func pieceEnd(text string, from int) int {
	if len(text)-from <= pieceBytes {
		return len(text)
	}
	if i := strings.LastIndexByte(text[from:from+pieceBytes], '\n'); i > 0 {
		return from + i + 1
	}
	return back(text, from+pieceBytes)
}

// most is how many bytes of a piece fit, found by halving.
func (t *Tools) most(piece string, budget int) int {
	low, high := 0, len(piece)
	for low < high {
		mid := back(piece, (low+high+1)/2)
		if mid <= low {
			break
		}
		if t.tokens.measure(piece[:mid]) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// back moves i to the beginning of the character it lies in.
func back(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// breakBefore moves end back to just behind a line end or a space, if one is near.
func breakBefore(text string, end int) int {
	for _, sep := range []string{"\n", " "} {
		if i := strings.LastIndex(text[:end], sep); i > 0 && i > end-end/5 {
			return i + 1
		}
	}
	return end
}

// whereTokens is kept free for the line that where writes.
const whereTokens = 42

// pageLine says which page it is, short where little may be told.
func (t *Tools) pageLine(c content, maxTokens int) string {
	line := ""
	for _, long := range []struct{ title, url int }{{120, 400}, {40, 120}, {12, 30}, {4, 8}} {
		line = fmt.Sprintf("Page: %s | %s\n", annotator.Clean(c.Title, long.title), annotator.Clean(c.URL, long.url))
		if t.tokens.count(line) <= maxTokens/3 {
			break
		}
	}
	return line
}

// where is which part of the text c is, and how to go on.
func (c content) where() string {
	switch {
	case c.Total == 0:
		return "The page holds no readable text."
	case c.Offset == 0 && c.Next == 0 && !c.Article:
		return "\n"
	}
	s := ""
	if c.Article {
		s = "without navigation, asides and footer; "
	}
	s += fmt.Sprintf("characters %d to %d of %d", c.Offset, c.Offset+utf8.RuneCountInString(c.Text), c.Total)
	if c.Next > 0 {
		s += fmt.Sprintf("; go on with offset %d", c.Next)
	}
	return s + "\n\n"
}
