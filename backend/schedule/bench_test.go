package schedule_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sextant/backend/schedule"
	data "sextant/shared/schedule"
)

// BenchmarkClaim measures the claim of one due time of each schedule, with its row on disk.
func BenchmarkClaim(b *testing.B) {
	for _, n := range []int{1, 30, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newProgram(b)
			_, store, end := p.open()
			defer end()
			for i := range n {
				one := data.Schedule{
					ID: fmt.Sprint("s", i), Created: time.Now(), LastSlot: time.Now(), When: data.When{EveryMinutes: 1},
				}
				if err := store.Scheduled.SaveSchedule(b.Context(), one); err != nil {
					b.Fatal(err)
				}
			}
			all, err := store.Scheduled.Schedules(b.Context())
			if err != nil || len(all) < n {
				b.Fatal(len(all), err)
			}
			for b.Loop() {
				for i := range all {
					next := schedule.TimesBetween(all[i], all[i].LastSlot, all[i].LastSlot.Add(time.Minute))
					missed := data.Run{
						ID: fmt.Sprint("r", time.Now().UnixNano(), i), Schedule: all[i].ID, Status: data.StatusMissed,
					}
					err := store.Scheduled.ClaimSlots(b.Context(), all[i], next[0], []data.Run{missed})
					if err != nil {
						b.Fatal(err)
					}
					all[i].LastSlot = next[0]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/schedule")
		})
	}
}

// BenchmarkLook measures a look at a folder.
func BenchmarkLook(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint("files=", n), func(b *testing.B) {
			folder := b.TempDir()
			for i := range n {
				if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".pdf")), nil, 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if got, err := schedule.CountFiles(data.When{Folder: folder}); err != nil || got != n {
					b.Fatal(got, err)
				}
			}
		})
	}
}
