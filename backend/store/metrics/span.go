package metrics

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// Limits of a range over all time: beyond maxDays its steps are weeks, beyond maxWeeks months.
const (
	maxDays  = 62
	maxWeeks = 104
)

// span is a range divided into buckets. edges has the start of each bucket and the end of the last, and starts has the
// same edges as the stored sums write them.
type span struct {
	wire.MetricsSpan
	granularity string
	edges       []time.Time
	starts      []int64
}

func (r *Reader) span(ctx context.Context, q sqlrows.Queryer, over wire.MetricsRange, now time.Time) (span, error) {
	now = now.In(r.Zone)
	sp := span{MetricsSpan: wire.MetricsSpan{Range: over, Zone: zoneName(now)}}
	y, m, d := now.Date()
	date := func(days, hour int) time.Time { return time.Date(y, m, d+days, hour, 0, 0, 0, r.Zone) }
	switch over {
	case wire.MetricsDay:
		sp.Step = wire.StepHour
		for i := -23; i <= 1; i++ {
			sp.edges = append(sp.edges, hourOf(now).Add(time.Duration(i)*time.Hour))
		}
	case wire.MetricsWeek:
		sp.Step = wire.StepSixHours
		for i := -6 * 4; i <= 4; i++ {
			sp.edges = append(sp.edges, date(0, 6*i))
		}
	case wire.MetricsMonth:
		sp.byDates(wire.StepDay, date(-29, 0), date(1, 0))
	default:
		first, err := r.firstDay(ctx, q, now)
		if err != nil {
			return sp, err
		}
		days := int(date(0, 12).Sub(first).Hours()/24) + 1
		switch {
		case days <= maxDays:
			sp.byDates(wire.StepDay, first, date(1, 0))
		case days <= maxWeeks*7:
			// Weeks begin on Monday.
			sp.byDates(wire.StepWeek, first.AddDate(0, 0, -(int(first.Weekday())+6)%7), date(1, 0))
		default:
			sp.byDates(wire.StepMonth, time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, r.Zone), date(1, 0))
		}
	}
	sp.From, sp.To = sp.edges[0], sp.edges[sp.n()]
	sp.granularity = hourly
	if sp.Step != wire.StepHour && sp.Step != wire.StepSixHours {
		sp.granularity = daily
	}
	for _, e := range sp.edges {
		if sp.granularity == hourly {
			sp.starts = append(sp.starts, e.Unix())
		} else {
			sp.starts = append(sp.starts, dayOf(e))
		}
	}
	return sp, nil
}

func (sp *span) byDates(step wire.MetricsStep, from, to time.Time) {
	sp.Step = step
	for at := from; at.Before(to); {
		sp.edges = append(sp.edges, at)
		switch step {
		case wire.StepDay:
			at = at.AddDate(0, 0, 1)
		case wire.StepWeek:
			at = at.AddDate(0, 0, 7)
		default:
			at = at.AddDate(0, 1, 0)
		}
	}
	sp.edges = append(sp.edges, to)
}

// firstDay returns the first date with metrics, at most today.
func (r *Reader) firstDay(ctx context.Context, q sqlrows.Queryer, now time.Time) (time.Time, error) {
	today := dayOf(now)
	found, err := sqlrows.Collect(ctx, q, func(row *sql.Rows) (int64, error) {
		var day sql.NullInt64
		err := row.Scan(&day)
		if !day.Valid || day.Int64 > today {
			day.Int64 = today
		}
		return day.Int64, err
	}, "reading figures", `SELECT MIN(start) FROM call_sums WHERE grain = 'day'
		UNION ALL SELECT MIN(start) FROM turn_sums WHERE grain = 'day'`)
	if err != nil {
		return time.Time{}, err
	}
	day := slices.Min(found)
	return time.Date(int(day/10_000), time.Month(day/100%100), int(day%100), 0, 0, 0, 0, r.Zone), nil
}

// zoneName returns the name of a time zone for display: Europe/Berlin, or UTC+2 if it has no name.
func zoneName(at time.Time) string {
	if name := at.Location().String(); name != "Local" && name != "" {
		return name
	}
	_, offset := at.Zone()
	if offset == 0 {
		return "UTC"
	}
	name := fmt.Sprintf("UTC%+d", offset/3600)
	if minutes := offset / 60 % 60; minutes != 0 {
		name += fmt.Sprintf(":%02d", max(minutes, -minutes))
	}
	return name
}

func (sp span) n() int { return len(sp.edges) - 1 }

func (sp span) bucket(start int64) int {
	i, exact := slices.BinarySearch(sp.starts, start)
	if !exact {
		i--
	}
	return i
}

func (sp span) sums() (where string, args []any) {
	return `grain = ? AND start >= ? AND start < ?`, []any{sp.granularity, sp.starts[0], sp.starts[sp.n()]}
}

func (sp span) calls() (where string, args []any) {
	if sp.granularity == daily {
		return `day >= ? AND day < ?`, []any{sp.starts[0], sp.starts[sp.n()]}
	}
	return `time >= ? AND time < ?`, []any{sqlrows.Nanos(sp.From), sqlrows.Nanos(sp.To)}
}
