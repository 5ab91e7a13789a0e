package toolkit

import (
	"slices"
	"sync"
)

// maxCalls limits the entries of a CallMemory. Most calls run right after they were described.
const maxCalls = 1024

// CallMemory stores, by call ID, what a tool resolved when a call was described, so that the call acts on the same
// thing when it runs. When it is full, it drops the oldest entry. It is safe for concurrent use.
type CallMemory[V any] struct {
	mu     sync.Mutex
	order  []string
	values map[string]V
}

// Set stores v for a call and replaces an earlier value.
func (m *CallMemory[V]) Set(call string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(call, v)
}

// Add stores v for a call unless the call already has a value.
func (m *CallMemory[V]) Add(call string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.values[call]; !ok {
		m.set(call, v)
	}
}

func (m *CallMemory[V]) set(call string, v V) {
	if m.values == nil {
		m.values = map[string]V{}
	}
	if _, ok := m.values[call]; !ok {
		if m.order = append(m.order, call); len(m.order) > maxCalls {
			delete(m.values, m.order[0])
			m.order = m.order[1:]
		}
	}
	m.values[call] = v
}

// Get returns the value of a call.
func (m *CallMemory[V]) Get(call string) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok = m.values[call]
	return v, ok
}

// Take returns the value of a call and removes it.
func (m *CallMemory[V]) Take(call string) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok = m.values[call]; ok {
		delete(m.values, call)
		m.order = slices.DeleteFunc(m.order, func(id string) bool { return id == call })
	}
	return v, ok
}
