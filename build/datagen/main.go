// Command datagen writes a data folder with conversations of made-up text, for benchmarks and for looking at the window
// with a long history:
//
//	go run -tags sqlite_fts5 ./build/datagen -messages 10000 OUTDIR
//	SEXTANT_DATA=OUTDIR sextant serve
//
// The same options write the same events.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"sextant/build/datagen/generate"

	"sextant/backend/store/sqlite"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "datagen:", err)
		os.Exit(1)
	}
}

func run() error {
	var o generate.Options
	flag.IntVar(&o.Messages, "messages", 10_000, "messages in all conversations")
	flag.IntVar(&o.Conversations, "conversations", 0, "conversations (0: one for every 100 messages)")
	flag.IntVar(&o.Largest, "largest", 0, "messages in the largest conversation (0: a twentieth of all)")
	flag.IntVar(&o.Deltas, "deltas", 4, "streamed pieces of an answer")
	flag.Uint64Var(&o.Seed, "seed", 1, "what the random text starts from")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: datagen [options] OUTDIR")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	path := filepath.Join(flag.Arg(0), "sextant.db")
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists; choose an empty folder", path)
	}
	s, err := sqlite.Open(ctx, path, slog.Default())
	if err != nil {
		return err
	}
	start := time.Now()
	sum, err := generate.Write(ctx, s, o)
	if closeErr := s.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Printf("%d conversations, %d messages, %d events, %d MB in %s; "+
		"the largest conversation is %s with %d messages\n",
		sum.Conversations, sum.Messages, sum.Events, info.Size()>>20, time.Since(start).Round(time.Second),
		sum.LargestID, sum.LargestMessages)
	return nil
}
