package apps

import (
	"fmt"
	"sync"
	"time"
)

// maxDenials is small because a person who is asked again and again agrees in the end. An allowed call does not reset
// the count, or a page would make one on purpose.
const (
	denialPause = 3 * time.Second
	maxDenials  = 2
)

// DenialLimiter counts the denied calls of each server's pages. Its methods may be called concurrently; the
// zero value is ready.
type DenialLimiter struct {
	mu     sync.Mutex
	denied map[string]denials
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

type denials struct {
	count int
	last  time.Time
}

func (dl *DenialLimiter) now() time.Time {
	if dl.Now != nil {
		return dl.Now()
	}
	return time.Now()
}

// Check returns an error that says why a page of server may call nothing now, or nil if it may.
func (dl *DenialLimiter) Check(server string) error {
	dl.mu.Lock()
	defer dl.mu.Unlock()
	switch d := dl.denied[server]; {
	case d.count >= maxDenials:
		return fmt.Errorf("calls of the app of %s were denied %d times; it can call again after it is reopened", server,
			d.count)
	case d.count > 0 && dl.now().Sub(d.last) < denialPause:
		return fmt.Errorf("a call of the app of %s was just denied; wait, then try again", server)
	}
	return nil
}

// RecordDenial counts a denied call.
func (dl *DenialLimiter) RecordDenial(server string) {
	dl.mu.Lock()
	defer dl.mu.Unlock()
	if dl.denied == nil || len(dl.denied) > maxServers {
		dl.denied = map[string]denials{}
	}
	dl.denied[server] = denials{count: dl.denied[server].count + 1, last: dl.now()}
}

// Reset forgets the denials of server. Call it when a page of the server is opened again.
func (dl *DenialLimiter) Reset(server string) {
	dl.mu.Lock()
	defer dl.mu.Unlock()
	delete(dl.denied, server)
}
