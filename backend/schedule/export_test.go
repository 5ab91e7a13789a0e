package schedule

import (
	"time"

	"sextant/shared/schedule"
)

// CountFiles looks at the folder of a schedule and returns how many files count.
func CountFiles(when schedule.When) (int, error) {
	files, err := filesOf(when)
	return len(files), err
}

// WithFile returns a task with the path of a file in it.
func WithFile(task schedule.Task, path string) schedule.Task { return withFile(task, path) }

// TimesBetween returns the times of a schedule.
func TimesBetween(one schedule.Schedule, from, to time.Time) []time.Time {
	t, err := newTimes(one.When, one.Created)
	if err != nil {
		panic(err)
	}
	return t.between(from, to)
}
