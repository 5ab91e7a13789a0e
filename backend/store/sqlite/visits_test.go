package sqlite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/wire"
)

func TestVisits(t *testing.T) {
	s, ctx := openNew(t), t.Context()
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	for i, v := range []wire.Visit{
		{URL: "https://www.lamps.example/", Title: "Lamps", Count: 1},
		{URL: "https://shop.lamps.example/100%25", Title: "100% off", Count: 1},
		{URL: "https://news.example/lamps", Title: "News", Count: 1},
		{URL: "https://www.lamps.example/", Title: "Brass lamps", Count: 0},
		{URL: "https://notlamps.example/", Title: "Other", Count: 9},
	} {
		v.Time = now.Add(time.Duration(i) * time.Minute)
		if err := s.RecordVisit(ctx, v); err != nil {
			t.Fatal(err)
		}
	}
	check := func(query string, suggest bool, want ...string) {
		t.Helper()
		list, err := s.Visits(ctx, query, suggest, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range list {
			got = append(got, v.Title)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	check("", false, "Other", "Brass lamps", "News", "100% off")
	check("lamps", true, "Brass lamps", "Other", "News", "100% off")
	check("100%", false, "100% off")
	if err := s.DeleteVisits(ctx, "", "lamps.example"); err != nil {
		t.Fatal(err)
	}
	check("", false, "Other", "News")
	if err := s.DeleteVisits(ctx, "https://news.example/lamps", ""); err != nil {
		t.Fatal(err)
	}
	check("", false, "Other")
}
