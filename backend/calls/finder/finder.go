// Package finder finds tools by what somebody wants to do, where there are too many to tell them
// all: BM25 over their names, descriptions, parameters and examples.
//
// The contract: the same definitions and the same words give the same tools in the same order.
// A tool is found only when a word of the query, or one that means the same, stands in it. The
// package knows no caller and runs nothing; whether a found tool may be called is decided where
// calls are.
package finder

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// The weights of the places a word can stand in. A name says most in the fewest words.
const (
	inName        = 2.0
	inDescription = 1.5
	inParameters  = 0.7
	inExamples    = 0.4
)

// The constants of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009).
// A long description is mostly one that says more, so length counts little.
const (
	saturation = 1.2
	lengthy    = 0.6
)

// alike is what a word counts that only means the same as one of the query.
const alike = 0.4

// maxQuery bounds how many words of a query are looked at.
const maxQuery = 64

// Index is a set of definitions made ready for finding. It is read-only and may be used
// concurrently.
type Index struct {
	docs []document
	// holding counts the documents that hold a word.
	holding map[string]int
	average float64
}

// document is one tool: how much each word counts in it.
type document struct {
	def    toolspec.Definition
	weight map[string]float64
	length float64
}

// New makes an Index of defs.
func New(defs []toolspec.Definition) *Index {
	x := &Index{docs: make([]document, 0, len(defs)), holding: map[string]int{}}
	for _, def := range defs {
		d := document{def: def, weight: map[string]float64{}}
		d.add(def.Name+" "+def.Owner, inName)
		d.add(def.Description, inDescription)
		d.add(said(def.Parameters), inParameters)
		for _, e := range def.Examples {
			d.add(string(e), inExamples)
		}
		for w := range d.weight {
			x.holding[w]++
		}
		x.average += d.length
		x.docs = append(x.docs, d)
	}
	if len(x.docs) > 0 {
		x.average /= float64(len(x.docs))
	}
	return x
}

func (d *document) add(text string, weight float64) {
	for _, w := range words(text) {
		d.weight[w] += weight
		d.length += weight
	}
}

// said is the names and texts of a schema without its grammar.
func said(schema json.RawMessage) string {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return ""
	}
	var b strings.Builder
	collect(&b, v, 0)
	return b.String()
}

func collect(b *strings.Builder, v any, depth int) {
	object, ok := v.(map[string]any)
	if !ok || depth > 8 {
		return
	}
	if text, ok := object["description"].(string); ok {
		b.WriteString(" " + text)
	}
	if values, ok := object["enum"].([]any); ok {
		for _, value := range values {
			if text, ok := value.(string); ok {
				b.WriteString(" " + text)
			}
		}
	}
	if properties, ok := object["properties"].(map[string]any); ok {
		for name, inner := range properties {
			b.WriteString(" " + name)
			collect(b, inner, depth+1)
		}
	}
	collect(b, object["items"], depth+1)
}

// Find returns at most n tools for what query wants done, the likeliest first. A tool whose whole
// name stands in query comes before all others.
func (x *Index) Find(query string, n int) []toolspec.Definition {
	asked := words(query)
	asked = asked[:min(len(asked), maxQuery)]
	var terms []term
	add := func(word string, share float64) {
		if !slices.ContainsFunc(terms, func(t term) bool { return t.word == word }) {
			terms = append(terms, term{word, share})
		}
	}
	for _, w := range asked {
		add(w, 1)
	}
	for _, w := range asked {
		for _, other := range meaning[w] {
			add(other, alike)
		}
	}
	named := map[string]bool{}
	for f := range strings.FieldsFuncSeq(query, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`,;()[]{}", r) }) {
		named[f] = true
	}
	type hit struct {
		at    int
		score float64
	}
	var hits []hit
	for i := range x.docs {
		score := x.score(&x.docs[i], terms)
		if named[x.docs[i].def.Name] {
			score += 1000
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]toolspec.Definition, 0, n)
	for _, h := range hits[:min(max(n, 0), len(hits))] {
		found = append(found, x.docs[h.at].def)
	}
	return found
}

// term is one word that is looked for, and what it counts. Terms have an order, so that sums have.
type term struct {
	word  string
	share float64
}

func (x *Index) score(d *document, terms []term) float64 {
	sum := 0.0
	for _, t := range terms {
		tf := d.weight[t.word]
		if tf == 0 {
			continue
		}
		holding := float64(x.holding[t.word])
		rare := math.Log(1 + (float64(len(x.docs))-holding+0.5)/(holding+0.5))
		sum += t.share * rare * tf * (saturation + 1) / (tf + saturation*(1-lengthy+lengthy*d.length/x.average))
	}
	return sum
}
