package process

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"
)

func (r *Runner) launch(ctx context.Context) (*running, error) {
	up := &running{token: rand.Text(), since: time.Now()}
	env := []string{"SEXTANT_PANEL_ID=" + r.panel.ID, "SEXTANT_PANEL_TOKEN=" + up.token}
	if r.panel.Settings != nil {
		settings, err := r.panel.Settings()
		if err != nil {
			return nil, fmt.Errorf("reading the settings of the %s panel: %w", r.panel.Title, err)
		}
		env = append(env, "SEXTANT_PANEL_CONFIG="+settings)
	}
	if err := r.begin(up, env); err != nil {
		return nil, fmt.Errorf("the %s panel's program cannot be started: %w", r.panel.Title, err)
	}
	if err := r.await(ctx, up); err != nil {
		up.end()
		return nil, err
	}
	if err := r.connect(ctx, up); err != nil {
		up.end()
		return nil, err
	}
	r.cfg.Log.Info("panel program runs", "panel", r.panel.ID)
	return up, nil
}

func (r *Runner) begin(up *running, env []string) (err error) {
	if r.IsMCPServer() {
		return r.beginServer(up, env)
	}
	if !r.panel.Backend.Stdio {
		if up.program, up.port, err = r.start(env, nil, nil); err == nil {
			up.client = r.httpClient(up)
		}
		return err
	}
	l, in, err := newLines(r.log)
	if err != nil {
		return err
	}
	if up.program, _, err = r.start(env, in, l); err != nil {
		l.close()
		return err
	}
	up.lines = l
	r.tasks.Go(func() { l.watch(up.program) })
	return nil
}

func (r *Runner) await(ctx context.Context, up *running) error {
	limit, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(healthPause)
	defer tick.Stop()
	for {
		if r.healthy(limit, up) {
			return nil
		}
		select {
		case <-up.Done():
			return fmt.Errorf("the %s panel's program stopped at its start, %s", r.panel.Title, r.exit(up.program))
		case <-r.stop:
			return fmt.Errorf("the %s panel %w", r.panel.Title, ErrRemoved)
		case <-limit.Done():
			if ctx.Err() != nil {
				return fmt.Errorf("the %s panel's program did not answer before the call ended", r.panel.Title)
			}
			return fmt.Errorf("the %s panel's program did not answer within %d s on SEXTANT_PANEL_PORT",
				r.panel.Title, int(startLimit.Seconds()))
		case <-tick.C:
		}
	}
}
