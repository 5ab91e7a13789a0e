package generate

import (
	"math/rand/v2"
	"strings"
)

// commonWords begin the vocabulary, so that they are its most frequent words.
const commonWords = `the of and to a in is it for on that with as at this by from be or are was not you can have an
all we file page if which will one use has there time more about list out when them then some so other into new could
than first been who its now find may down come made after back only little work year any most very just name good
sentence think say help through much before line right too mean old same tell follow came want show also around form
small set put end another large must big even such because turn here why ask went read need different home move try
kind again change off play point page answer house lamp price table order shop delivery invoice report error server
test build release branch commit meeting summary budget flight hotel ticket train weather recipe garden window door`

// syllables make the rest of the vocabulary.
const syllables = `ba be bi bo bu ca ce co da de di do du fa fe fi fo ga ge go ha he hi ho ja jo ka ke ki ko la le li
lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we wi za
ze zo tion ment ler gen ter ling ston berg mar kel`

const vocabularySize = 30_000

// vocabulary chooses words about as often as a language does (Zipf's law).
type vocabulary struct {
	random *rand.Rand
	zipf   *rand.Zipf
	words  []string
}

func newVocabulary(random *rand.Rand) *vocabulary {
	words := strings.Fields(commonWords)
	parts := strings.Fields(syllables)
	seen := map[string]bool{}
	for _, w := range words {
		seen[w] = true
	}
	for len(words) < vocabularySize {
		var w strings.Builder
		for range 2 + random.IntN(3) {
			w.WriteString(parts[random.IntN(len(parts))])
		}
		if !seen[w.String()] {
			seen[w.String()] = true
			words = append(words, w.String())
		}
	}
	return &vocabulary{
		random: random, words: words,
		zipf: rand.NewZipf(random, 1.07, 3, vocabularySize-1),
	}
}

func (v *vocabulary) word() string { return v.words[v.zipf.Uint64()] }

func (v *vocabulary) writeSentence(b *strings.Builder) {
	n := 4 + v.random.IntN(14)
	for i := range n {
		w := v.word()
		if i == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	b.WriteByte('.')
}

func (v *vocabulary) sentence() string {
	var b strings.Builder
	v.writeSentence(&b)
	return b.String()
}

// prose returns Markdown with 1 to most sentences, and now and then a list or code.
func (v *vocabulary) prose(most int) string {
	var b strings.Builder
	for i := range 1 + v.random.IntN(most) {
		if i > 0 {
			b.WriteString([]string{" ", " ", " ", "\n\n"}[v.random.IntN(4)])
		}
		v.writeSentence(&b)
	}
	switch v.random.IntN(12) {
	case 0:
		for range 2 + v.random.IntN(4) {
			b.WriteString("\n- ")
			v.writeSentence(&b)
		}
	case 1:
		b.WriteString("\n\n```go\nfunc " + v.word() + "() error {\n\treturn " + v.word() + "(ctx)\n}\n```")
	}
	return b.String()
}

func (v *vocabulary) lines(most int) string {
	var b strings.Builder
	for range 1 + v.random.IntN(most) {
		v.writeSentence(&b)
		b.WriteByte('\n')
	}
	return b.String()
}
