package protectedpaths

// tree holds places by the elements of their folded paths. A place covers everything below it,
// save for what is named there again.
type tree map[string]*node

type node struct {
	place Place
	known bool
	below tree
}

func (t tree) add(path []string, place Place) {
	for i, element := range path {
		n := t[element]
		if n == nil {
			n = &node{below: tree{}}
			t[element] = n
		}
		// Two names for one path: the graver one stays.
		if i == len(path)-1 && (!n.known || place.Kind > n.place.Kind) {
			n.place, n.known = place, true
		}
		t = n.below
	}
}

// match is the place that a path lies in, and how many elements name it; exempt when an
// ordinary place is named inside of another one.
type match struct {
	Place
	depth  int
	exempt bool
}

// find is the deepest named place above or at path. An element "*" of the tree stands for any.
func (t tree) find(path []string) match {
	var m match
	for i, element := range path {
		n := t[element]
		if n == nil {
			n = t["*"]
		}
		if n == nil {
			return m
		}
		if n.known {
			m = match{n.place, i + 1, n.place.Kind == Ordinary}
		}
		t = n.below
	}
	return m
}
