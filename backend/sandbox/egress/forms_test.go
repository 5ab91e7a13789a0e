package egress

import (
	"fmt"
	"net/netip"
	"strings"
)

// addressForm is one way to write an address: a row of testdata/forms.tsv.
type addressForm struct {
	// open is true for a public address, which must be reached.
	open bool
	// via is direct, name, rebind, chain, refresh or "redirect 302".
	via string
	// text is the URL, or the value of Location or Refresh, as Go quotes it.
	text string
	// answers are the addresses that the resolver returns for the host, "" for none. With rebind the first is
	// returned to Check and the second to the dial.
	answers string
}

func (f addressForm) String() string {
	verdict := "closed"
	if f.open {
		verdict = "open"
	}
	return fmt.Sprintf("%s\t%s\t%q\t%s", verdict, f.via, f.text, f.answers)
}

// privateIPv4 returns addresses that are blocked: loopback, private and shared networks, internal addresses of
// clouds, and reserved ranges.
func privateIPv4() []string {
	return strings.Fields(`127.0.0.1 127.255.255.254 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.1
		169.254.169.254 169.254.170.2 100.64.0.1 100.100.100.200 0.0.0.0 0.1.2.3 168.63.129.16 192.0.0.192 198.18.0.1 224.0.0.1
		239.255.255.250 240.0.0.1 255.255.255.255 192.0.2.1 198.51.100.7 203.0.113.5`)
}

// publicIPv4 returns public addresses, some of them next to a blocked range.
func publicIPv4() []string {
	return strings.Fields(`8.8.8.8 93.184.216.34 1.1.1.1 172.15.255.255 172.32.0.1 192.167.255.255 169.253.0.1 100.63.255.255
		100.128.0.1 126.255.255.255 128.0.0.1 223.255.255.255`)
}

func privateIPv6() []string {
	return strings.Fields(`::1 :: fe80::1 fe80::5efe:7f00:1 febf::1 fc00::1 fd00:ec2::254 fdff::1 fec0::1 ff02::1 ff0e::1
		2001:db8::1 100::1 64:ff9b:1::1 64:ff9b:1::a00:1 2001::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:10::1 2001:20::1
		3fff::1 5f00::1`)
}

func publicIPv6() []string {
	return strings.Fields(`2606:4700::1111 2001:4860:4860::8888 2a00:1450:4001:80b::200e 2400:cb00:2048:1::c629:d7a2 2620:fe::fe 2003::1`)
}

// spellings writes an IPv4 address in every way that some parser accepts.
func spellings(dotted string) []string {
	a, _ := netip.ParseAddr(dotted)
	b := a.As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	low, lowest := n&0xffffff, n&0xffff
	hosts := []string{
		dotted, dotted + ".", fmt.Sprint(n), fmt.Sprint(n) + ".",
		fmt.Sprintf("0x%x", n), fmt.Sprintf("0X%X", n), fmt.Sprintf("0x%012x", n), fmt.Sprintf("0%o", n),
		fmt.Sprintf("000%o", n),
		fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%d.0x%x.0%o.%d", b[0], b[1], b[2], b[3]), fmt.Sprintf("0x%02X.%d.%d.0%o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("%d.%d", b[0], low), fmt.Sprintf("%d.0x%x", b[0], low), fmt.Sprintf("0%o.0%o", b[0], low),
		fmt.Sprintf("%d.%d.%d", b[0], b[1], lowest), fmt.Sprintf("0x%x.%d.0%o", b[0], b[1], lowest),
		lookAlikeDigits(dotted, '０', '．'), lookAlikeDigits(dotted, '０', '.'),
		lookAlikeDigits(dotted, '𝟎', '。'), lookAlikeDigits(dotted, '𝟘', '｡'),
		lookAlikeDigits(fmt.Sprint(n), '０', '.'),
	}
	hosts = append(hosts, circledDigits(dotted))
	return append(hosts, embeddedInIPv6(b)...)
}

// embeddedInIPv6 writes an IPv4 address as the IPv6 addresses that embed it.
func embeddedInIPv6(b [4]byte) []string {
	hex := fmt.Sprintf("%x:%x", uint16(b[0])<<8|uint16(b[1]), uint16(b[2])<<8|uint16(b[3]))
	dotted := netip.AddrFrom4(b).String()
	return []string{
		"[::ffff:" + dotted + "]", "[::ffff:" + hex + "]", "[0:0:0:0:0:ffff:" + dotted + "]", "[::FFFF:" +
			strings.ToUpper(hex) + "]",
		"[0000:0000:0000:0000:0000:ffff:" + hex + "]", "[::" + dotted + "]", "[64:ff9b::" + hex + "]", "[64:ff9b::" +
			dotted + "]",
		"[2002:" + hex + "::]", "[2002:" + hex + "::1]",
	}
}

// lookAlikeDigits writes digits and dots as the look-alikes that browsers map back to them.
func lookAlikeDigits(s string, zero, dot rune) string {
	return strings.Map(func(r rune) rune {
		if r == '.' {
			return dot
		}
		return zero + r - '0'
	}, s)
}

// circledDigits writes the digits as ⓪①②….
func circledDigits(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '.':
			return r
		case r == '0':
			return '⓪'
		}
		return '①' + r - '1'
	}, s)
}

// spellings6 writes an IPv6 address in its forms.
func spellings6(s string) []string {
	a, _ := netip.ParseAddr(s)
	return []string{
		"[" + s + "]", "[" + a.StringExpanded() + "]", "[" + strings.ToUpper(a.StringExpanded()) + "]",
		"[" + strings.ToUpper(s) + "]:8080", "user:word@[" + s + "]",
	}
}

// directForms returns URLs with numeric addresses.
func directForms() []addressForm {
	var all []addressForm
	add := func(open bool, host string) {
		all = append(all, addressForm{open: open, via: "direct", text: "http://" + host + "/"})
	}
	for _, list := range []struct {
		open bool
		v4   []string
		v6   []string
	}{{false, privateIPv4(), privateIPv6()}, {true, publicIPv4(), publicIPv6()}} {
		for _, a := range list.v4 {
			for _, host := range spellings(a) {
				add(list.open, host)
			}
			add(list.open, a+":8443")
			add(list.open, "public.example@"+a)
			add(list.open, "public.example:80@"+a+":8080")
		}
		for _, a := range list.v6 {
			for _, host := range spellings6(a) {
				add(list.open, host)
			}
		}
	}
	for _, zone := range []string{
		"[fe80::1%25eth0]", "[fe80::1%25lo]:80", "[::1%25lo]", "[fe80::a9fe:a9fe%251]",
		"[::ffff:127.0.0.1%25lo]",
	} {
		add(false, zone)
	}
	return all
}

// malformedForms returns malformed and misleading URLs.
func malformedForms() []addressForm {
	closed := strings.Split(`http://127.0.0.1\@public.example/ http://public.example\@127.0.0.1/ http://127.0.0.1%2f@public.example%00/ `+
		`http://127.0.0.1%09/ http://%31%32%37.0.0.1/ http://127.0.0.1%23.public.example/ http://[::1].public.example/ `+
		`http://127.0.0.1:80:80/ http://127.0.0.1:0/ http://127.0.0.1:99999/ http://1.2.3.4.5/ http://256.1.1.1/ http://0x/ http://0/ `+
		`http://127..1/ http://.127.0.0.1/ http://127.0.0.1../ http://[::1/ http://::1/ http://[127.0.0.1]/ http:///127.0.0.1/ `+
		`http://09.1.1.1/ http://0xg.1/ http://localhost%00.public.example/ http://public.example#@127.0.0.1@/../ `+
		`http:127.0.0.1 http:/127.0.0.1/ //127.0.0.1/ 127.0.0.1 file:///etc/passwd ftp://public.example/ gopher://127.0.0.1:6379/_x `+
		`dict://127.0.0.1:11211/ ws://public.example/ unix:///run/docker.sock javascript:alert(1) data:text/html,x `+
		`http://4294967296/ http://999999999999/ http://0x1ffffffff/ http://127.0.0.0x100/`, " ")
	var all []addressForm
	for _, text := range closed {
		// The one with a fragment is a plain public address.
		all = append(all, addressForm{
			open: text == "http://public.example#@127.0.0.1@/../", via: "name", text: text,
			answers: "93.184.216.34",
		})
	}
	for _, r := range "\t\n\r \u00ad\u200b\u2060\ufeff\u202e" {
		all = append(all, addressForm{via: "direct", text: "http://127.0." + string(r) + "0.1/"})
	}
	return all
}
