package policy

import (
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (in Input) secrets(uses ...toolspec.SecretUse) Input { in.Description.Secrets = uses; return in }

// It asks also in the mode Full, where nothing else does, and on a page whose address a person typed.
func TestAsksOncePerHostForSecret(t *testing.T) {
	use := toolspec.SecretUse{Name: "github", Place: "header", Origin: "https://api.github.com"}
	request := baselineCall("web", "http_request", `{"url":"https://api.github.com/user"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.github.com").
		about("GET https://api.github.com/user", "Authorization: Bearer {{secret:github}}")
	request.UsedHosts = []string{"api.github.com"}
	for _, mode := range []Mode{ModeAsk, ModeWorkspace, ModeFull} {
		t.Run(string(mode), func(t *testing.T) {
			in := request.mode(mode)
			wantVerdict(t, in, VerdictAllow)
			d := wantVerdict(t, in.secrets(use), VerdictAsk)
			if a := d.Approval; !strings.Contains(a.Question, "{{secret:github}}") ||
				!strings.Contains(a.Question, "api.github.com") ||
				!strings.Contains(a.Reason, "secret github into the header of a request to https://api.github.com") {
				t.Errorf("asked %q because %q", a.Question, a.Reason)
			}
			again := in.secrets(use)
			again.UsedSecrets = []toolspec.SecretUse{use}
			wantVerdict(t, again, VerdictAllow)
			elsewhere := use
			elsewhere.Place = "query"
			again.Description.Secrets = []toolspec.SecretUse{use, elsewhere}
			wantVerdict(t, again, VerdictAsk)
		})
	}
	typed := pageCall("type_text",
		`{"annotationId":3,"text":"{{secret:shop}}"}`).hosts("shop.example").typedHosts("shop.example").about("",
		"{{secret:shop}}")
	wantVerdict(t, typed, VerdictAllow)
	wantVerdict(t, typed.secrets(toolspec.SecretUse{Name: "shop", Place: "field", Origin: "https://shop.example"}),
		VerdictAsk)
	wantVerdict(t, request.secrets(use).alone(), VerdictRefuse)
}

func TestGrantCoversOnlyNamedSecrets(t *testing.T) {
	use := toolspec.SecretUse{Name: "github", Place: "header", Origin: "https://api.github.com"}
	other := toolspec.SecretUse{Name: "bank", Place: "header", Origin: "https://api.github.com"}
	plain := baselineCall("web", "http_request", `{"url":"https://api.github.com/user"}`,
		toolspec.Hints{OpenWorld: true}).hosts("api.github.com")
	without := wantVerdict(t, plain, VerdictAsk).Grants[event.AnswerAlways]
	with := wantVerdict(t, plain.secrets(use), VerdictAsk).Grants[event.AnswerAlways]
	if !strings.Contains(with.Text, "with the secret github") {
		t.Errorf("the grant says %q", with.Text)
	}
	wantVerdict(t, plain.with(without), VerdictAllow)
	wantVerdict(t, plain.secrets(use).with(without), VerdictAsk)
	wantVerdict(t, plain.secrets(use).with(with), VerdictAllow)
	wantVerdict(t, plain.secrets(use, other).with(with), VerdictAsk)
	wantVerdict(t, plain.hosts("evil.example").secrets(use).with(with), VerdictAsk)
	tainted := plain.secrets(use).read("https://page.example")
	tainted.UsedSecrets = []toolspec.SecretUse{use}
	d := wantVerdict(t, tainted.with(with), VerdictAsk)
	if len(d.Grants) != 0 {
		t.Errorf("with outside text a grant is offered: %+v", d.Grants)
	}
}
