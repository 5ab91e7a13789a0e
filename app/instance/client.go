package instance

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sextant/backend/api/access"
)

// Client sends requests to a running Sextant. Its methods may be called concurrently.
type Client struct{ Instance }

// answerTimeout bounds requests that Sextant answers at once.
const answerTimeout = 3 * time.Second

// Connect reads the instance file of a data folder and checks that its Sextant answers, otherwise it returns ErrNone. A
// killed Sextant leaves its file behind, and another program may use the port now.
func Connect(ctx context.Context, dataDir string) (Client, error) {
	found, err := Read(dataDir)
	if err != nil {
		return Client{}, err
	}
	c := Client{found}
	nonce := rand.Text()
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	proof, err := c.send(ctx, http.MethodGet, access.ProofPath+"?nonce="+nonce, "", nil)
	if err != nil || subtle.ConstantTimeCompare(proof, []byte(access.Proof(c.Token, nonce))) != 1 {
		return Client{}, ErrNone
	}
	return c, nil
}

// Do sends a request with the token and body as JSON, and returns the body of the response. It returns a status over
// 299 as an error with the response's detail.
func (c Client) Do(ctx context.Context, method, path string, body any) ([]byte, error) {
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		in = strings.NewReader(string(b))
	}
	return c.send(ctx, method, path, c.Token, in)
}

// Send is Do with a body that is sent unchanged, and a limit of time.
func (c Client) Send(ctx context.Context, method, path string, body io.Reader, within time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return c.send(ctx, method, path, c.Token, body)
}

// WindowLink returns a new address that opens a window once, within ten minutes. With raise, it brings the desktop
// window to the front instead and returns "", if there is one. With folder, the assistant works in that folder then.
// With link, a sextant:// address, windows show that.
func (c Client) WindowLink(ctx context.Context, raise bool, folder, link string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	query := url.Values{}
	if raise {
		query.Set("raise", "1")
	}
	if folder != "" {
		query.Set("folder", folder)
	}
	if link != "" {
		query.Set("link", link)
	}
	address, err := c.send(ctx, http.MethodPost, access.LinkPath+"?"+query.Encode(), c.LinkKey, nil)
	return string(address), err
}

func (c Client) send(ctx context.Context, method, path, key string, body io.Reader) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("X-Client-Name", "sextant command line")
	}
	// Do not use a proxy from the environment: the key must not leave this machine.
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
