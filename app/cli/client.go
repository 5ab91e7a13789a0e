package cli

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sextant/app/config"
	"sextant/app/instance"
	"sextant/backend/api/access"
	httpapi "sextant/backend/api/http"
	"sextant/backend/api/mcpserver"
)

type runningInstance struct{ instance.Instance }

const proofTimeout = 3 * time.Second

// findInstance reads the instance file in dir and checks that its Sextant answers, otherwise it returns
// instance.ErrNone. A killed Sextant leaves its file behind, and another program may use the port now.
func findInstance(ctx context.Context, dir string) (runningInstance, error) {
	found, err := instance.Read(dir)
	if err != nil {
		return runningInstance{}, err
	}
	at := runningInstance{found}
	nonce := rand.Text()
	proof, err := at.get(ctx, httpapi.ProofPath+"?nonce="+nonce, "", proofTimeout)
	if err != nil || subtle.ConstantTimeCompare(proof, []byte(access.Proof(at.Token, nonce))) != 1 {
		return runningInstance{}, instance.ErrNone
	}
	return at, nil
}

// get sends a GET request for path and returns the body. If token is "", it sends no token.
func (i runningInstance) get(ctx context.Context, path, token string, timeout time.Duration) ([]byte, error) {
	return i.do(ctx, http.MethodGet, path, token, nil, timeout)
}

// do returns a status over 299 as an error with the response's detail. If timeout is 0, only ctx limits the wait.
func (i runningInstance) do(ctx context.Context, method, path, token string, body any, timeout time.Duration) ([]byte,
	error,
) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = strings.NewReader(string(b))
	}
	return i.send(ctx, method, path, token, in, timeout)
}

// send is do with a body that is sent unchanged.
func (i runningInstance) send(ctx context.Context, method, path, token string, in io.Reader, timeout time.Duration) (
	[]byte, error,
) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, method, i.URL+path, in)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("X-Client-Name", "sextant command line")
	}
	// Do not use a proxy from the environment: the token must not leave this machine.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil || res.StatusCode < 300 {
		return b, err
	}
	var problem struct{ Detail string }
	if json.Unmarshal(b, &problem) != nil || problem.Detail == "" {
		problem.Detail = res.Status
	}
	return nil, errors.New(problem.Detail)
}

func (i runningInstance) mcpInstance() (mcpserver.Instance, error) {
	u, err := url.Parse(i.URL)
	if err != nil {
		return mcpserver.Instance{}, fmt.Errorf("reading the instance file: %w", err)
	}
	return mcpserver.Instance{Host: u.Host, Token: i.Token}, nil
}

// findRunning looks for a running Sextant that a verb can join, and tells the person if there is one. separate names an
// option that requires a separate instance, "" for none. ok is false if there is such an option or none is running.
func findRunning(
	ctx context.Context, g *Global, separate string, out Streams,
) (at runningInstance, cfg *config.Config, ok bool, err error) {
	cfg, err = config.Load(g.flags())
	if err != nil {
		return runningInstance{}, nil, false, err
	}
	at, err = findInstance(ctx, cfg.DataDir)
	switch {
	case err != nil:
		return runningInstance{}, cfg, false, nil
	case separate != "":
		_, _ = fmt.Fprintf(out.Err,
			"sextant: Sextant is already running (process %d), but %s needs an instance of its own, so "+
				"this one does not join it.\n", at.PID, separate)
		return at, cfg, false, nil
	}
	_, _ = fmt.Fprintf(out.Err, "sextant: joined the running Sextant (process %d).\n", at.PID)
	return at, cfg, true, nil
}

// separateOption returns the first option in use that a running Sextant cannot apply, "" for none.
func (g *Global) separateOption() string {
	for _, o := range []struct {
		name string
		set  bool
	}{
		{"--workspace", g.Workspace != ""},
		{"--allow-hosts", len(g.AllowHosts) > 0},
		{"--profile", g.Profile != nil},
		{"--deny-hosts", len(g.DenyHosts) > 0},
		{"--panels", len(g.PanelDirs) > 0},
		{"--chromium", g.Chromium != ""},
	} {
		if o.set {
			return o.name
		}
	}
	return ""
}

func optionIf(set bool, name string) string {
	if set {
		return name
	}
	return ""
}
