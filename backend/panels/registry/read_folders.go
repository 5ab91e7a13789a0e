package registry

import (
	"crypto/sha256"
	"path/filepath"
	"runtime"
	"sync"

	"sextant/backend/panels/manifest"
	"sextant/shared/event"
)

type reading struct {
	root, id string
	text     []byte
	err      error
	print    fingerprint
	// found is the result of checking the manifest. checked is true if the manifest differs from the last scan.
	found   manifest.ParseResult
	checked bool
}

type readings struct {
	root string
	list []reading
	err  error
}

// read reads all folders in parallel and checks what has changed. It holds r.mu only briefly, so calls do not wait.
func (r *Registry) read() []readings {
	r.mu.Lock()
	seen := make(map[string]fingerprint, len(r.entries))
	for _, e := range r.entries {
		seen[e.dir()] = e.seen
	}
	r.mu.Unlock()
	all := make([]readings, len(r.roots))
	var next []*reading
	for i, root := range r.roots {
		names, err := folders(root)
		all[i] = readings{root: root, err: err, list: make([]reading, len(names))}
		for j, id := range names {
			all[i].list[j] = reading{root: root, id: id}
			next = append(next, &all[i].list[j])
		}
	}
	var workers sync.WaitGroup
	count := min(runtime.GOMAXPROCS(0), (len(next)+7)/8)
	for worker := range count {
		workers.Go(func() {
			for i := worker; i < len(next); i += count {
				next[i].read(seen[filepath.Join(next[i].root, next[i].id)])
			}
		})
	}
	workers.Wait()
	return all
}

func (r *reading) read(seen fingerprint) {
	r.text, r.err = manifest.ReadFile(r.root, r.id)
	r.print = sha256.Sum256(r.text)
	if r.err != nil {
		r.print = sha256.Sum256([]byte("error: " + r.err.Error()))
	}
	if r.print != seen {
		r.check()
	}
}

func (r *reading) check() {
	r.checked = true
	if r.err != nil {
		r.found.Problems = []manifest.Problem{{
			File: manifest.FileName, Severity: event.SeverityError,
			Text: r.err.Error(),
		}}
		return
	}
	r.found = manifest.Parse(r.text, r.id, false)
}
