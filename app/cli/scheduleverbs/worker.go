package scheduleverbs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/backend/batch"
	"sextant/backend/browser/launch"
	"sextant/backend/store/audit"
	"sextant/backend/store/pgqueue"
)

// Worker is the verb worker.
type Worker struct {
	Queue    string   `help:"Database with the batches." env:"SEXTANT_QUEUE" required:"" placeholder:"postgres://USER@HOST/DATABASE"`
	CDP      []string `help:"Debugging address of a browser that is running, instead of a Chromium for each row; can be repeated, and rows take turns." name:"cdp" sep:"none" placeholder:"ws://HOST:PORT"`
	Browsers int      `help:"How many rows run at once." default:"4"`
}

// sendAuditEvery is the time between two copies of the audit log to the queue.
const sendAuditEvery = 10 * time.Second

// Run runs rows of a shared queue until the program is interrupted.
func (v *Worker) Run(ctx context.Context, streams verb.Streams, g *verb.Global) error {
	if v.Browsers < 1 || v.Browsers > batch.MaxBrowsers {
		return verb.Failure(verb.ExitUsage, "--browsers must be 1 to %d", batch.MaxBrowsers)
	}
	queue, err := pgqueue.Open(ctx, v.Queue)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	defer queue.Close()
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{Queue: queue, Browsers: v.CDP}, streams)
	if err != nil {
		return err
	}
	defer sys.Close()
	name, err := workerName(sys.Config.DataDir)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, _ = fmt.Fprintf(streams.Err,
		"Worker %s runs rows in %d browsers. Ctrl C ends it: rows that run get 20 seconds.\n", name, v.Browsers)
	for _, address := range v.CDP {
		if !launch.IsLocal(address) {
			_, _ = fmt.Fprintln(streams.Err, "A browser of --cdp is on another computer, so its pages may load and "+
				"send to any host that it can reach. Only opened addresses and acts are kept to the card.")
			break
		}
	}
	sending, stop := context.WithCancel(ctx)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for sending.Err() == nil {
			if err := sendAudit(ctx, sys.Audit, queue, name); err != nil && ctx.Err() == nil {
				sys.Log.Warn("the audit log is not in the queue yet", "err", err)
			}
			select {
			case <-sending.Done():
			case <-time.After(sendAuditEvery):
			}
		}
	}()
	err = sys.Batches.Work(ctx, v.Browsers)
	stop()
	<-sent
	return errors.Join(err, sendAudit(context.WithoutCancel(ctx), sys.Audit, queue, name))
}

// workerName returns the name of the audit chain in a data folder, which stays the same.
func workerName(folder string) (string, error) {
	path := filepath.Join(folder, "worker-name")
	text, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	const idLength = 6
	name := host + "-" + strings.ToLower(rand.Text()[:idLength])
	return name, os.WriteFile(path, []byte(name+"\n"), 0o600)
}

// sendAudit copies the entries of the audit log to the queue that it does not have yet.
func sendAudit(ctx context.Context, log *audit.Log, queue *pgqueue.Queue, name string) error {
	const most = 500
	last, err := queue.LastAudit(ctx, name)
	if err != nil {
		return err
	}
	var entries []audit.Entry
	send := func() error {
		err := queue.AddAudit(ctx, name, entries)
		entries = entries[:0]
		return err
	}
	err = log.Walk(ctx, last, func(e audit.Entry) error {
		if entries = append(entries, e); len(entries) < most {
			return nil
		}
		return send()
	})
	if err != nil {
		return err
	}
	return send()
}
