package modelapi

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for said, want := range map[string]time.Duration{
		"": 0, "0": 0, "-3": 0, "x": 0, "7": 7 * time.Second, "0.5": 500 * time.Millisecond, "1e300": 24 * time.Hour,
		"NaN": 0,
		now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat):       0,
	} {
		t.Run(said, func(t *testing.T) {
			if got := retryAfter(http.Header{"Retry-After": {said}}, now); got != want {
				t.Errorf("%q: %s, want %s", said, got, want)
			}
		})
	}
	if got := retryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"9"}},
		now); got != 250*time.Millisecond {
		t.Errorf("in milliseconds: %s", got)
	}
}
