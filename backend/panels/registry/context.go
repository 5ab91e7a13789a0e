package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sextant/shared/excerpt"
)

const (
	maxContext    = 16 << 10
	maxContextAll = 64 << 10
)

// PublishContext replaces the values that a panel publishes, such as the path of its open file. Conditions use them,
// and they fill injected parameters that a call omits. The manifest must declare the keys. A value has at most 16 KB of
// JSON, all values 64 KB. The error wraps ErrNoPanel if there is no usable panel with this id.
func (r *Registry) PublishContext(panel string, values map[string]json.RawMessage) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[panel]
	if e == nil || e.plan == nil {
		return fmt.Errorf("publishing for %q: %w", excerpt.TruncateRunes(panel, 64), ErrNoPanel)
	}
	all := 0
	for _, key := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !slices.Contains(e.plan.Manifest.Context, key):
			return fmt.Errorf("the %s panel does not publish %q; its manifest's context has %q", panel,
				excerpt.TruncateRunes(key, 60), e.plan.Manifest.Context)
		case len(values[key]) > maxContext:
			return fmt.Errorf("%q has %d bytes; the limit is %d", key, len(values[key]), maxContext)
		case !json.Valid(values[key]):
			return fmt.Errorf("%q is not JSON", key)
		}
		all += len(values[key])
	}
	if all > maxContextAll {
		return fmt.Errorf("the values have %d bytes together; the limit is %d", all, maxContextAll)
	}
	published := maps.Clone(values)
	for key, value := range published {
		published[key] = slices.Clone(value)
	}
	r.context[panel] = published
	return nil
}

// The manifest may no longer declare the key. The caller holds r.mu.
func (r *Registry) publishedBy(panel, key string, declared []string) (json.RawMessage, bool) {
	value, ok := r.context[panel][key]
	return value, ok && slices.Contains(declared, key)
}
