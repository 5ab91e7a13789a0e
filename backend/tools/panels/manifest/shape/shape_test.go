package shape

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEveryExampleOfTheSchemaFitsItsPlace(t *testing.T) {
	var all func(at string, s *Shape)
	all = func(at string, s *Shape) {
		if s.Sample != "" && !json.Valid([]byte(s.Sample)) {
			t.Errorf("%s: %s is no JSON", at, s.Sample)
		}
		if s.about == "" && at != "" && !strings.Contains(at, "|") && !strings.HasSuffix(at, "[]") {
			t.Errorf("%s has no description", at)
		}
		for _, m := range s.Members {
			all(at+"/"+m.Name, m.Shape)
		}
		for _, e := range s.Either {
			all(at+"|", e)
		}
		if s.Items != nil {
			all(at+"[]", s.Items)
		}
		if s.Values != nil {
			all(at+"[]", s.Values)
		}
	}
	all("", Manifest())
}
