package app

import (
	"sextant/app/config"
	httpapi "sextant/backend/api/http"
)

// GeneratedFiles returns all files that are generated from Go. The keys are paths relative to the repository's root.
func GeneratedFiles() (map[string][]byte, error) {
	openapi, err := httpapi.OpenAPI("1")
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"docs/configuration.md": []byte(config.Markdown()),
		"frontend/openapi.json": openapi,
	}, nil
}
