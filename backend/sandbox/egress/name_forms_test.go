package egress

import (
	"fmt"
	"strings"
)

// nameForms returns host names with what the resolver returns for them.
func nameForms() []addressForm {
	var all []addressForm
	for _, host := range strings.Fields(`localhost LOCALHOST localhost. LocalHost.:8080 a.localhost deep.under.localhost. ｌｏｃａｌｈｏｓｔ
		ⓛⓞⓒⓐⓛⓗⓞⓢⓣ public.example@localhost localhost:443 127.0.0.1.localhost`) {
		all = append(all, addressForm{via: "direct", text: "http://" + host + "/"})
	}
	private := append(privateIPv4(), privateIPv6()...)
	for i, a := range private {
		all = append(all, addressForm{via: "name", text: fmt.Sprintf("http://inward-%d.example/", i), answers: a})
	}
	for i, a := range privateIPv4() {
		all = append(
			all,
			addressForm{via: "name", text: fmt.Sprintf("http://mapped-%d.example/", i), answers: "::ffff:" + a},
			addressForm{via: "name", text: fmt.Sprintf("http://%s.rebind-%d.example/", a, i), answers: a + ",::1"},
			addressForm{open: true, via: "name", text: fmt.Sprintf("http://both-%d.example/", i), answers: a +
				",93.184.216.34"},
			addressForm{
				via:     "rebind",
				text:    fmt.Sprintf("http://turning-%d.example/", i),
				answers: "93.184.216.34," + a,
			},
		)
	}
	for _, host := range publicNames() {
		all = append(all, addressForm{open: true, via: "name", text: "http://" + host, answers: "93.184.216.34"})
	}
	for i, a := range append(publicIPv4(), publicIPv6()...) {
		text := fmt.Sprintf("http://outward-%d.example/", i)
		all = append(all, addressForm{open: true, via: "name", text: text, answers: a})
	}
	return all
}

// publicNames returns ordinary and unusual public names, each with a path.
func publicNames() []string {
	return strings.Fields(
		`public.example/ PUBLIC.Example/ public.example./ public.example:8080/ public.example:1/ public.example:65535/
		www.public.example/ a.b.c.d.e.f.public.example/ under_score.example/ _dmarc.public.example/ r3---sn-4g5e6nsz.public.example/
		-lead.example/ trail-.example/ 1.example/ 127.0.0.1.nip.public.example/ 0x7f.example/ 127-0-0-1.example/ 10.0.0.1.example/
		2130706433.example/ localhost.example/ notlocalhost.example/ mylocalhost.example/ xn--bcher-kva.example/ bücher.example/ BÜCHER.example/
		straße.example/ faß.example/ 例え.テスト/ 例え。テスト/ 例え．テスト/ xn--r8jz45g.xn--zckzah/ россия.рф/ ελλάδα.ελ/
		مثال.إختبار/ दिल्ली.भारत/ 한국.kr/ i❤.example/ 💩.example/ xn--ls8h.example/ ｐｕｂｌｉｃ.example/
		user@public.example/ user:word@public.example/ 127.0.0.1@public.example/ localhost:80@public.example/ 10.0.0.1:80@public.example:8080/
		%41:%42@public.example/ public.example/?u=http://127.0.0.1/ public.example/http://localhost/ public.example/#@127.0.0.1/
		public.example/127.0.0.1 public.example?x=1 public.example/%2e%2e/%00 public.example/a//b public.example/ü?q=ü
		aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example/ t.co/ a.io/ x.y/ com.example/ example.com.br/
		museum.museum/ s3.eu-west-1.amazonaws.example/ 4chan.example/ 9gag.example/ 0.example/ 00.example/ 1e100.example/ e1.example/`,
	)
}

// redirectForms returns redirects of a public server: to private addresses and to public ones.
func redirectForms() []addressForm {
	var all []addressForm
	inward := strings.Fields(
		`http://127.0.0.1/ http://localhost/ //127.0.0.1/ //localhost:8080/x ///127.0.0.1/ http://[::1]/ //[::1]:80/
		http://2130706433/ http://0x7f.1/ http://017700000001/ http://127.1/ http://①②⑦.0.0.1/ http://127。0。0。1/
		http://169.254.169.254/latest/meta-data/ http://[fd00:ec2::254]/latest/ http://[::ffff:10.0.0.1]/ http://[64:ff9b::a00:1]/
		http://public.example@127.0.0.1/ //user:word@127.0.0.1/ http://127.0.0.1#public.example http://127.0.0.1?public.example
		HTTP://LOCALHOST./ http://inward.example/ //inward.example/x https://127.0.0.1/ https://localhost:443/ http://127.0.0.1:0/
		file:///etc/passwd ftp://127.0.0.1/ gopher://127.0.0.1:6379/_INFO javascript:alert(1) data:text/plain,x http:\\127.0.0.1\
		\\127.0.0.1/ http://[fe80::1%25lo]/`,
	)
	outward := strings.Fields(
		`/landing landing ./landing ../landing ?landing //public.example/landing http://public.example/landing
		http://user:word@public.example/landing http://PUBLIC.example./landing http://other.example/landing //other.example:8080/landing
		http://93.184.216.34/landing http://1572395042/landing http://[2606:4700::1111]/landing http://bücher.example/landing /a/../landing
		/127.0.0.1/landing /http://127.0.0.1/landing #landing`,
	)
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		for _, to := range inward {
			// Our client reads these as paths of the public server itself.
			local := to == "///127.0.0.1/" || strings.HasPrefix(to, `\\`)
			all = append(all, addressForm{open: local, via: "redirect " + status, text: to})
		}
		for _, to := range outward {
			if to != "#landing" { // redirects to itself for ever
				all = append(all, addressForm{open: true, via: "redirect " + status, text: to})
			}
		}
	}
	for _, to := range inward[:20] {
		if to == "///127.0.0.1/" {
			continue // a path of the public server, not a URL in a refresh
		}
		all = append(all, addressForm{via: "chain", text: to}, addressForm{via: "refresh", text: to})
	}
	return all
}

// allForms returns the complete table without duplicates.
func allForms() []addressForm {
	var all []addressForm
	for _, part := range [][]addressForm{directForms(), malformedForms(), nameForms(), redirectForms()} {
		all = append(all, part...)
	}
	seen := map[string]bool{}
	unique := all[:0]
	for _, f := range all {
		if !seen[f.String()] {
			seen[f.String()] = true
			unique = append(unique, f)
		}
	}
	return unique
}
