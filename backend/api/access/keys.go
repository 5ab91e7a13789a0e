package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"sync"
	"time"
)

// codeLife is how long a one-time code waits to be exchanged.
const codeLife = 10 * time.Minute

// Role is what the holder of a key may do. A program may read and call tools under the
// policy; a window stands for the person: it also answers questions, changes settings and
// moves the mouse on the page.
type Role int

// The roles.
const (
	RoleNone Role = iota
	RoleProgram
	RoleWindow
)

// Keys hold what opens the door, for the life of the program: the token for programs, the
// key of windows, and one-time codes that a page exchanges for that key. All are 256 bits.
// Safe for concurrent use.
type Keys struct {
	token, window string

	mu    sync.Mutex
	codes map[string]time.Time
}

// NewKeys makes a fresh token from the system's random source.
func NewKeys() *Keys {
	return &Keys{token: secret(), window: secret(), codes: map[string]time.Time{}}
}

// Token is what programs send as `Authorization: Bearer`.
func (k *Keys) Token() string { return k.token }

// Proof is what only a holder of token can answer to nonce. A program asks for it before it
// sends the token to a port that another program may have taken since.
func Proof(token, nonce string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("sextant instance " + nonce)) // a hash never fails
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Role tells what key allows; it compares in constant time.
func (k *Keys) Role(key string) Role {
	program := subtle.ConstantTimeCompare([]byte(key), []byte(k.token))
	window := subtle.ConstantTimeCompare([]byte(key), []byte(k.window))
	switch {
	case window == 1:
		return RoleWindow
	case program == 1:
		return RoleProgram
	}
	return RoleNone
}

// Code makes a one-time code, good for ten minutes and one Exchange.
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

// Exchange gives the window key for a code once; false when it was never given, used or is old.
func (k *Keys) Exchange(code string) (string, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	until, ok := k.codes[code]
	delete(k.codes, code)
	if !ok || time.Now().After(until) {
		return "", false
	}
	return k.window, true
}

// secret is 256 random bits in URL-safe base64.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}
