package httpapi

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"sync"
	"time"
)

// codeLife is how long a one-time code waits to be exchanged.
const codeLife = 2 * time.Minute

// Keys hold what opens the door: one 256-bit token for the life of the program and
// one-time codes that a page exchanges for it. Safe for concurrent use.
type Keys struct {
	token string

	mu    sync.Mutex
	codes map[string]time.Time
}

// NewKeys makes a fresh token from the system's random source.
func NewKeys() *Keys {
	return &Keys{token: secret(), codes: map[string]time.Time{}}
}

// Token is what programs send as `Authorization: Bearer`.
func (k *Keys) Token() string { return k.token }

// Valid compares in constant time.
func (k *Keys) Valid(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(k.token)) == 1
}

// Code makes a one-time code, good for two minutes and one Exchange.
func (k *Keys) Code() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	for c, until := range k.codes {
		if now.After(until) {
			delete(k.codes, c)
		}
	}
	code := secret()
	k.codes[code] = now.Add(codeLife)
	return code
}

// Exchange gives the token for a code once; false when it was never given, used or is old.
func (k *Keys) Exchange(code string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	until, ok := k.codes[code]
	delete(k.codes, code)
	if !ok || time.Now().After(until) {
		return "", false
	}
	return k.token, true
}

// secret is 256 random bits in URL-safe base64.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}
