package protectedpaths

// tree has places by the elements of their folded paths. A place covers everything below it, except the places named
// there.
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
		// Of two places at one path the graver one stays.
		if i == len(path)-1 && (!n.known || place.Kind > n.place.Kind) {
			n.place, n.known = place, true
		}
		t = n.below
	}
}

// match is the place that a path is in, and how many elements name it. It is exempt when it is an ordinary place inside
// of another one.
type match struct {
	Place
	depth  int
	exempt bool
}

// find returns the deepest named place above or at path.
func (t tree) find(path []string) match {
	var m match
	for i, element := range path {
		n := t[element]
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
