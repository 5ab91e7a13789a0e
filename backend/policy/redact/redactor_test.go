package redact

import (
	"strings"
	"testing"
)

func TestBodyHidesSecrets(t *testing.T) {
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl"
	for name, c := range map[string]struct {
		kind, text string
		asked      bool
		want       string
	}{
		"a form": {
			"application/x-www-form-urlencoded",
			"user=ana&password=hunter2&csrf_token=a%2Bb&lang=en", true, "user=ana&password=•••&csrf_token=•••&lang=en",
		},
		"a form of no kind": {"", "q=lamp&code=4711&page=2", true, "q=lamp&code=•••&page=2"},
		"JSON in a form": {
			"application/x-www-form-urlencoded", "d=%7B%22pin%22%3A4711%2C%22a%22%3A1%7D", true,
			"d=%7B%22pin%22%3A%22%E2%80%A2%E2%80%A2%E2%80%A2%22%2C%22a%22%3A1%7D",
		},
		"a form of several parts": {
			"multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nana\r\n--x\r\nContent-Disposition: " +
				"form-data; name=\"passwd\"\r\n\r\nhun\r\nter2\r\n--x--\r\n", true,
			"--x\r\nContent-Disposition: form-data; name=\"user\"\r\n\r\nana\r\n--x\r\nContent-Disposition: " +
				"form-data; name=\"passwd\"\r\n\r\n•••\r\n--x--\r\n",
		},
		"JSON": {
			"application/json",
			`{"user": "ana", "accessToken" : "abc", "n": [1, 2], "expires_in":3600, "token_type":"bearer"}`, false,
			`{"user": "ana", "accessToken" : "•••", "n": [1, 2], "expires_in":3600, "token_type":"bearer"}`,
		},
		"all under a secret name": {
			"application/json",
			`{"credentials":{"user":"ana","list":["a",{"b":"c"}],"on":true}}`, false,
			`{"credentials":{"user":"•••","list":["•••",{"b":"•••"}],"on":true}}`,
		},
		"JSON in JSON": {
			"application/json", `{"body":"{\"password\":\"x\",\"a\":1}"}`, true,
			`{"body":"{\"password\":\"•••\",\"a\":1}"}`,
		},
		"harmless codes": {
			"application/json",
			`{"code":404,"error":{"code":"NOT_FOUND"},"key":"title","usage":{"total_tokens":512},"state":"CA"}`, false,
			`{"code":404,"error":{"code":"NOT_FOUND"},"key":"title","usage":{"total_tokens":512},"state":"CA"}`,
		},
		"a code to log in": {
			"application/json", `{"code":"847291","key":"b41f99"}`, false,
			`{"code":"•••","key":"•••"}`,
		},
		"cut JSON": {"application/json", `{"a":1,"password":"hunt`, false, `{"a":1,"password":"•••"`},
		"lines of JSON": {
			"", "{\"token\":\"a\"}\n{\"token\":\"b\",\"x\":1}\n", false,
			"{\"token\":\"•••\"}\n{\"token\":\"•••\",\"x\":1}\n",
		},
		"a stream of events": {
			"text/event-stream", "event: in\ndata: {\"token\":\"abc\",\"n\":1}\n\n", false,
			"event: in\ndata: {\"token\":\"•••\",\"n\":1}\n\n",
		},
		"HTML": {
			"text/html",
			`<p>Your token</p><input type=hidden name="csrf" value="q7"><input name=who value=ana><meta content='t0k3n-1' name=csrf-token><input type=password value=abc>`, false, `<p>Your token</p><input type=hidden name="csrf" value="•••"><input name=who value=ana><meta content="•••" name=csrf-token><input type=password value="•••">`,
		},
		"a script": {
			"text/javascript", `const apiKey = 'abc', kind = 'x'; f({code: "ok", secret:"s"})`,
			false, `const apiKey = "•••", kind = 'x'; f({code: "ok", secret:"•••"})`,
		},
		"XML": {
			"application/xml", `<a><name>ana</name><password>abc</password></a>`, false,
			`<a><name>ana</name><password>•••</password></a>`,
		},
		"plain words": {"text/plain", "ping", true, "ping"},
		"basic information": {
			"text/plain", "Here is some basic information about bearer bonds.", false,
			"Here is some basic information about bearer bonds.",
		},
		"keys by their shape": {"text/plain", "a ghp_0123456789abcdefghijABCDEFGHIJ0123 b AKIAIOSFODNN7EXAMPLE c " +
			jwt + " d sk_live_0123456789abcdef e Bearer abc123def456", false, "a ••• b ••• c ••• d ••• e Bearer •••"},
		"a private key": {
			"text/plain",
			"x -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- y", false, "x ••• y",
		},
		"a private key in JSON": {
			"application/json",
			`{"pem":"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\n","a":1}`, false,
			`{"pem":"•••\n","a":1}`,
		},
		"addresses in text": {
			"text/plain", "see https://ana:hunter2@x.example/a?b=c&token=abc#access_token=d",
			false, "see https://ana:•••@x.example/a?b=c&token=•••#access_token=•••",
		},
		"deep nesting": {
			"application/json", strings.Repeat("[", 100_000), false,
			strings.Repeat("[", 100_000),
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := New(nil)
			if got := v.Body(c.kind, c.text, "the body", c.asked); got != c.want {
				t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
			}
			if n, kinds := v.CountHidden(); n != strings.Count(c.want, "•••")+
				strings.Count(c.want, "%E2%80%A2%E2%80%A2%E2%80%A2") || n > 0 && len(kinds) == 0 {
				t.Errorf("%s: %d values count as hidden, of the kinds %q", name, n, kinds)
			}
		})
	}
}

func TestHeaderAndAddressHideSecrets(t *testing.T) {
	v := New(nil)
	for name, c := range map[string][2]string{
		"Authorization":                    {"Bearer x", "•••"},
		"Set-Cookie":                       {"id=1; Path=/", "•••"},
		"x-api-key":                        {"abc", "•••"},
		"X-Auth":                           {"abc", "•••"},
		"Location":                         {"/in?code=4711&next=/", "/in?code=•••&next=/"},
		"Content-Type":                     {"text/html", "text/html"},
		"WWW-Authenticate":                 {`Basic realm="Vault"`, `Basic realm="Vault"`},
		"Access-Control-Allow-Credentials": {"true", "true"},
		"X-Kind":                           {"k", "k"},
		"Sec-Fetch-Mode":                   {"cors", "cors"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := v.Header(name, c[0], "the headers"); got != c[1] {
				t.Errorf("%s: %s is shown as %s", name, c[0], got)
			}
		})
	}
	want := "https://x.example/a?q=lamp&session=•••&state=CA"
	if got := v.Address("https://x.example/a?q=lamp&session=abc&state=CA"); got != want {
		t.Error(got)
	}
}

func TestHidesKnownSecretInEveryEncoding(t *testing.T) {
	for _, text := range []string{
		`{"f7":"a \"b\" & ü9"}`, "f7=a+%22b%22+%26+%C3%BC9", "f7=a%20%22b%22%20&%20%C3%BC9", `x a "b" & ü9 y`,
		"<p>a &#34;b&#34; &amp; ü9</p>",
	} {
		t.Run(text, func(t *testing.T) {
			v := New([]string{`a "b" & ü9`, "abc"})
			got := v.Body("", text, "the body", false)
			if n, kinds := v.CountHidden(); n != 1 || strings.Contains(got, "9") ||
				kinds[0] != "what a password field got in the body" {
				t.Errorf("%s: %s, %d %q", text, got, n, kinds)
			}
		})
	}
	if got := New([]string{"abc"}).Text("abc", "x"); got != "abc" {
		t.Errorf("a secret that is too short is hidden: %s", got)
	}
}

func FuzzBody(f *testing.F) {
	f.Add("application/json", `{"a":[1,"b`)
	f.Add("text/html", `<input name=csrf value=`)
	f.Fuzz(func(t *testing.T, kind, text string) {
		v := New([]string{"hunter2hunter2"})
		if got := v.Body(kind, text+"hunter2hunter2", "x", true); strings.Contains(got, "hunter2hunter2") {
			t.Errorf("%q is shown as %q", text, got)
		}
	})
}
