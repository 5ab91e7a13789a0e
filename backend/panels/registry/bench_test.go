package registry

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
)

// saved is a manifest that has one tool with the number n among ten.
func saved(id string, n int) []byte {
	tools := ""
	for i := range 10 {
		tools += fmt.Sprintf(`{"name":"t%d_%s_%d","description":"Does number %d.","endpoint":"GET /api/%s/do/%d","parameters":{"text":{"type":"string","required":true}}},`,
			max(0, n-i), id, i, i, id, i)
	}
	return []byte(minimal(id, `,"backend":{"kind":"http","url":"http://127.0.0.1:9"},"tools":[`+tools[:len(tools)-1]+
		`]`))
}

// kept is a Registry's Config over a data folder with a database, as the program has it.
func kept(b *testing.B, panels int) (cfg Config, root string) {
	b.Helper()
	data := b.TempDir()
	db, err := sqlite.Open(b.Context(), filepath.Join(data, "sextant.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	root = filepath.Join(data, "panels")
	for i := range panels {
		id := fmt.Sprintf("p%d", i)
		if err := os.MkdirAll(filepath.Join(root, id), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, id, manifest.FileName), saved(id, 0), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return Config{Data: data, AcceptedManifests: db, Pins: db, Publisher: &journal{}}, root
}

// reportP95 reports the 50th and 95th percentile of times in milliseconds.
func reportP95(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[min(len(times)-1, int(share*float64(len(times))))]) / float64(time.Millisecond)
	}
	b.ReportMetric(at(0.50), "p50-ms")
	b.ReportMetric(at(0.95), "p95-ms")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkSavedToTools saves a manifest among twenty the ways editors do and waits until its tools
// are offered. At most 300 ms at the 95th percentile are promised.
func BenchmarkSavedToTools(b *testing.B) {
	for name, save := range map[string]func(path string, text []byte) error{
		"in place": func(path string, text []byte) error { return os.WriteFile(path, text, 0o600) },
		"renamed over": func(path string, text []byte) error {
			if err := os.WriteFile(path+"~", text, 0o600); err != nil {
				return err
			}
			return os.Rename(path+"~", path)
		},
		"old one moved away": func(path string, text []byte) error {
			if err := os.Rename(path, path+".bak"); err != nil {
				return err
			}
			return os.WriteFile(path, text, 0o600)
		},
	} {
		b.Run(name, func(b *testing.B) {
			cfg, root := kept(b, 20)
			r := New(cfg)
			defer r.Close()
			if err := r.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			var times []time.Duration
			for n := 1; b.Loop(); n++ {
				// Names come back, for a panel's names that are remembered have a bound.
				n := n % 40
				if err := save(filepath.Join(root, "p7", manifest.FileName), saved("p7", n)); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				wanted := fmt.Sprintf("t%d_p7_0", n)
				for !slices.ContainsFunc(r.Definitions("p7"),
					func(d toolspec.Definition) bool { return d.Name == wanted }) {
					if time.Since(start) > time.Minute {
						b.Fatalf("%s never came: %+v", wanted, r.Panels())
					}
					time.Sleep(time.Millisecond)
				}
				times = append(times, time.Since(start))
			}
			reportP95(b, times)
		})
	}
}

// BenchmarkFound starts a Registry over 200 panels with ten tools each until all are listed and
// kept, new ones and known ones. At most 200 ms are promised.
func BenchmarkFound(b *testing.B) {
	for _, again := range []bool{false, true} {
		b.Run(map[bool]string{false: "new", true: "known"}[again], func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				b.StopTimer()
				cfg, _ := kept(b, 200)
				if again {
					r := New(cfg)
					if err := r.Start(b.Context()); err != nil {
						b.Fatal(err)
					}
					r.Close()
				}
				b.StartTimer()
				start := time.Now()
				r := New(cfg)
				if err := r.Start(b.Context()); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
				if n := len(r.Panels()); n != 200 || len(r.AllDefinitions()) != 2000 {
					b.Fatalf("%d panels", n)
				}
				b.StopTimer()
				r.Close()
				b.StartTimer()
			}
			reportP95(b, times)
		})
	}
}
