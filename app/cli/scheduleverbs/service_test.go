package scheduleverbs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnitFileIsValid(t *testing.T) {
	text := unitText("/usr/bin/env", []string{
		"SEXTANT_DATA=/home/ana/a \"b\" 100% $5", "SEXTANT_OPENAI_API_KEY=secret", "SEXTANT_CONFIG=", "HOME=/home/ana",
	})
	if !strings.Contains(text, `Environment="SEXTANT_DATA=/home/ana/a \"b\" 100%% $5"`) ||
		strings.Contains(text, "secret") || strings.Contains(text, "SEXTANT_CONFIG") {
		t.Errorf("the unit is\n%s", text)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	file := filepath.Join(t.TempDir(), serviceName)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
	if err != nil || strings.Contains(string(out), serviceName+":") {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}
