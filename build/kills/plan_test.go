package kills

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"sextant/shared/event"
)

// plan says how one run of the program ends.
type plan struct {
	// kind is clock, write or moment.
	kind string
	// after is the longest run time; for kind clock, the exact one.
	after time.Duration
	// env configures the library that counts SQLite's writes.
	env []string
	// The kill comes delay after moment was reached for the times-th time.
	moment string
	times  int
	delay  time.Duration
	// browser lets the model open pages in this run.
	browser bool
}

func (p plan) String() string {
	switch p.kind {
	case "write":
		return fmt.Sprint("at a write ", p.env)
	case "moment":
		return fmt.Sprintf("%v after %s, time %d", p.delay, p.moment, p.times)
	}
	return fmt.Sprintf("%v after the start", p.after)
}

// Moments that the test's servers observe. Moments that are events have the name of their kind.
const (
	modelAsked      = "a request to the model"
	summaryAsked    = "a request for a summary"
	effectArrived   = "an effect's arrival"
	effectDone      = "an effect's end"
	messageAccepted = "an accepted message"
	tempFileCreated = "a file's new content in a temporary file"
)

// moments are drawn at random; a moment listed twice is drawn twice as often.
var moments = []string{
	modelAsked, modelAsked, tempFileCreated, tempFileCreated, tempFileCreated, summaryAsked,
	effectArrived, effectArrived, effectDone, effectDone, messageAccepted, messageAccepted,
	string(event.TextDelta), string(event.TurnStarted), string(event.TurnEnded), string(event.RoundEnded),
	string(event.MessageAdded),
	string(event.MessageAdded), string(event.CallStarted), string(event.CallStarted), string(event.CallEnded),
	string(event.CallEnded),
	string(event.MessageWaiting), string(event.MessageTaken), string(event.ApprovalAsked),
	string(event.ApprovalAnswered),
}

// maxRunTime is how long a run lasts if its moment does not come.
const maxRunTime = 1500 * time.Millisecond

// newPlan draws the end of run n. Runs with a browser last longer because it takes time to start.
func newPlan(r *rand.Rand, n int) plan {
	p := plan{after: maxRunTime, browser: n%40 == 7}
	switch pick := r.IntN(10); {
	case p.browser:
		p.kind, p.after = "clock", time.Duration(700+r.IntN(1500))*time.Millisecond
	case pick < 3:
		p.kind, p.after = "clock", time.Duration(r.IntN(700))*time.Millisecond
	case pick < 6:
		how := []string{"before", "after", "half"}[r.IntN(3)]
		p.kind, p.env = "write", []string{"KILL_AT=" + strconv.Itoa(1+r.IntN(400)), "KILL_HOW=" + how}
	default:
		p.kind, p.moment, p.times = "moment", moments[r.IntN(len(moments))], 1+r.IntN(4)
		if r.IntN(2) == 0 {
			p.delay = time.Duration(r.IntN(40)) * time.Millisecond
		}
	}
	return p
}

// killTrigger calls fire once, right after the moment of a plan.
type killTrigger struct {
	mu   sync.Mutex
	plan plan
	fire func()
}

// arm sets the trigger for one run; an empty plan disarms it.
func (k *killTrigger) arm(p plan, fire func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.plan, k.fire = p, fire
}

// reached reports a moment to the trigger.
func (k *killTrigger) reached(moment string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.plan.moment != moment || k.fire == nil {
		return
	}
	k.plan.times--
	if k.plan.times > 0 {
		return
	}
	fire := k.fire
	k.fire = nil
	time.AfterFunc(k.plan.delay, fire)
}

// seed returns the seed of all random choices.
func seed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SEXTANT_SEED"), 10, 64); err == nil {
		return n
	}
	return uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
}
