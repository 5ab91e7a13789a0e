package pipeline

import "sync"

// queue does what it is given in order and beside its caller: what a call writes down does not
// hold up the call. The zero value is ready; it may be used concurrently.
type queue struct {
	mu      sync.Mutex
	waiting []func()
	running bool
	left    sync.WaitGroup
}

func (q *queue) add(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left.Add(1)
	q.waiting = append(q.waiting, do)
	if !q.running {
		q.running = true
		go q.work()
	}
}

// wait returns when everything that was added is done.
func (q *queue) wait() { q.left.Wait() }

func (q *queue) work() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.running = false
			q.mu.Unlock()
			return
		}
		do := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		do()
		q.left.Done()
	}
}
