package app

import (
	"fmt"
	"strings"

	httpapi "sextant/backend/api/http"
)

// ConfigurationDoc is docs/configuration.md, made from Keys.
func ConfigurationDoc() string {
	var b strings.Builder
	b.WriteString("# Configuration\n\nGenerated from `app/keys.go` by `make generate`; do not edit.\n\n")
	b.WriteString("The strongest source wins: command line flag, environment variable, `config.toml`, what was set in the window, default.\n\n")
	b.WriteString("`config.toml` and `mcp-config.json` are looked for in `$SEXTANT_CONFIG`, else `$XDG_CONFIG_HOME/sextant`, else `~/.config/sextant`.\n")
	b.WriteString("Data (SQLite, browser profile, pictures, your panels) is kept in `$SEXTANT_DATA`, else `$XDG_DATA_HOME/sextant`, else `~/.local/share/sextant`.\n\n")
	b.WriteString("| setting | variable | default | in the window | what it does |\n|---|---|---|---|---|\n")
	for _, k := range Keys() {
		window, def, doc := "no", k.Default, k.Doc
		if k.Window {
			window = "yes"
		}
		if def == "" {
			def = "–"
		} else {
			def = "`" + def + "`"
		}
		if k.OneOf != nil {
			doc += " One of `" + strings.Join(k.OneOf, "`, `") + "`."
		}
		fmt.Fprintf(&b, "| `%s` | `SEXTANT_%s` | %s | %s | %s |\n", k.Name, strings.ToUpper(k.Name), def, window, doc)
	}
	return b.String()
}

// Generated is every file made from Go, by path from the repository's root.
func Generated() (map[string][]byte, error) {
	openapi, err := httpapi.OpenAPI("1")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"docs/configuration.md": []byte(ConfigurationDoc()),
		"frontend/openapi.json": openapi,
	}, nil
}
