package schedule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"sextant/shared/schedule"
)

// cronStar is the bit that package cron sets in a field that was written as *.
const cronStar = 1 << 63

// times computes the times of a schedule.
type times struct {
	when schedule.When
	// anchor is the time from which intervals are counted.
	anchor time.Time
	zone   *time.Location
	cron   *cron.SpecSchedule
}

// newTimes returns an error that a person can read if the times are invalid.
func newTimes(when schedule.When, anchor time.Time) (*times, error) {
	t := &times{when: when, anchor: anchor, zone: time.Local}
	kinds := 0
	for _, set := range []bool{
		when.Cron != "", when.EveryMinutes != 0, !when.At.IsZero(), when.After != "", when.Folder != "", when.Webhook,
	} {
		if set {
			kinds++
		}
	}
	if kinds != 1 {
		return nil, errors.New(
			"say when it runs: at a time, every so many minutes, by a cron expression, after another schedule, for " +
				"new files of a folder, or when a program calls it")
	}
	if err := checkFolder(when); err != nil {
		return nil, err
	}
	if when.EveryMinutes < 0 {
		return nil, errors.New("the interval is less than a minute")
	}
	if when.Zone != "" {
		zone, err := time.LoadLocation(when.Zone)
		if err != nil {
			return nil, fmt.Errorf("there is no time zone %q; a name looks like Europe/Berlin", when.Zone)
		}
		t.zone = zone
	}
	if when.Cron == "" {
		return t, nil
	}
	if strings.HasPrefix(strings.TrimSpace(when.Cron), "@") || strings.Contains(when.Cron, "=") {
		return nil, errors.New("write the cron expression with five fields, such as 30 8 * * 1-5")
	}
	parsed, err := cron.ParseStandard(when.Cron)
	if err != nil {
		return nil, fmt.Errorf("the cron expression is not valid: %w", err)
	}
	spec, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, errors.New("write the cron expression with five fields, such as 30 8 * * 1-5")
	}
	t.cron = spec
	return t, nil
}

// next returns the first time after another, zero if there is none.
func (t *times) next(after time.Time) time.Time {
	switch {
	case t.when.EveryMinutes > 0:
		interval := time.Duration(t.when.EveryMinutes) * time.Minute
		if after.Before(t.anchor) {
			return t.anchor.Add(interval)
		}
		return t.anchor.Add((after.Sub(t.anchor)/interval + 1) * interval)
	case t.cron == nil:
		if t.when.At.After(after) {
			return t.when.At
		}
		return time.Time{}
	case t.cron.Hour&cronStar != 0:
		// Every hour is an hour long, also when the clocks change.
		spec := *t.cron
		spec.Location = t.zone
		return spec.Next(after.In(t.zone))
	}
	// A time of day comes once each day: the clock's reading is computed first, and then its moment.
	spec := *t.cron
	spec.Location = time.UTC
	read := after.In(t.zone)
	wall := time.Date(read.Year(), read.Month(), read.Day(), read.Hour(), read.Minute(), 0, 0, time.UTC).
		Add(-24 * time.Hour)
	for {
		if wall = spec.Next(wall); wall.IsZero() {
			return time.Time{}
		}
		if at := t.moment(wall); at.After(after) {
			return at
		}
	}
}

// moment returns the first moment at which clocks in the zone show the reading wall. If they skip it, it is the moment
// at which they would have shown it without the change.
func (t *times) moment(wall time.Time) time.Time {
	_, before := wall.Add(-24 * time.Hour).In(t.zone).Zone()
	_, later := wall.Add(24 * time.Hour).In(t.zone).Zone()
	for _, offset := range []int{max(before, later), min(before, later)} {
		at := wall.Add(-time.Duration(offset) * time.Second)
		if _, is := at.In(t.zone).Zone(); is == offset {
			return at
		}
	}
	return wall.Add(-time.Duration(before) * time.Second)
}

// maxListed limits how many missed times are counted one by one: a year of minutes.
const maxListed = 530_000

// between returns the times after from, up to and including to, oldest first.
func (t *times) between(from, to time.Time) []time.Time {
	var all []time.Time
	for at := t.next(from); !at.IsZero() && !at.After(to) && len(all) < maxListed; at = t.next(at) {
		all = append(all, at)
	}
	return all
}

// Upcoming is the next times of a schedule.
type Upcoming struct {
	Times []time.Time `json:"times"`
	// ClockChanges says what happens on days on which the clocks change.
	ClockChanges []string `json:"clock_changes"`
}

// Next says in words when a schedule runs, and returns its next time, zero if there is none or it does not run.
func (s *Schedules) Next(one schedule.Schedule) (sentence string, next time.Time) {
	t, err := newTimes(one.When, one.Created)
	if err != nil {
		return "", time.Time{} // cannot happen: Save checks the times
	}
	if i, err := s.Get(one.When.After); err == nil {
		if one.When.IfChanged {
			return "After “" + i.Name + "”, if its result changed", next
		}
		return "After “" + i.Name + "”", next
	}
	if one.Card != nil && one.Paused == "" {
		next = s.next(t, one, s.cfg.Now())
	}
	return t.sentence(), next
}

// Upcoming returns the next n times of a schedule with an id, "" for a new one, if its times were when. It also says
// what happens to them when the clocks change within a year. Its error can be read by a person.
func (s *Schedules) Upcoming(id string, when schedule.When, n int) (Upcoming, error) {
	now := s.cfg.Now()
	created := now
	if one, err := s.Get(id); err == nil {
		created = one.Created
	}
	t, err := newTimes(when, created)
	if err != nil {
		return Upcoming{}, err
	}
	if err := readableFolder(when); err != nil {
		return Upcoming{}, err
	}
	u := Upcoming{Times: []time.Time{}, ClockChanges: t.clockChanges(now)}
	for at := t.next(now); !at.IsZero() && len(u.Times) < n; at = t.next(at) {
		u.Times = append(u.Times, at)
	}
	if !when.Timed() {
		return u, nil
	}
	if len(u.Times) == 0 {
		return Upcoming{}, errors.New("that time never comes, or is over")
	}
	return u, nil
}

// clockChanges says what happens to times of day that clocks skip or show twice in the year after now.
func (t *times) clockChanges(now time.Time) []string {
	changes := []string{}
	if t.cron == nil || t.cron.Hour&cronStar != 0 {
		return changes
	}
	for day := range 366 {
		noon := now.In(t.zone).AddDate(0, 0, day)
		noon = time.Date(noon.Year(), noon.Month(), noon.Day(), 12, 0, 0, 0, time.UTC)
		_, before := noon.Add(-24 * time.Hour).In(t.zone).Zone()
		_, later := noon.In(t.zone).Zone()
		if before == later {
			continue
		}
		spec := *t.cron
		spec.Location = time.UTC
		for wall := spec.Next(noon.Add(-36 * time.Hour)); !wall.IsZero() && wall.Before(noon.Add(12*time.Hour)); {
			at := t.moment(wall).In(t.zone)
			date, clock := at.Format("Monday 2 January 2006"), wall.Format("15:04")
			twice := t.moment(wall).Add(time.Duration(before-later) * time.Second).In(t.zone)
			switch {
			case at.Format("15:04") != clock:
				changes = append(changes, fmt.Sprintf("On %s the clocks go forward and skip %s: it runs at %s.",
					date, clock, at.Format("15:04")))
			case before > later && twice.Format("15:04") == clock && !twice.Equal(at):
				changes = append(changes, fmt.Sprintf("On %s the clocks go back and show %s twice: it runs the first "+
					"time only.", date, clock))
			}
			wall = spec.Next(wall)
		}
	}
	return slices.Compact(changes)
}

// sentence says when a schedule runs.
func (t *times) sentence() string {
	zone := ""
	if t.when.Zone != "" {
		zone = " (" + t.when.Zone + ")"
	}
	switch {
	case t.when.After != "":
		return "After another schedule"
	case t.when.Webhook:
		return "When a program calls its address"
	case t.when.Folder != "" && t.when.Pattern != "":
		return "For each new file " + t.when.Pattern + " in " + t.when.Folder
	case t.when.Folder != "":
		return "For each new file in " + t.when.Folder
	case t.when.EveryMinutes == 1:
		return "Every minute"
	case t.when.EveryMinutes > 0 && t.when.EveryMinutes%(24*60) == 0:
		return every(t.when.EveryMinutes/(24*60), "day")
	case t.when.EveryMinutes > 0 && t.when.EveryMinutes%60 == 0:
		return every(t.when.EveryMinutes/60, "hour")
	case t.when.EveryMinutes > 0:
		return every(t.when.EveryMinutes, "minute")
	case t.cron == nil:
		return "Once, on " + t.when.At.In(t.zone).Format("Monday 2 January 2006 at 15:04") + zone
	}
	fields := strings.Fields(t.when.Cron)
	minute, hour := fields[0], fields[1]
	if !isNumber(minute) || !isNumber(hour) || fields[2] != "*" || fields[3] != "*" {
		return "By the cron expression " + strings.Join(fields, " ") + zone
	}
	clock := fmt.Sprintf("at %02s:%02s", hour, minute)
	days := map[string]string{
		"*": "Every day", "1-5": "On weekdays", "0,6": "On weekends", "6,0": "On weekends",
		"0": "On Sundays", "1": "On Mondays", "2": "On Tuesdays", "3": "On Wednesdays", "4": "On Thursdays",
		"5": "On Fridays", "6": "On Saturdays", "7": "On Sundays",
	}
	if on, ok := days[fields[4]]; ok {
		return on + " " + clock + zone
	}
	return "By the cron expression " + strings.Join(fields, " ") + zone
}

func every(n int, unit string) string {
	if n == 1 {
		return "Every " + unit
	}
	return fmt.Sprintf("Every %d %ss", n, unit)
}

func isNumber(s string) bool {
	return s != "" && len(s) <= 2 && strings.Trim(s, "0123456789") == ""
}
