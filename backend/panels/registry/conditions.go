package registry

import (
	"encoding/json"
	"runtime"

	"sextant/backend/panels/manifest/condition"
)

// conditionsHold reports whether the conditions of o and of its panel are true while active is the id of the active
// panel. In them, a setting has its default whatever the user has set.
func (r *Registry) conditionsHold(o *callable, active string) bool {
	if o.Condition == nil && o.condition == nil {
		return true
	}
	values := map[string]any{
		"panel.active": o.Def.Owner == active, "panel.pinned": o.pinned, "platform": runtime.GOOS,
	}
	for name, field := range o.config {
		add(values, "config."+name, field.Default)
	}
	r.mu.Lock()
	published := r.context[o.Def.Owner]
	r.mu.Unlock()
	for key, raw := range published {
		add(values, key, raw)
	}
	for _, c := range []*condition.Expr{o.condition, o.Condition} {
		if c != nil && !c.Eval(values) {
			return false
		}
	}
	return true
}

// add sets a JSON value for key, unless the key has a value or raw is not JSON.
func add(values map[string]any, key string, raw json.RawMessage) {
	var value any
	if _, own := values[key]; !own && json.Unmarshal(raw, &value) == nil {
		values[key] = value
	}
}
