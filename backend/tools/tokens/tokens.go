// Package tokens counts the tokens of text.
package tokens

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"sextant/shared/excerpt"
)

const (
	maxCached     = 8192
	maxCachedText = 2048
)

// Counter counts tokens with the tokenizers cl100k_base and o200k_base and returns the higher count. It loads their
// tables on first use. The zero value is ready to use. It is safe for concurrent use.
type Counter struct {
	once   sync.Once
	codecs []tokenizer.Codec

	mu    sync.Mutex
	cache map[string]int
}

// Count returns the number of tokens in text, or its length in bytes if a tokenizer fails.
func (c *Counter) Count(text string) int {
	if len(text) > maxCachedText {
		return c.measure(text)
	}
	c.mu.Lock()
	n, ok := c.cache[text]
	c.mu.Unlock()
	if ok {
		return n
	}
	n = c.measure(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cache == nil || len(c.cache) >= maxCached {
		c.cache = map[string]int{}
	}
	c.cache[text] = n
	return n
}

func (c *Counter) measure(text string) int {
	c.once.Do(c.load)
	most := 0
	for _, codec := range c.codecs {
		n, err := codec.Count(text)
		if err != nil {
			return len(text) // a token has at least one byte
		}
		most = max(most, n)
	}
	if len(c.codecs) == 0 {
		return len(text)
	}
	return most
}

func (c *Counter) load() {
	for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		codec, err := tokenizer.Get(name)
		if err != nil {
			c.codecs = nil
			return
		}
		c.codecs = append(c.codecs, codec)
	}
}

// pieceBytes is the size of the pieces that are counted one at a time, because tokenizers are slow on long words.
const pieceBytes = 400

// Fit returns the length in bytes of nearly the longest prefix of text with at most budget tokens. The prefix ends
// after a line or a word if one ends nearby. It has at least one character, unless text is empty.
func (c *Counter) Fit(text string, budget int) int {
	end := c.fit(text, max(budget, 1))
	if end == len(text) {
		return end
	}
	for _, separator := range []string{"\n", " "} {
		if i := strings.LastIndex(text[:end], separator); i > 0 && i > end-end/5 {
			return i + 1
		}
	}
	return end
}

func (c *Counter) fit(text string, budget int) int {
	if len(text) <= budget {
		return len(text) // a token has at least one byte
	}
	end, left := 0, budget
	for end < len(text) {
		piece := text[end:pieceEnd(text, end)]
		n := c.measure(piece)
		if n > left {
			end += c.fitPiece(piece, left)
			break
		}
		left -= n
		end += len(piece)
	}
	// The pieces may have slightly more or fewer tokens alone than together.
	for end > pieceBytes && c.measure(text[:end]) > budget {
		end = excerpt.PrefixLen(text, end-max(end/50, 8))
	}
	_, first := utf8.DecodeRuneInString(text)
	return max(end, first)
}

func pieceEnd(text string, start int) int {
	if len(text)-start <= pieceBytes {
		return len(text)
	}
	if i := strings.LastIndexByte(text[start:start+pieceBytes], '\n'); i > 0 {
		return start + i + 1
	}
	return excerpt.PrefixLen(text, start+pieceBytes)
}

func (c *Counter) fitPiece(piece string, budget int) int {
	low, high := 0, len(piece)
	for low < high {
		mid := excerpt.PrefixLen(piece, (low+high+1)/2)
		if mid <= low {
			break
		}
		if c.measure(piece[:mid]) <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}
