package blobs

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestPutAllStoresEachBlobOnceInOrder(t *testing.T) {
	for _, n := range []int{0, 1, maxSingleSyncs, maxSingleSyncs + 1, 300} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, dir := openStore(t, 0)
			content := func(i int) ([]byte, error) { return fmt.Appendf(nil, "content %d", i/2), nil }
			for range 2 { // the second time all of them are there
				ids, err := s.PutAll(n, content)
				if err != nil || len(ids) != n {
					t.Fatalf("%d of %d: %v", len(ids), n, err)
				}
				for i, id := range ids {
					r, _, err := s.Open(id)
					if err != nil {
						t.Fatal(err)
					}
					got, err := io.ReadAll(r)
					if want, _ := content(i); err != nil || string(got) != string(want) {
						t.Errorf("%d: %q %v", i, got, err)
					}
					_ = r.Close() // it was only read
				}
			}
			if got := len(files(t, dir)); got != (n+1)/2 {
				t.Errorf("%d files for %d contents", got, n)
			}
		})
	}
}

func TestFailedPutAllLeavesNoFiles(t *testing.T) {
	gone := errors.New("gone")
	for _, n := range []int{3, 40} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, dir := openStore(t, 10)
			for _, c := range []struct {
				last []byte
				err  error
				want error
			}{{nil, gone, gone}, {make([]byte, 11), nil, ErrTooLarge}} {
				ids, err := s.PutAll(n, func(i int) ([]byte, error) {
					if i == n-1 {
						return c.last, c.err
					}
					return fmt.Append(nil, i), nil
				})
				if !errors.Is(err, c.want) || ids != nil {
					t.Errorf("%v %v", ids, err)
				}
			}
			if got := files(t, dir); len(got) > 0 {
				t.Errorf("left: %q", got)
			}
		})
	}
}
