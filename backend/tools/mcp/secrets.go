package mcp

import (
	"net/url"

	"sextant/backend/guard/secrets"
	"sextant/backend/tools/panels/child"
)

// CommandOf is the command line of the server that is a program in the config at path, "" when there is
// none of that name. A secret that is bound to it is given to exactly this command.
func CommandOf(path, name string) string {
	text, err := readConfig(path)
	if err != nil {
		return ""
	}
	entries, _, err := parseConfig(text)
	if e, ok := entries[name]; err == nil && ok && e.Command != "" {
		return child.Line(e.Command, e.Args)
	}
	return ""
}

// env is the value of a variable for the server's program, secrets put in.
func (v *server) env(value string) (string, error) {
	return v.filled(value, secrets.Sink{
		Place: secrets.Env, Origin: secrets.Server(v.name), Command: child.Line(v.entry.Command, v.entry.Args),
	})
}

// headers are the config's for the server at u, secrets put in.
func (v *server) headers(u *url.URL) (map[string]string, error) {
	all := map[string]string{}
	for name, value := range v.entry.Headers {
		filled, err := v.filled(value, secrets.Sink{Place: secrets.Header, Origin: u.Scheme + "://" + u.Host})
		if err != nil {
			return nil, err
		}
		all[name] = filled
	}
	return all, nil
}

func (v *server) filled(text string, sink secrets.Sink) (string, error) {
	if v.owner.cfg.Secrets == nil {
		return text, nil
	}
	return v.owner.cfg.Secrets.Fill(text, sink, nil)
}
