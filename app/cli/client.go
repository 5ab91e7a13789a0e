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
	"os"
	"path/filepath"
	"strings"
	"time"

	"sextant/app"
	"sextant/app/config"
	"sextant/backend/api/access"
	httpapi "sextant/backend/api/http"
	"sextant/backend/api/mcpserver"
)

// instance is a running Sextant as the command line talks to it.
type instance struct{ app.Instance }

// errNoInstance means that no Sextant serves on the data folder.
var errNoInstance = errors.New("no Sextant runs that could be joined")

// proofPatience bounds asking a port whether it is ours.
const proofPatience = 3 * time.Second

// findInstance reads the instance file in dir and makes sure that the one it names lives:
// a file that a killed Sextant left may name a port that another program has now.
func findInstance(ctx context.Context, dir string) (instance, error) {
	b, err := os.ReadFile(filepath.Join(dir, app.InstanceFile))
	if err != nil {
		return instance{}, errNoInstance
	}
	var at instance
	if json.Unmarshal(b, &at) != nil || at.URL == "" || at.Token == "" {
		return instance{}, errNoInstance
	}
	nonce := rand.Text()
	proof, err := at.get(ctx, httpapi.ProofPath+"?nonce="+nonce, "", proofPatience)
	if err != nil || subtle.ConstantTimeCompare(proof, []byte(access.Proof(at.Token, nonce))) != 1 {
		return instance{}, errNoInstance
	}
	return at, nil
}

// get reads path; token "" sends none.
func (i instance) get(ctx context.Context, path, token string, patience time.Duration) ([]byte, error) {
	return i.do(ctx, http.MethodGet, path, token, nil, patience)
}

// do sends a request with body as JSON and returns the answer's body. An answer over 299 is
// an error with its detail; patience 0 waits as long as ctx does.
func (i instance) do(ctx context.Context, method, path, token string, body any, patience time.Duration) ([]byte,
	error,
) {
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = strings.NewReader(string(b))
	}
	req, err := http.NewRequestWithContext(ctx, method, i.URL+path, in)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("X-Client-Name", "sextant command line")
	}
	// No proxy of the environment: the token is for this machine only.
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

// place is where MCP is spoken there.
func (i instance) place() (mcpserver.Instance, error) {
	u, err := url.Parse(i.URL)
	if err != nil {
		return mcpserver.Instance{}, fmt.Errorf("reading the instance file: %w", err)
	}
	return mcpserver.Instance{Host: u.Host, Token: i.Token}, nil
}

// findRunning looks for a running Sextant that a verb may join. apart names what keeps the verb
// to a Sextant of its own, "" for nothing; ok is false then, and when none runs.
func findRunning(ctx context.Context, g *Global, apart string, out Streams) (at instance, cfg *config.Config, ok bool,
	err error,
) {
	cfg, err = config.Load(g.flags())
	if err != nil {
		return instance{}, nil, false, err
	}
	at, err = findInstance(ctx, cfg.DataDir)
	switch {
	case err != nil:
		return instance{}, cfg, false, nil
	case apart != "":
		_, _ = fmt.Fprintf(out.Err,
			"sextant: A Sextant runs already (process %d), but %s holds only for one of its own, so this does not "+
				"join it.\n", at.PID, apart)
		return at, cfg, false, nil
	}
	_, _ = fmt.Fprintf(out.Err, "sextant: joined the running Sextant (process %d).\n", at.PID)
	return at, cfg, true, nil
}

// apart names the first given option that a running Sextant cannot take over.
func (g *Global) apart() string {
	for _, o := range []struct {
		name  string
		given bool
	}{
		{"--workspace", g.Workspace != ""},
		{"--allow-hosts", len(g.AllowHosts) > 0},
		{"--profile", g.Profile != nil},
		{"--deny-hosts", len(g.DenyHosts) > 0},
		{"--panels", len(g.PanelDirs) > 0},
		{"--chromium", g.Chromium != ""},
	} {
		if o.given {
			return o.name
		}
	}
	return ""
}

// when is name if given.
func when(given bool, name string) string {
	if given {
		return name
	}
	return ""
}
