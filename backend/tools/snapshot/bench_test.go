package snapshot_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkWatching is what a command costs more in a folder of 5,000 files of 4 KB: the first one,
// one that changes nothing, and one that changes ten files.
func BenchmarkWatching(bench *testing.B) {
	b := newBench(bench)
	for i := range 5000 {
		path := filepath.Join(b.work, fmt.Sprintf("d%02d/e%d/f%d.txt", i%50, i%7, i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			bench.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "%4096d", i), 0o644); err != nil {
			bench.Fatal(err)
		}
	}
	watch := func(change func()) {
		run := b.Begin(context.Background(), b.call("bash", "t", nil), b.work)
		change()
		if c := run.End(context.Background()); c.NotUndoableReason != "" {
			bench.Fatal(c.NotUndoableReason)
		}
	}
	bench.Run("first", func(bench *testing.B) {
		for bench.Loop() {
			if err := b.Watcher.Close(); err != nil {
				bench.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(b.home, "data", "before")); err != nil {
				bench.Fatal(err)
			}
			watch(func() {})
		}
	})
	bench.Run("nothing", func(bench *testing.B) {
		for bench.Loop() {
			watch(func() {})
		}
	})
	bench.Run("ten", func(bench *testing.B) {
		n := 0
		for bench.Loop() {
			watch(func() {
				n++
				for i := range 10 {
					if err := os.WriteFile(filepath.Join(b.work, fmt.Sprintf("d%02d/new", i)), fmt.Append(nil, n, i),
						0o644); err != nil {
						bench.Fatal(err)
					}
				}
			})
		}
	})
}
