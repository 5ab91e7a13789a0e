package config

import "testing"

func TestSettingsHaveOneMeaningAndValidDefaults(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Keys() {
		if seen[k.Name] {
			t.Errorf("%s is defined twice", k.Name)
		}
		seen[k.Name] = true
		if k.Default == "" {
			continue
		}
		if err := CheckValue(k.Name, k.Default); err != nil {
			t.Errorf("default of %s: %v", k.Name, err)
		}
	}
	for _, name := range []string{"search_provider", "search_key", "search_cx", "search_url"} {
		if !seen[name] {
			t.Errorf("web_search needs %s", name)
		}
	}
}
