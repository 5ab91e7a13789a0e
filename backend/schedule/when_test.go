package schedule

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/schedule"
)

func TestTimesOfDayComeOnceWhenClocksChange(t *testing.T) {
	for _, c := range []struct {
		name, cron, from string
		want             []string
	}{
		{
			"skipped", "30 2 * * *", "2027-03-27T00:00:00+01:00",
			[]string{"2027-03-27T02:30:00+01:00", "2027-03-28T03:30:00+02:00", "2027-03-29T02:30:00+02:00"},
		},
		{
			"shown twice", "30 2 * * *", "2027-10-30T00:00:00+02:00",
			[]string{"2027-10-30T02:30:00+02:00", "2027-10-31T02:30:00+02:00", "2027-11-01T02:30:00+01:00"},
		},
		{
			"from the second time that the clock shows it", "30 2 * * *", "2027-10-31T02:10:00+01:00",
			[]string{"2027-11-01T02:30:00+01:00"},
		},
		{
			"every hour", "0 * * * *", "2027-10-31T01:30:00+02:00",
			[]string{"2027-10-31T02:00:00+02:00", "2027-10-31T02:00:00+01:00", "2027-10-31T03:00:00+01:00"},
		},
		{
			"weekdays", "0 8 * * 1-5", "2027-10-29T09:00:00+02:00",
			[]string{"2027-11-01T08:00:00+01:00", "2027-11-02T08:00:00+01:00"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			ti, err := newTimes(schedule.When{Cron: c.cron, Zone: "Europe/Berlin"}, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(time.RFC3339, c.from)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for range c.want {
				at = ti.next(at)
				got = append(got, at.In(ti.zone).Format(time.RFC3339))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHourlyTimesWithoutZoneAreThoseOfTheComputer(t *testing.T) {
	ti, err := newTimes(schedule.When{Cron: "0 * * * 1-5"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if ti.zone, err = time.LoadLocation("Asia/Kolkata"); err != nil {
		t.Fatal(err)
	}
	friday := time.Date(2026, 11, 27, 18, 45, 0, 0, time.UTC) // Saturday 00:15 there
	if got := ti.next(friday).In(ti.zone).Format("Mon 15:04"); got != "Mon 00:00" {
		t.Errorf("%s", got)
	}
}

func TestIntervalsKeepTheirAnchor(t *testing.T) {
	anchor := time.Date(2026, 11, 28, 9, 7, 0, 0, time.UTC)
	ti, err := newTimes(schedule.When{EveryMinutes: 30}, anchor)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]time.Duration{
		-time.Hour: 30 * time.Minute, 0: 30 * time.Minute, 30 * time.Minute: time.Hour, 59 * time.Minute: time.Hour,
		7 * 24 * time.Hour: 7*24*time.Hour + 30*time.Minute,
	} {
		if got := ti.next(anchor.Add(after)); !got.Equal(anchor.Add(want)) {
			t.Errorf("after %v: %v", after, got)
		}
	}
}

func TestUpcomingTellsOfClockChanges(t *testing.T) {
	s := &Schedules{cfg: Config{Now: func() time.Time { return time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC) }}}
	up, err := s.Upcoming("", schedule.When{Cron: "30 2 * * *", Zone: "Europe/Berlin"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"On Sunday 28 March 2027 the clocks go forward and skip 02:30: it runs at 03:30.",
		"On Sunday 31 October 2027 the clocks go back and show 02:30 twice: it runs the first time only.",
	}
	if diff := cmp.Diff(want, up.ClockChanges); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sentence, _ := s.Next(schedule.Schedule{When: schedule.When{Cron: "30 2 * * *", Zone: "Europe/Berlin"}})
	if sentence != "Every day at 02:30 (Europe/Berlin)" || len(up.Times) != 2 {
		t.Errorf("%s: %+v", sentence, up)
	}
}

func TestInvalidTimesAreExplained(t *testing.T) {
	s := &Schedules{cfg: Config{Now: time.Now}}
	for _, c := range []struct {
		when schedule.When
		says string
	}{
		{schedule.When{}, "say when it runs"},
		{schedule.When{Cron: "* * * * *", EveryMinutes: 5}, "say when it runs"},
		{schedule.When{Cron: "61 * * * *"}, "not valid"},
		{schedule.When{Cron: "@hourly"}, "five fields"},
		{schedule.When{Cron: "TZ=Asia/Tokyo 0 8 * * *"}, "five fields"},
		{schedule.When{Cron: "0 8 * * *", Zone: "Mars/Base"}, "no time zone"},
		{schedule.When{Cron: "0 0 31 2 *"}, "never comes"},
		{schedule.When{At: time.Now().Add(-time.Hour)}, "is over"},
		{schedule.When{EveryMinutes: -5}, "less than a minute"},
	} {
		if _, err := s.Upcoming("", c.when, 1); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.when, err)
		}
	}
}
