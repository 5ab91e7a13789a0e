package definitions

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesBecomeSnakeCaseAndStayDistinct(t *testing.T) {
	for name, want := range map[string]string{
		"getWeather": "get_weather", "get-weather": "get_weather", "HTTPGet": "httpget", "a__b": "a_b", "7zip": "t_7zip", "Größe": "gr_e", "!": "t",
		"list_items": "list_items", "My Server 2": "my_server_2",
	} {
		if got := snakeCase(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	got := Forms([]string{"getWeather", "get-weather", "get_weather_19a275db", "get_rain"})
	if got["getWeather"] != "get_weather_ac154bbc" || got["get-weather"] != "get_weather_19a275db" || !strings.HasPrefix(got["get_weather_19a275db"], "get_weather_19a275db_") || got["get_rain"] != "get_rain" {
		t.Errorf("got %v", got)
	}
	long := PublicName("server", strings.Repeat("a", 100))
	if len(long) != MaxName || long == PublicName("server", strings.Repeat("a", 99)) {
		t.Errorf("got %s", long)
	}
}

func TestTheOrderOfAListDecidesAboutNoName(t *testing.T) {
	names := []string{"readFile", "read_file", "read-file", "read_file_c9f8123b", "write"}
	back := slices.Clone(names)
	slices.Reverse(back)
	one, other := Forms(names), Forms(append(back, "write"))
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
