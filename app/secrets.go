package app

import (
	"encoding/json"
	"log/slog"
	"path/filepath"

	"sextant/app/config"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/sandbox/secrets"
)

// openSecrets opens the person's secrets first of all, so that nothing is logged or kept before
// they are known.
func (s *System) openSecrets() error {
	v, err := OpenVault(s.Config, s.Log)
	if err != nil {
		return err
	}
	s.Secrets = v
	s.OnClose("secrets", v.Close)
	s.Log = slog.New(secrets.NewLogHandler(s.Log.Handler(), v))
	for _, k := range config.Keys() {
		if !k.Secret {
			continue
		}
		if err := v.ImportKeyFile(k.Name); err != nil {
			// It is read from its old file until it can be moved.
			s.Log.Warn("a key stays in its file", "key", k.Name, "error", err)
		}
	}
	return nil
}

// OpenVault opens the secrets of a data folder.
func OpenVault(config *config.Config, log *slog.Logger) (*secrets.Vault, error) {
	c := secrets.Config{Dir: filepath.Join(config.DataDir, "secrets"), Log: log}
	if value, _, fixed := config.Fixed("keychain"); fixed && value == "off" {
		c.NoKeychainReason = "the setting keychain is off"
	} else {
		c.Keychain, c.NoKeychainReason = secrets.DesktopKeychain(config.DataDir)
	}
	return secrets.Open(c)
}

// masked is v without the values of secrets: what the page in front is called may hold one.
func masked[T any](vault *secrets.Vault, v T) T {
	b, err := json.Marshal(v)
	if err != nil {
		return v
	}
	shown := vault.MaskJSON(b)
	if string(shown) == string(b) {
		return v
	}
	var out T
	if json.Unmarshal(shown, &out) != nil {
		return out // less is told rather than more
	}
	return out
}

// mcpCommand is the command line of an MCP server that is a program, "" for none.
func (s *System) mcpCommand(server string) string {
	return mcpconfig.CommandOf(filepath.Join(s.Config.ConfigDir, mcpconfig.FileName), server)
}
