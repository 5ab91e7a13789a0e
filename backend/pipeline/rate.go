package pipeline

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"sextant/shared/toolspec"
)

const (
	// callsPerSecond is how often one caller may call in the long run.
	callsPerSecond = 100
	// burstSeconds is for how many seconds a caller may save up calls.
	burstSeconds = 20
	// maxRateWait is how long a call waits for its turn. A caller that makes one call after the other never waits
	// longer; one that makes many at once is refused.
	maxRateWait = 500 * time.Millisecond
	// maxCallers is how many callers are counted; beyond it, counting starts again.
	maxCallers = 1000
)

// rates limits how often each caller makes calls, so that a program in a loop does not take the machine from the
// person. It is safe for concurrent use.
type rates struct {
	perSecond int

	mu       sync.Mutex
	limiters map[caller]*rate.Limiter
}

type caller struct {
	kind   toolspec.Caller
	client string
}

func (r *rates) of(from toolspec.Provenance) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	by := caller{from.Caller, from.Client}
	if r.limiters[by] == nil {
		if len(r.limiters) >= maxCallers { // a program chooses its name
			clear(r.limiters)
		}
		r.limiters[by] = rate.NewLimiter(rate.Limit(r.perSecond), r.perSecond*burstSeconds)
	}
	return r.limiters[by]
}

func (p *Pipeline) limitRate(ctx context.Context, c *callState) *toolspec.Result {
	if c.call.From.Caller == toolspec.CallerPerson {
		return nil
	}
	now := p.cfg.Now()
	reservation := p.rates.of(c.call.From).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	switch {
	case wait == 0:
		return nil
	case wait > maxRateWait:
		reservation.CancelAt(now)
		return c.refused(toolspec.Fail(
			toolspec.UserError, fmt.Sprintf("more than %d calls a second", p.rates.perSecond),
			fmt.Sprintf("Nothing ran. Wait %.0f s, then make one call after the other.", math.Ceil(wait.Seconds())),
		))
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done(): // Do reports the stop
		reservation.Cancel()
	}
	return nil
}
