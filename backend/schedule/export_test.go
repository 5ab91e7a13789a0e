package schedule

import (
	"time"

	"sextant/shared/schedule"
)

// TimesBetween returns the times of a schedule.
func TimesBetween(one schedule.Schedule, from, to time.Time) []time.Time {
	t, err := newTimes(one.When, one.Created)
	if err != nil {
		panic(err)
	}
	return t.between(from, to)
}
