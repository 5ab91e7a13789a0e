package annotator

import (
	"slices"
	"strings"
)

const under = "covered by "

// covers says what lies over the elements of one list: the first that is named in full, those
// right after it only as covered, a later one by role or number alone where that tells it apart.
type covers struct {
	// short is how a cover is named again.
	short map[string]string
	named map[string]bool
	last  string
}

// coversOf reads what lies over elements.
func coversOf(elements []Element) *covers {
	c := &covers{short: map[string]string{}, named: map[string]bool{}}
	times := map[string]int{}
	for i := range elements {
		full := cover(&elements[i])
		if _, known := c.short[full]; full == "" || known {
			continue
		}
		brief, _, _ := strings.Cut(full, ` "`)
		if id, _, numbered := strings.Cut(full, "] "); numbered && strings.HasPrefix(full, under+"[") {
			brief = id + "]"
		}
		if brief == strings.TrimSpace(under) {
			brief = full // a name alone is as short as it gets
		}
		c.short[full] = brief
		times[brief]++
	}
	for full, brief := range c.short {
		if times[brief] > 1 {
			c.short[full] = full
		}
	}
	return c
}

// told is e as its line says it; it must be asked in the order of the list.
func (c *covers) told(e Element) Element {
	full := cover(&e)
	words := full
	switch {
	case full == "":
	case full == c.last:
		words = "covered"
	case c.named[full]:
		words = c.short[full]
	}
	c.last, c.named[full] = full, true
	if words == full {
		return e
	}
	e.States = slices.Clone(e.States)
	for i, s := range e.States {
		if s == full {
			e.States[i] = words
		}
	}
	return e
}

// cover is what lies over e, as its state says it; "" for nothing.
func cover(e *Element) string {
	for _, s := range e.States {
		if strings.HasPrefix(s, under) {
			return s
		}
	}
	return ""
}
