package shell

import (
	"context"
	"errors"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"sextant/backend/guard/policy"
	"sextant/shared/toolspec"
)

// maxHosts bounds how many hosts one command may come to.
const maxHosts = 256

// limits reports whether a command's network can be kept to hosts that were granted.
func (t *Tools) limits() bool {
	return t.cfg.Egress != nil && t.cfg.Contact != nil && t.cfg.Confine.Limits()
}

// way is the way out of one run. Each host is judged once for it; connections that come meanwhile
// wait for the same answer, and the question stays when the connection that raised it is given up.
type way struct {
	t    *Tools
	call toolspec.Call
	// ctx ends with the run, which ends the questions that wait.
	ctx     context.Context
	cancel  context.CancelFunc
	asking  sync.WaitGroup
	inwards bool

	mu    sync.Mutex
	hosts map[string]*judged
	// failed is why a connection to a host that was granted came to nothing, the last of each host.
	failed map[string]string
}

// judged is a host of a run: once done is closed, err says why it may not be reached.
type judged struct {
	done chan struct{}
	err  error
}

// way makes the way out of call. named are the hosts that the command names: they were judged
// with it, before it ran.
func (t *Tools) way(ctx context.Context, call toolspec.Call, named []string) *way {
	ctx, cancel := context.WithCancel(ctx)
	w := &way{t: t, call: call, ctx: ctx, cancel: cancel, hosts: map[string]*judged{}, failed: map[string]string{}}
	for _, host := range named {
		done := make(chan struct{})
		close(done)
		w.hosts[plain(host)] = &judged{done: done}
		w.inwards = w.inwards || policy.Local(host)
	}
	return w
}

// plain is a host in its one written form, without a port that is one of the usual ones.
func plain(host string) string {
	host = policy.Normal(host)
	for _, port := range []string{":80", ":443"} {
		if name, is := strings.CutSuffix(host, port); is && (!strings.Contains(name, ":") || strings.HasPrefix(name, "[")) {
			return strings.Trim(name, "[]")
		}
	}
	return host
}

// env are variables besides those that name the proxy. Names of this machine go past it, to servers
// that the command started, unless it names one of the person's.
func (w *way) env() []string {
	if !w.inwards {
		return nil
	}
	return []string{"NO_PROXY=", "no_proxy="}
}

func (w *way) serve(ln net.Listener) (stop func()) {
	return w.t.cfg.Egress.ServeRun(w.ctx, ln, w.may, func(host, why string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failed[plain(host)] = why // only hosts that were judged come here, so it is bounded as they are
	})
}

// may says whether the command may reach host; it waits for the answer to a question.
func (w *way) may(ctx context.Context, host string) error {
	w.mu.Lock()
	j, known := w.hosts[plain(host)]
	if !known {
		if len(w.hosts) >= maxHosts {
			w.mu.Unlock()
			return errors.New("the command came to too many hosts")
		}
		j = &judged{done: make(chan struct{})}
		w.hosts[plain(host)] = j
		w.asking.Go(func() {
			j.err = w.t.cfg.Contact(w.ctx, w.call, host)
			close(j.done)
		})
	}
	w.mu.Unlock()
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the questions that still wait, and waits until they are closed.
func (w *way) close() {
	w.cancel()
	w.asking.Wait()
}

// tell adds to an answer which hosts were reached and which were not, and why connections failed.
func (w *way) tell(r *toolspec.Result) {
	w.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	var reached, kept []string
	for _, host := range slices.Sorted(maps.Keys(w.hosts)) {
		if err := w.hosts[host].err; err != nil {
			kept = append(kept, host+" ("+err.Error()+")")
			continue
		}
		reached = append(reached, host)
	}
	value, _ := r.Value.(map[string]any)
	if len(reached) > 0 {
		value["hosts"] = reached
		r.Sources = []string{fromNetwork}
	}
	for _, host := range slices.Sorted(maps.Keys(w.failed)) {
		r.Text = strings.TrimPrefix(r.Text+"\nA connection failed: "+w.failed[host], "\n")
	}
	if len(kept) > 0 {
		value["hosts_refused"] = kept
		r.Text = strings.TrimPrefix(r.Text+"\nNot reached: "+strings.Join(kept, "; "), "\n")
	}
}
