package environment

import (
	"sync"

	"github.com/tiktoken-go/tokenizer"
)

// maxCounted bounds how many lines' counts are remembered.
const maxCounted = 8192

// tokens counts what a text costs a model: the dearer of the two tokenizers in common use. It
// reads their tables when it is first asked, and remembers lines, because most lines of a page
// are told again and again. It may be used concurrently.
type tokens struct {
	once   sync.Once
	codecs []tokenizer.Codec

	mu    sync.Mutex
	known map[string]int
}

// count is how many tokens s has, never too few for either tokenizer.
func (t *tokens) count(s string) int {
	t.mu.Lock()
	n, ok := t.known[s]
	t.mu.Unlock()
	if ok {
		return n
	}
	n = t.measure(s)
	if len(s) > 2048 {
		return n
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil || len(t.known) >= maxCounted {
		t.known = map[string]int{}
	}
	t.known[s] = n
	return n
}

func (t *tokens) measure(s string) int {
	t.once.Do(t.load)
	most := 0
	for _, c := range t.codecs {
		n, err := c.Count(s)
		if err != nil {
			// A token is at least one byte.
			return len(s)
		}
		most = max(most, n)
	}
	if len(t.codecs) == 0 {
		return len(s)
	}
	return most
}

func (t *tokens) load() {
	for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		c, err := tokenizer.Get(name)
		if err != nil {
			t.codecs = nil
			return
		}
		t.codecs = append(t.codecs, c)
	}
}
