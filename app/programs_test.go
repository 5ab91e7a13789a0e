package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"sextant/shared/wire"
)

func TestThePersonSeesAndDisconnectsMCPClients(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, Purpose{Serve: true})
	window := windowOf(t, sys)
	list := func() wire.Programs {
		t.Helper()
		status, b := window.do(http.MethodGet, "/api/programs", nil)
		var told wire.Programs
		if err := json.Unmarshal(b, &told); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, b)
		}
		return told
	}
	if status, b := clientOf(t, sys).do(http.MethodGet, "/api/programs", nil); status != http.StatusForbidden {
		t.Errorf("a program reads who is there: %d %s", status, b)
	}
	if told := list(); len(told.Programs) != 0 || told.Token != sys.Token() || told.Session == "" ||
		!slices.Contains(told.Args, flags["data"]) {
		t.Errorf("before anybody came: %+v", told)
	}
	joined := speak(t, flags, "joined", nil)
	joined.does("navigate_page", map[string]any{"url": "demo"})
	visit(t, sys, "shares", "?share=true", "2026-07-28", nil).does("browser_tabs", nil)
	told := list().Programs
	if len(told) != 2 || told[0].Name != "shares" || !told[0].Shares || told[0].Via != "http" ||
		told[1].Name != "joined" || told[1].Via != "stdio" || told[1].Calls != 1 || told[1].Tabs != 1 ||
		told[1].Shares {
		t.Fatalf("%+v", told)
	}
	for _, p := range told {
		if status, b := window.do(http.MethodDelete, "/api/programs/"+p.ID, nil); status != http.StatusOK {
			t.Errorf("%d %s", status, b)
		}
	}
	awaits(t, "both are gone", func() bool { return len(list().Programs) == 0 })
	if status, _ := window.do(http.MethodDelete, "/api/programs/"+told[0].ID, nil); status != http.StatusNotFound {
		t.Errorf("one that is gone is sent away: %d", status)
	}
}
