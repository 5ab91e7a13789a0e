package app

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/policy/redact"
	"sextant/shared/toolspec"
)

// The alphabets that issuers of keys use.
const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	hexes  = "0123456789abcdef"
	word   = digits + upper + lower
)

func random(t *testing.T, alphabet string, n int) string {
	t.Helper()
	var b strings.Builder
	for range n {
		i, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteByte(alphabet[i.Int64()])
	}
	return b.String()
}

// knownKinds makes values as their issuers document them; nothing in them was ever valid.
func knownKinds(t *testing.T) []func() string {
	t.Helper()
	r := func(alphabet string, n int) string { return random(t, alphabet, n) }
	b64 := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return []func() string{
		func() string { return "AKIA" + r(upper+"234567", 16) },
		func() string { return r(word+"+/", 40) }, // the secret beside an AWS key
		func() string { return "ghp_" + r(word, 36) },
		func() string { return "github_pat_" + r(word, 22) + "_" + r(word, 59) },
		func() string { return "glpat-" + r(word+"-_", 20) },
		func() string { return "xoxb-" + r(digits, 12) + "-" + r(digits, 13) + "-" + r(word, 24) },
		func() string {
			return "https://hooks.slack.com/services/T" + r(upper+digits, 8) + "/B" + r(upper+digits, 10) + "/" +
				r(word, 24)
		},
		func() string { return "sk_live_" + r(word, 24) },
		func() string { return "whsec_" + r(word, 32) },
		func() string { return "AIza" + r(word+"-_", 35) },
		func() string { return "GOCSPX-" + r(word+"-_", 28) },
		func() string { return "sk-proj-" + r(word+"-_", 74) },
		func() string { return "sk-ant-api03-" + r(word+"-_", 93) + "AA" },
		func() string {
			return b64(`{"alg":"HS256","typ":"JWT"}`) + "." + b64(`{"sub":"`+r(digits, 10)+`"}`) + "." +
				r(word+"-_", 43)
		},
		func() string { return privateKey(t) },
		func() string { return shortKey(t) },
		func() string {
			return "postgres://app:" + r(word+"!$*", 18) + "@db.internal.example:5432/app?sslmode=require"
		},
		func() string {
			return "mongodb+srv://root:" + r(word, 20) + "@cluster0." + r(lower, 5) + ".example.net/prod"
		},
		func() string { return "ana:" + r(word+"#&% ", 16) + "x" }, // for basic auth
		func() string { return "session=" + r(hexes, 32) + "; csrf=" + r(word, 24) },
		func() string { return "npm_" + r(word, 36) },
		func() string { return "pypi-AgEIcHlwaS5vcmc" + r(word+"-_", 80) },
		func() string { return "SK" + r(hexes, 32) }, // Twilio
		func() string { return "SG." + r(word+"-_", 22) + "." + r(word+"-_", 43) },
		func() string { return r(digits, 10) + ":AA" + r(word+"-_", 33) }, // Telegram
		func() string { return "hf_" + r(word, 34) },
		func() string { return "dop_v1_" + r(hexes, 64) },
		func() string { return "shpat_" + r(hexes, 32) },
		func() string { return "DefaultEndpointsProtocol=https;AccountKey=" + r(word+"+/", 86) + "==" },
		func() string { return `pässwörd "` + r(word, 8) + `" <&\` + r(word, 6) + "'>" },
	}
}

func privateKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func shortKey(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// makeSecrets returns n secrets, by name, of each known kind in turn.
func makeSecrets(t *testing.T, n int) map[string]string {
	t.Helper()
	kinds := knownKinds(t)
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf("s%02d", i)] = kinds[i%len(kinds)]()
	}
	return all
}

// TestMaskingOfUndeclaredSecrets logs how many undeclared secrets are masked: by their shape alone, in a page's
// traffic, and in the audit log after a file was read.
func TestMaskingOfUndeclaredSecrets(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{})
	values := makeSecrets(t, 100)
	shapes, traffic := 0, 0
	rows := &artefacts{}
	for name, value := range values {
		if masked := redact.New(nil).Text(value, "a text"); masked != value {
			shapes++
		}
		body, err := json.Marshal(map[string]string{"api_key": value, "note": "for " + name})
		if err != nil {
			t.Fatal(err)
		}
		masked := redact.New(nil).Body("application/json", string(body), "a body", false)
		if !strings.Contains(masked, value) && strings.Contains(masked, "note") {
			traffic++
		}
		path := filepath.Join(flags["workspace"], name+".txt")
		if err := os.WriteFile(path, []byte("it is "+value), 0o600); err != nil {
			t.Fatal(err)
		}
		args, err := json.Marshal(map[string]string{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		r := sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: "read_file", Args: args,
			From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"},
		})
		if !r.Success {
			t.Fatal(r.Error)
		}
	}
	sys.Close()
	_, stdout, _ := verb(t, flags, "audit", "export")
	rows.add("audit", []byte(stdout))
	if shapes < 50 || traffic != len(values) {
		t.Errorf("%d of %d known by their shape, %d under a telling name", shapes, len(values), traffic)
	}
	t.Logf("of %d that nobody declared: %d are masked by shape and %d under a telling name in a page's traffic; %d "+
		"stand in the audit log of reads", len(values), shapes, traffic, len(rows.find(values)))
}
