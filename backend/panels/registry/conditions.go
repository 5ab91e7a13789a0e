package registry

import (
	"encoding/json"
	"runtime"

	"sextant/backend/panels/manifest/condition"
)

// A setting has its default in conditions, whatever the user has set.
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

func add(values map[string]any, key string, raw json.RawMessage) {
	var value any
	if _, own := values[key]; !own && json.Unmarshal(raw, &value) == nil {
		values[key] = value
	}
}
