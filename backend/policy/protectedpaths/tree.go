package protectedpaths

// tree stores places by the elements of their folded paths. A place covers everything below it, except other places.
type tree map[string]*node

type node struct {
	place Classification
	known bool
	below tree
}

func (t tree) add(path []string, place Classification) {
	for i, element := range path {
		n := t[element]
		if n == nil {
			n = &node{below: tree{}}
			t[element] = n
		}
		if i == len(path)-1 && (!n.known || place.Kind > n.place.Kind) {
			n.place, n.known = place, true
		}
		t = n.below
	}
}

// match is the place found for a path. depth is how many elements name it. exempt is true for an ordinary place, which
// excludes a folder from the place around it.
type match struct {
	Classification
	depth  int
	exempt bool
}

func (t tree) find(path []string) match {
	var m match
	for i, element := range path {
		n := t[element]
		if n == nil {
			return m
		}
		if n.known {
			m = match{n.place, i + 1, n.place.Kind == KindOrdinary}
		}
		t = n.below
	}
	return m
}
