package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"sextant/shared/wire"
)

func TestPersonSeesAndDisconnectsMCPClients(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	list := func() wire.Programs {
		t.Helper()
		status, b := window.do(http.MethodGet, "/api/programs", nil)
		var programs wire.Programs
		if err := json.Unmarshal(b, &programs); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, b)
		}
		return programs
	}
	if status, b := clientOf(t, sys).do(http.MethodGet, "/api/programs", nil); status != http.StatusForbidden {
		t.Errorf("a program lists the clients: %d %s", status, b)
	}
	if programs := list(); len(programs.Programs) != 0 || programs.Token != sys.Token() || programs.Session == "" ||
		!slices.Contains(programs.Args, flags["data"]) {
		t.Errorf("before any client connected: %+v", programs)
	}
	joined := speak(t, flags, "joined", nil)
	joined.does("navigate_page", map[string]any{"url": "demo"})
	visit(t, sys, "shares", "?share=true", "2026-07-28", nil).does("browser_tabs", nil)
	programs := list().Programs
	if len(programs) != 2 || programs[0].Name != "shares" || !programs[0].SharesTabs ||
		programs[0].Transport != "http" ||
		programs[1].Name != "joined" || programs[1].Transport != "stdio" || programs[1].Calls != 1 ||
		programs[1].Tabs != 1 ||
		programs[1].SharesTabs {
		t.Fatalf("%+v", programs)
	}
	for _, p := range programs {
		if status, b := window.do(http.MethodDelete, "/api/programs/"+p.ID, nil); status != http.StatusOK {
			t.Errorf("%d %s", status, b)
		}
	}
	awaits(t, "both are gone", func() bool { return len(list().Programs) == 0 })
	if status, _ := window.do(http.MethodDelete, "/api/programs/"+programs[0].ID, nil); status != http.StatusNotFound {
		t.Errorf("a disconnected client is disconnected again: %d", status)
	}
}
