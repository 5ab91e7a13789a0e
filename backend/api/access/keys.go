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

const codeLifetime = 10 * time.Minute

// Role is the role of a key's holder: a program, or a window, which acts for the person.
type Role int

// The roles.
const (
	RoleNone Role = iota
	RoleProgram
	RoleWindow
)

// Keys are the secrets of one run of the program: the token for programs, the key of windows, one-time codes that a
// page exchanges for that key, and the key that makes such codes. Each has 256 bits. Safe for concurrent use.
type Keys struct {
	token, window, link string

	mu    sync.Mutex
	codes map[string]time.Time
}

// NewKeys returns Keys with random secrets.
func NewKeys() *Keys {
	return &Keys{
		token: secret(), window: secret(), link: secret(),
		codes: map[string]time.Time{},
	}
}

// Token returns the token that programs send as `Authorization: Bearer`.
func (k *Keys) Token() string { return k.token }

// LinkKey returns the key with which the person's command line makes one-time codes. Programs do not get it, since a
// window may do more than they.
func (k *Keys) LinkKey() string { return k.link }

// IsLinkKey reports whether key is the link key. It compares in constant time.
func (k *Keys) IsLinkKey(key string) bool {
	return subtle.ConstantTimeCompare([]byte(key), []byte(k.link)) == 1
}

// Proof returns the answer to nonce that only a holder of token can compute. A program requests it before it sends the
// token to a port that another program may have opened meanwhile.
func Proof(token, nonce string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("sextant instance " + nonce)) // a hash.Hash never returns an error
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Role returns the role of key. It compares in constant time.
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

// NewCode makes a one-time code, which is valid for ten minutes.
func (k *Keys) NewCode() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	for c, until := range k.codes {
		if now.After(until) {
			delete(k.codes, c)
		}
	}
	code := secret()
	k.codes[code] = now.Add(codeLifetime)
	return code
}

// Exchange returns the window key for a code. It returns false if the code is unknown, used or expired.
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

func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])
}
