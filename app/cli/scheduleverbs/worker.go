package scheduleverbs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
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

// connectLimit bounds the first connections to browsers, and the last copy of the audit log.
const connectLimit = 10 * time.Second

// Run runs rows of a shared queue until the program is interrupted.
func (v *Worker) Run(ctx context.Context, streams verb.Streams, g *verb.Global) error {
	if v.Browsers < 1 || v.Browsers > batch.MaxBrowsers {
		return verb.Failure(verb.ExitUsage, "--browsers must be 1 to %d", batch.MaxBrowsers)
	}
	if err := v.checkBrowsers(ctx); err != nil {
		return err
	}
	queue, err := pgqueue.Open(ctx, v.Queue)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	defer queue.Close()
	flags, name, err := workerFolder(g)
	if err != nil {
		return failure(err)
	}
	sys, err := verb.Open(ctx, flags, app.OpenOptions{Queue: queue, Browsers: v.CDP}, streams)
	if err != nil {
		return err
	}
	defer sys.Close()
	_, _ = fmt.Fprintf(streams.Err,
		"Worker %s runs rows in %d browsers. Ctrl C ends it: rows that run get 20 seconds.\n", name, v.Browsers)
	far := func(address string) bool { return !launch.IsLocal(address) }
	if slices.ContainsFunc(v.CDP, far) {
		_, _ = fmt.Fprintln(streams.Err, "A browser of --cdp is on another computer, so its pages may load and send "+
			"to any host that it can reach. Only opened addresses and acts are kept to the card.")
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
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectLimit)
	defer cancel()
	return errors.Join(err, sendAudit(last, sys.Audit, queue, name))
}

// checkBrowsers returns an error if one of the browsers cannot be used: the rows that it gets would fail.
func (v *Worker) checkBrowsers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	for _, address := range v.CDP {
		b, err := launch.Attach(ctx, address)
		if err != nil {
			return verb.Failure(verb.ExitFailed, "%v. No row has begun.", err)
		}
		b.Kill() // ends the connection only
	}
	return nil
}

// workerFolder makes the data folder of the worker: the one of the flags or the environment, else one beside that of
// Sextant. It returns the flags that name it, and the name of the audit chain in it, which stays the same. The audit
// log of a folder that people use is theirs, so that it must not be copied.
func workerFolder(g *verb.Global) (flags map[string]string, name string, err error) {
	flags = g.Flags()
	config, err := config.Load(flags)
	if err != nil {
		return nil, "", err
	}
	folder := config.DataDir
	if flags["data"] == "" && os.Getenv("SEXTANT_DATA") == "" {
		folder += "-worker"
	}
	flags["data"] = folder
	path := filepath.Join(folder, "worker-name")
	text, err := os.ReadFile(path)
	if err == nil {
		return flags, strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, "", err
	}
	if _, err := os.Stat(filepath.Join(folder, app.DatabaseName)); err == nil {
		return nil, "", verb.Failure(verb.ExitRefused, "%s belongs to a Sextant that people use, and its audit log "+
			"must not get into the queue. Give the worker a folder of its own: --data DIR", folder)
	}
	host, err := os.Hostname()
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return nil, "", err
	}
	const idLength = 6
	name = host + "-" + strings.ToLower(rand.Text()[:idLength])
	return flags, name, os.WriteFile(path, []byte(name+"\n"), 0o600)
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
