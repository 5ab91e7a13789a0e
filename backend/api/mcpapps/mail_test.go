package mcpapps

import "testing"

func TestMailAddressNamesNoFiles(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"mailto:ana@example.com": "mailto:ana@example.com",
		"mailto:ana@example.com?subject=Hi%20you&attach=/etc/passwd":   "mailto:ana@example.com?subject=Hi%20you",
		"mailto:?to=a@b.example&Attachment=x&BODY=1%2B1&insert=~/.pgp": "mailto:?body=1%2B1&to=a%40b.example",
		"mailto:a@b.example?attach=/etc/passwd":                        "mailto:a@b.example",
		"https://example.com":                                          "",
		"mailto:--attach=/etc/passwd":                                  "",
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			got, err := mailAddress(address)
			if got != want || (err != nil) != (want == "") {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}
