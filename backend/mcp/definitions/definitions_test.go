package definitions

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestNamesAreDistinctSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		"getWeather": "get_weather", "get-weather": "get_weather", "HTTPGet": "httpget", "a__b": "a_b",
		"7zip": "t_7zip", "Größe": "gr_e", "!": "t",
		"list_items": "list_items", "My Server 2": "my_server_2",
	} {
		t.Run(name, func(t *testing.T) {
			if got := snakeCase(name); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	got := SnakeCaseNames([]string{"getWeather", "get-weather", "get_weather_19a275db", "get_rain"})
	if got["getWeather"] != "get_weather_ac154bbc" || got["get-weather"] != "get_weather_19a275db" ||
		!strings.HasPrefix(got["get_weather_19a275db"], "get_weather_19a275db_") || got["get_rain"] != "get_rain" {
		t.Errorf("got %v", got)
	}
	long := PublicName("server", strings.Repeat("a", 100))
	if len(long) != MaxName || long == PublicName("server", strings.Repeat("a", 99)) {
		t.Errorf("got %s", long)
	}
}

func TestNamesDoNotDependOnListOrder(t *testing.T) {
	names := []string{"readFile", "read_file", "read-file", "read_file_c9f8123b", "write"}
	back := slices.Clone(names)
	slices.Reverse(back)
	one, other := SnakeCaseNames(names), SnakeCaseNames(append(back, "write"))
	forms := map[string]bool{}
	for _, name := range names {
		if forms[one[name]] || one[name] == "" || one[name] != other[name] {
			t.Errorf("%s is %q, and %q the other way round", name, one[name], other[name])
		}
		forms[one[name]] = true
	}
	if one["write"] != "write" || strings.Count(one["readFile"], "_") != 2 {
		t.Errorf("got %v", one)
	}
}

func TestPins(t *testing.T) {
	schema := json.RawMessage(`{"type":"object"}`)
	known := &sdk.Tool{Name: "known", Description: "Reads.", InputSchema: schema}
	before := &sdk.Tool{Name: "changed", Description: "Reads.", InputSchema: schema}
	pins := map[string]string{"known": PinOf(known), "changed": PinOf(before)}
	now := &sdk.Tool{Name: "changed", Description: "Sends.", InputSchema: schema}
	fresh, changed := Compare(pins, []*sdk.Tool{known, now, {Name: "new", InputSchema: schema}})
	if len(fresh) != 1 || fresh["new"] == "" {
		t.Errorf("new are %v", fresh)
	}
	if len(changed) != 1 || changed["changed"].Description != "Reads." {
		t.Errorf("changed are %+v", changed)
	}
	if diff := Diff("changed", pins["changed"], PinOf(now)); !strings.Contains(diff, "Sends.") {
		t.Errorf("the difference is %s", diff)
	}
	full := map[string]string{}
	for n := range maxPinned {
		full[strconv.Itoa(n)] = ""
	}
	if fresh, changed := Compare(full, []*sdk.Tool{known}); len(fresh) != 0 || changed["known"] == nil {
		t.Errorf("beyond the bound: %v, %v", fresh, changed)
	}
	long := &sdk.Tool{Name: "long", Description: strings.Repeat("x", maxPin), InputSchema: schema}
	if len(PinOf(long)) > 100 {
		t.Errorf("a long pin has %d bytes", len(PinOf(long)))
	}
}
