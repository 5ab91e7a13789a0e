package toolkit

import (
	"strconv"
	"testing"
)

func TestCallMemoryKeepsFirstAddAndTakesOnce(t *testing.T) {
	t.Parallel()
	var m CallMemory[string]
	m.Add("a", "first")
	m.Add("a", "second")
	if v, ok := m.Get("a"); !ok || v != "first" {
		t.Errorf("got %q, %v", v, ok)
	}
	m.Set("a", "third")
	if v, ok := m.Take("a"); !ok || v != "third" {
		t.Errorf("took %q, %v", v, ok)
	}
	if v, ok := m.Take("a"); ok {
		t.Errorf("took %q again", v)
	}
}

func TestCallMemoryDropsOldest(t *testing.T) {
	t.Parallel()
	var m CallMemory[int]
	for i := range maxCalls + 1 {
		m.Set(strconv.Itoa(i), i)
	}
	if _, ok := m.Get("0"); ok {
		t.Error("the oldest value is still there")
	}
	if v, ok := m.Get("1"); !ok || v != 1 {
		t.Errorf("got %d, %v", v, ok)
	}
}
