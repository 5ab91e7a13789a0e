package mcpapps

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// mailFields are allowed in a mailto address. In some mail programs, another field would attach a file.
var mailFields = []string{"to", "cc", "bcc", "subject", "body"}

const maxMailAddress = 2000

// OpenMail opens a mailto address in the person's mail program, without fields other than recipients, subject and body.
// The caller must have asked the person.
func (s *Service) OpenMail(address string) error {
	plain, err := mailAddress(address)
	if err != nil {
		return err
	}
	if err := s.cfg.OpenMail(plain); err != nil {
		return fmt.Errorf("no program for mail could be opened: %w", err)
	}
	return nil
}

func mailAddress(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mailto" || len(address) > maxMailAddress || strings.HasPrefix(u.Opaque, "-") {
		return "", fmt.Errorf("%.80q is not a mailto address", address)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", fmt.Errorf("%.80q is not a mailto address", address)
	}
	var fields []string
	for name, values := range query {
		if name = strings.ToLower(name); len(values) > 0 && slices.Contains(mailFields, name) {
			// Mail programs do not read a plus sign as a space.
			fields = append(fields, name+"="+strings.ReplaceAll(url.QueryEscape(values[0]), "+", "%20"))
		}
	}
	slices.Sort(fields)
	return (&url.URL{Scheme: "mailto", Opaque: u.Opaque, RawQuery: strings.Join(fields, "&")}).String(), nil
}
