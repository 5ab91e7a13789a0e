package cli

import (
	"fmt"
	"net/url"

	"sextant/app/instance"
	"sextant/backend/api/mcpserver"
)

func mcpInstance(i instance.Client) (mcpserver.Instance, error) {
	u, err := url.Parse(i.URL)
	if err != nil {
		return mcpserver.Instance{}, fmt.Errorf("reading the instance file: %w", err)
	}
	return mcpserver.Instance{Host: u.Host, Token: i.Token}, nil
}
