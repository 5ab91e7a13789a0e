package app

import (
	"sextant/app/config"
	httpapi "sextant/backend/api/http"
)

// Generated returns every file that is generated from Go, by path from the repository's root.
func Generated() (map[string][]byte, error) {
	openapi, err := httpapi.OpenAPI("1")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"docs/configuration.md": []byte(config.Markdown()),
		"frontend/openapi.json": openapi,
	}, nil
}
