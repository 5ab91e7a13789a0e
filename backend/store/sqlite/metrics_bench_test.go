package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// BenchmarkMetrics reads the figures of a million calls of 30 tools and 200,000 turns. Durations are around a
// second or less; one call in nine failed.
func BenchmarkMetrics(b *testing.B) {
	for _, days := range []int{365, 30} {
		s := storeWithAMillionCalls(b, days)
		now := time.Date(2026, 6, 1, 15, 30, 0, 0, s.Reader.Zone)
		for _, r := range []wire.MetricsRange{wire.MetricsDay, wire.MetricsWeek, wire.MetricsMonth, wire.MetricsAll} {
			b.Run(fmt.Sprintf("in%ddays/%s", days, r), func(b *testing.B) {
				for b.Loop() {
					m, err := s.Metrics(context.Background(), r, "", now)
					if err != nil || len(m.Tools) != 30 {
						b.Fatal(len(m.Tools), err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("in%ddays/one tool", days), func(b *testing.B) {
			for b.Loop() {
				h, _, err := s.ToolHistory(context.Background(), "tool_7", toolspec.OriginBaseline, wire.MetricsMonth,
					10, now)
				if err != nil || len(h.Buckets) != 30 {
					b.Fatal(err)
				}
			}
		})
	}
}

// storeWithAMillionCalls fills the tables of figures with a million calls in the days before 1 June 2026.
func storeWithAMillionCalls(b *testing.B, days int) *Store {
	b.Helper()
	s := openAt(b, filepath.Join(b.TempDir(), "sextant.db"))
	s.setZone(time.UTC)
	start := time.Date(2026, 6, 1, 16, 0, 0, 0, time.UTC).AddDate(0, 0, -days)
	for _, q := range []string{
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000),
		r AS (SELECT i, ?1 + i * (?2 * 86400 / 1000000.0) AS at, abs(random()) AS a, abs(random()) AS b, abs(random()) AS c FROM n)
		INSERT INTO measured_calls SELECT i, CAST(at * 1e9 AS INTEGER), CAST(strftime('%Y%m%d', at, 'unixepoch') AS INTEGER),
			'tool_' || (a % 30), 'baseline', iif(b % 9 = 0, 'failed', 'done'), iif(b % 9 = 0, 'user_error', ''),
			iif(b % 20 = 0, 'once', ''), iif(b % 20 = 0, c % 9000, 0), 1, 5 + (b % 1000) * (c % 1000) / 800, c % 2000 FROM r`,
		`INSERT INTO call_sums SELECT 'day', day, tool, origin, status, error_type, answer, ran, COUNT(*), SUM(tokens)
			FROM measured_calls WHERE ?1 + ?2 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
		`INSERT INTO call_sums SELECT 'hour', time / 3600000000000 * 3600, tool, origin, status, error_type, answer, ran, COUNT(*), SUM(tokens)
			FROM measured_calls WHERE ?1 + ?2 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`,
		`INSERT INTO turn_sums SELECT iif(g.column1, 'day', 'hour'), iif(g.column1, day, time / 3600000000000 * 3600),
			'model_' || (duration_ms % 3), 1 + tokens % 6, tokens % 5 > 0, COUNT(*), 9000 * COUNT(*), 300 * COUNT(*), 4000 * COUNT(*),
			3000 * COUNT(*), 4000 * COUNT(*), 2000 * COUNT(*), 0
			FROM measured_calls, (VALUES (0), (1)) AS g WHERE ?1 + ?2 AND seq % 5 = 0 GROUP BY 1, 2, 3, 4, 5`,
	} {
		if _, err := s.writer.Exec(q, start.Unix(), days); err != nil {
			b.Fatal(err)
		}
	}
	return s
}
