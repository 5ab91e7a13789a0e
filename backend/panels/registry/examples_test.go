package registry

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestSampleGlossary(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	copyTree(t, "../../../docs/examples/glossary", filepath.Join(root, "glossary"))
	waitFor(t, r, "glossary")
	mustSucceed(t, call(t, r, "glossary_define", `{"word":"ballast","meaning":"Weight low in a ship"}`))
	if was := mustSucceed(t, call(t, r, "glossary_define",
		`{"word":"ballast","meaning":"Weight that keeps a ship upright"}`)); !strings.Contains(was, "low in a ship") {
		t.Errorf("it does not tell the meaning before: %s", was)
	}
	if found := mustSucceed(t, call(t, r, "glossary_find", `{"query":"upright"}`)); !strings.Contains(found,
		"ballast") {
		t.Errorf("found %s", found)
	}
	mustFail(t, call(t, r, "glossary_forget", `{"word":"keel"}`), toolspec.UserError, "“keel” is not in the glossary",
		"ballast")
	mustSucceed(t, call(t, r, "glossary_forget", `{"word":"ballast"}`))
}

func TestSampleMeter(t *testing.T) {
	t.Parallel()
	service := exec.CommandContext(t.Context(), "node", "../../../docs/examples/meter/service.mjs",
		filepath.Join(t.TempDir(), "readings.json"))
	service.Env = append(os.Environ(), "PORT=0")
	out, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "meter on "))

	r, _, root := started(t, nil)
	text, err := os.ReadFile("../../../docs/examples/meter/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/examples/meter/page.json")
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "meter", map[string]string{"manifest.json": strings.Replace(string(text), "http://127.0.0.1:8800", url,
		1), "page.json": string(page)})
	waitFor(t, r, "meter")
	mustSucceed(t, call(t, r, "meter_read", `{"kwh":100,"day":"2026-11-01"}`))
	if used := mustSucceed(t, call(t, r, "meter_read", `{"kwh":150,"day":"2026-11-11"}`)); !strings.Contains(used,
		`"used":50`) {
		t.Errorf("used %s", used)
	}
	mustFail(t, call(t, r, "meter_read", `{"kwh":120,"day":"2026-11-12"}`), toolspec.ValidationError,
		"showed 150 already")
	if shown := mustSucceed(t, call(t, r, "meter_show", `{"days":3660}`)); !strings.Contains(shown, `"perDay":5`) {
		t.Errorf("shows %s", shown)
	}
	mustSucceed(t, call(t, r, "meter_remove", `{"day":"2026-11-11"}`))
}
