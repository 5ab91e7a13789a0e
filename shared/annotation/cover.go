package annotation

import (
	"slices"
	"strings"
)

const coveredBy = "covered by "

// covers shortens the states that name covers and rows in a list of elements: the first mention is complete, later
// ones are short.
type covers struct {
	// short maps a complete cover state to the text of its later mentions.
	short map[string]string
	named map[string]bool
	last  string
	// row is the row of the last element, and inRow the roles and names listed in it.
	row   string
	inRow map[string]bool
}

func coversOf(elements []Element) *covers {
	c := &covers{short: map[string]string{}, named: map[string]bool{}, inRow: map[string]bool{}}
	times := map[string]int{}
	for i := range elements {
		full := cover(&elements[i])
		if _, known := c.short[full]; full == "" || known {
			continue
		}
		brief, _, _ := strings.Cut(full, ` "`)
		if id, _, numbered := strings.Cut(full, "] "); numbered && strings.HasPrefix(full, coveredBy+"[") {
			brief = id + "]"
		}
		if brief == strings.TrimSpace(coveredBy) {
			brief = full // without a role there is nothing shorter than the name
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

// The elements must be passed in the order of the list.
func (c *covers) shorten(e Element) Element {
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
	row, place := rowOf(&e)
	if row != c.row {
		c.row, c.inRow = row, map[string]bool{}
	}
	kind := e.Role + " " + e.Name
	// Another element of the same name without a position is in another row with the same text.
	repeats := row != "" && len(c.inRow) > 0 && (place != "" || !c.inRow[kind])
	c.inRow[kind] = true
	if words == full && !repeats {
		return e
	}
	e.States = slices.Clone(e.States)
	for i, s := range e.States {
		switch {
		case s == full:
			e.States[i] = words
		case repeats && s == row+place:
			e.States[i] = sameRow + place
		}
	}
	return e
}

const (
	inRow   = `in "`
	sameRow = "same row"
)

// rowOf returns the state that names the row of e, without the position in it, such as ` 1 of 2`, which it returns
// too. Both are "" for an element without such a state.
func rowOf(e *Element) (row, place string) {
	for _, s := range e.States {
		if strings.HasPrefix(s, inRow) {
			end := strings.LastIndex(s, `"`) + 1
			return s[:end], s[end:]
		}
	}
	return "", ""
}

// IDsWithRow returns the numbers of the elements whose states name their row.
func IDsWithRow(elements []Element) (ids []int) {
	for i := range elements {
		if row, _ := rowOf(&elements[i]); row != "" {
			ids = append(ids, elements[i].ID)
		}
	}
	return ids
}

func cover(e *Element) string {
	for _, s := range e.States {
		if strings.HasPrefix(s, coveredBy) {
			return s
		}
	}
	return ""
}
