// Package search finds tools by a description of the task, for catalogs that are too large for a prompt. It ranks
// names, descriptions, parameters and examples with BM25.
//
// The same definitions and query give the same tools in the same order. The package runs nothing.
package search

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// Weights of the places where a word can occur. A name says most in the fewest words.
const (
	inName        = 2.0
	inDescription = 1.5
	inParameters  = 0.7
	inExamples    = 0.4
)

// Parameters k1 and b of BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009). b is low because
// a longer description usually contains more information.
const (
	k1 = 1.2
	b  = 0.6
)

// synonymWeight is the weight of a synonym of a word in the query.
const synonymWeight = 0.4

const maxQuery = 64

// Index is a searchable set of definitions. It is read-only and safe for concurrent use.
type Index struct {
	docs          []document
	containing    map[string]int
	averageLength float64
}

type document struct {
	def    toolspec.Definition
	weight map[string]float64
	length float64
}

// New returns an Index of defs.
func New(defs []toolspec.Definition) *Index {
	x := &Index{docs: make([]document, 0, len(defs)), containing: map[string]int{}}
	for _, def := range defs {
		d := document{def: def, weight: map[string]float64{}}
		d.add(def.Name+" "+def.Owner, inName)
		d.add(def.Description, inDescription)
		d.add(schemaText(def.Parameters), inParameters)
		for _, e := range def.Examples {
			d.add(string(e), inExamples)
		}
		for w := range d.weight {
			x.containing[w]++
		}
		x.averageLength += d.length
		x.docs = append(x.docs, d)
	}
	if len(x.docs) > 0 {
		x.averageLength /= float64(len(x.docs))
	}
	return x
}

func (d *document) add(text string, weight float64) {
	for _, w := range words(text) {
		d.weight[w] += weight
		d.length += weight
	}
}

func schemaText(schema json.RawMessage) string {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return ""
	}
	var text strings.Builder
	appendTexts(&text, v, 0)
	return text.String()
}

func appendTexts(b *strings.Builder, v any, depth int) {
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
			appendTexts(b, inner, depth+1)
		}
	}
	appendTexts(b, object["items"], depth+1)
}

// Find returns at most n tools for query, best match first.
func (index *Index) Find(query string, n int) []toolspec.Definition {
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
		for _, other := range synonyms[w] {
			add(other, synonymWeight)
		}
	}
	named := map[string]bool{}
	separator := func(r rune) bool { return strings.ContainsRune(" \t\n\"'`,;()[]{}", r) }
	for f := range strings.FieldsFuncSeq(query, separator) {
		named[f] = true
	}
	type hit struct {
		at    int
		score float64
	}
	var hits []hit
	for i := range index.docs {
		score := index.score(&index.docs[i], terms)
		if named[index.docs[i].def.Name] {
			score += 1000
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]toolspec.Definition, 0, n)
	for _, h := range hits[:min(max(n, 0), len(hits))] {
		found = append(found, index.docs[h.at].def)
	}
	return found
}

// term is one search word with its weight. Terms are ordered, so that sums are reproducible.
type term struct {
	word  string
	share float64
}

func (index *Index) score(d *document, terms []term) float64 {
	sum := 0.0
	for _, t := range terms {
		tf := d.weight[t.word]
		if tf == 0 {
			continue
		}
		containing := float64(index.containing[t.word])
		idf := math.Log(1 + (float64(len(index.docs))-containing+0.5)/(containing+0.5))
		sum += t.share * idf * tf * (k1 + 1) / (tf + k1*(1-b+b*d.length/index.averageLength))
	}
	return sum
}
