package search_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sextant/build/datagen/generate"

	"sextant/backend/store/search"
	"sextant/backend/store/sqlite"
)

// benchFolder returns a store with made-up conversations: that of SEXTANT_BENCH_DATA, a folder of build/datagen, or a
// new one with 10,000 messages. It indexes what is not indexed yet.
func benchFolder(b *testing.B) (*sqlite.Store, string) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "sextant.db")
	if folder := os.Getenv("SEXTANT_BENCH_DATA"); folder != "" {
		path = filepath.Join(folder, "sextant.db")
	}
	s := openStore(b, path)
	if os.Getenv("SEXTANT_BENCH_DATA") == "" {
		options := generate.Options{Messages: 10_000, Deltas: 1, Seed: 1}
		if _, err := generate.Write(b.Context(), s, options); err != nil {
			b.Fatal(err)
		}
	}
	start, batches := time.Now(), 0
	for left := true; left; batches++ {
		var err error
		if left, err = s.IndexBacklog(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if batches > 1 {
		b.Logf("indexed older messages in %d batches, %s", batches, time.Since(start).Round(time.Millisecond))
	}
	return s, path
}

// sample returns words of random messages, each with the word after it.
func sample(b *testing.B, path string, n int) (pairs [][2]string, conversations []string) {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	random := rand.New(rand.NewPCG(2, 3)) //nolint:gosec // repeatable on purpose
	var last int64
	if err := db.QueryRow(`SELECT MAX(rowid) FROM messages`).Scan(&last); err != nil {
		b.Fatal(err)
	}
	for len(pairs) < n {
		var text, conversation string
		if err := db.QueryRow(`SELECT text, conversation FROM messages WHERE rowid = ?`, 1+random.Int64N(last)).
			Scan(&text, &conversation); err != nil {
			b.Fatal(err)
		}
		words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
		if len(words) < 4 {
			continue
		}
		i := random.IntN(len(words) - 1)
		pairs = append(pairs, [2]string{words[i], words[i+1]})
		conversations = append(conversations, conversation)
	}
	return pairs, conversations
}

// threadTime returns the processor time of the current thread.
func threadTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSearch reports the median and the 95th percentile of each kind of query in milliseconds, and the 95th
// percentile of the processor time, which other programs on the machine affect less.
func BenchmarkSearch(b *testing.B) {
	s, path := benchFolder(b)
	const n = 200
	pairs, conversations := sample(b, path, n)
	const site = "stonva.example"
	cut := func(word string, length int) string { return word[:min(length, len(word))] }
	for _, kind := range []struct {
		name  string
		query func(i int) string
	}{
		{"word", func(i int) string { return pairs[i][0] + " " }},
		{"two words", func(i int) string { return pairs[i][0] + " " + pairs[(i+1)%n][0] + " " }},
		{"phrase", func(i int) string { return fmt.Sprintf("%q", pairs[i][0]+" "+pairs[i][1]) }},
		{"prefix of 2", func(i int) string { return cut(pairs[i][0], 2) }},
		{"prefix of 3", func(i int) string { return cut(pairs[i][0], 3) }},
		{"prefix of 4", func(i int) string { return cut(pairs[i][0], 4) }},
		{"word and prefix", func(i int) string { return pairs[i][0] + " " + cut(pairs[(i+1)%n][0], 4) }},
		{"word who", func(i int) string { return pairs[i][0] + " who:me" }},
		{"word tool", func(i int) string { return pairs[i][0] + " tool:bash" }},
		{"word site", func(i int) string { return pairs[i][0] + " site:" + site }},
		{"word date", func(i int) string { return pairs[i][0] + " after:2025-03 before:2025-05" }},
		{"in a conversation", func(i int) string { return pairs[i][0] }},
		{"most frequent", func(int) string { return "the of and" }},
		{"no hit", func(i int) string { return pairs[i][0] + " xyzzyx" }},
	} {
		b.Run(kind.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var times, used []time.Duration
			for i := 0; b.Loop(); i++ {
				req := search.Request{Text: kind.query(i % n), Limit: 20}
				if kind.name == "in a conversation" {
					req.Conversation, req.Limit = conversations[i%n], search.MaxHits
				}
				start, before := time.Now(), threadTime(b)
				if _, err := s.Search(context.Background(), req); err != nil {
					b.Fatal(err)
				}
				times, used = append(times, time.Since(start)), append(used, threadTime(b)-before)
			}
			slices.Sort(times)
			slices.Sort(used)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
			b.ReportMetric(float64(used[len(used)*95/100].Microseconds())/1000, "cpu-p95-ms")
		})
	}
}
