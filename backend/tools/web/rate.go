package web

import (
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"sextant/shared/toolspec"
)

// Unused requests accumulate up to the number for one minute.
type rateLimiter struct {
	now func() time.Time

	mu   sync.Mutex
	left float64
	last time.Time
}

func (r *rateLimiter) take(perMinute int) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, most := r.now(), float64(perMinute)
	if r.last.IsZero() {
		r.left = most
	} else {
		r.left = min(most, r.left+now.Sub(r.last).Minutes()*most)
	}
	r.last = now
	if r.left < 1 {
		return time.Duration((1 - r.left) / most * float64(time.Minute)), false
	}
	r.left--
	return 0, true
}

func (t *Tools) limited(r *rateLimiter, setting string, fallback int) *toolspec.Result {
	n, err := strconv.Atoi(t.cfg.Setting(setting))
	if err != nil || n < 1 {
		n = fallback
	}
	wait, ok := r.take(n)
	if ok {
		return nil
	}
	failed := toolspec.Fail(toolspec.UserError, fmt.Sprintf("more than %d requests in a minute", n),
		fmt.Sprintf("Wait %.0f s, then call it again. The person can raise the setting %s.", math.Ceil(wait.Seconds()),
			setting))
	return &failed
}
