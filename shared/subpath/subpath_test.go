package subpath

import (
	"slices"
	"testing"
)

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, folder string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/a", "/a/b", false},
		{"/ab", "/a", false},
		{"/a", "/", true},
		{"/", "/", true},
	} {
		t.Run(c.path+" in "+c.folder, func(t *testing.T) {
			t.Parallel()
			if got := IsWithin(c.path, c.folder); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestOutermost(t *testing.T) {
	t.Parallel()
	paths := []string{"/b/c", "/a b", "/b", "/a", "/a/x", "/a"}
	if got, want := Outermost(paths), []string{"/a", "/a b", "/b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if paths[0] != "/b/c" {
		t.Error("the argument was changed")
	}
	if Outermost(nil) == nil {
		t.Error("the result is nil")
	}
}
