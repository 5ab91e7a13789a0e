// Package pricing computes what models cost, from prices that the user configured. There is no built-in list, because
// prices change and a wrong price is worse than none. A model without a price is reported as such, not as free.
//
// Prices are decimals per million tokens, stored as integers so that the same usage costs the same. Amounts are
// billionths of a currency unit.
package pricing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sextant/shared/chat"
)

const defaultCurrency = "USD"

const (
	// maxRows limits a list's entries. maxPrice limits a price per million tokens and a budget, in units of its
	// currency.
	maxRows  = 200
	maxPrice = 1_000_000
	micro    = 1_000_000
	// maxTokens exceeds the tokens of any answer and keeps products in range.
	maxTokens = 2_000_000_000
)

// Price contains the prices of a model's tokens, in millionths of the currency per million tokens.
type Price struct {
	input, cached, output, written int64
	currency                       string
}

// List contains the configured prices. The zero List is empty.
type List struct{ rows []row }

type row struct {
	pattern string
	price   Price
}

// Parse parses entries separated by commas: provider/model=input/cached/output, with an optional fourth price for
// cache writes and an optional currency (USD if missing), e.g. "openai/gpt-5*=1.25/0.125/10,
// anthropic/*=3/0.3/15/3.75 EUR". Prices are per million tokens. An asterisk matches any text. An empty cached price
// and an empty or missing cache-write price equal the input price.
func Parse(text string) (List, error) {
	var l List
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		r, err := parseRow(entry)
		if err != nil {
			return List{}, err
		}
		if slices.ContainsFunc(l.rows, func(o row) bool { return o.pattern == r.pattern }) {
			return List{}, fmt.Errorf("%s has two prices; keep one", r.pattern)
		}
		if l.rows = append(l.rows, r); len(l.rows) > maxRows {
			return List{}, fmt.Errorf("more than %d prices; use patterns such as openai/*", maxRows)
		}
	}
	return l, nil
}

func parseRow(entry string) (row, error) {
	i := strings.LastIndexByte(entry, '=')
	pattern := strings.TrimSpace(entry[:max(i, 0)])
	if provider, model, ok := strings.Cut(pattern, "/"); i < 0 || !ok || provider == "" || model == "" {
		return row{}, fmt.Errorf(
			"%q is not a price: write provider/model=input/cached/output per million tokens, e.g. "+
				"openai/gpt-5*=1.25/0.125/10 USD",
			entry,
		)
	}
	amounts, currency, err := splitCurrency(entry[i+1:])
	if err != nil {
		return row{}, fmt.Errorf("the price of %s: %w", pattern, err)
	}
	parts := strings.Split(amounts, "/")
	if len(parts) != 3 && len(parts) != 4 {
		return row{}, fmt.Errorf(
			"the price of %s has %d parts: write input/cached/output, e.g. 1.25/0.125/10",
			pattern,
			len(parts),
		)
	}
	p := Price{currency: currency}
	into := []*int64{&p.input, &p.cached, &p.output, &p.written}
	for n, part := range parts {
		if part = strings.TrimSpace(part); part == "" && (n == 1 || n == 3) {
			*into[n] = p.input
			continue
		}
		if *into[n], err = decimal(part, micro, maxPrice); err != nil {
			return row{}, fmt.Errorf("the price of %s: %w", pattern, err)
		}
	}
	if len(parts) == 3 {
		p.written = p.input
	}
	return row{pattern, p}, nil
}

// ParseMoney parses an amount such as "0.50" or "2 EUR". "" and "0" are the zero Money.
func ParseMoney(text string) (chat.Money, error) {
	amount, currency, err := splitCurrency(text)
	if err != nil || amount == "" {
		return chat.Money{}, err
	}
	nanos, err := decimal(amount, 1_000_000_000, maxPrice)
	if err != nil || nanos == 0 {
		return chat.Money{}, err
	}
	return chat.Money{Nanos: nanos, Currency: currency}, nil
}

func splitCurrency(text string) (amount, currency string, err error) {
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return "", defaultCurrency, nil
	case len(fields) == 1:
		return fields[0], defaultCurrency, nil
	}
	code := fields[len(fields)-1]
	if !IsCurrency(code) {
		return "", "", fmt.Errorf("%q is not a currency: write its three-letter code, e.g. USD or EUR", code)
	}
	return strings.Join(fields[:len(fields)-1], ""), code, nil
}

// IsCurrency reports whether code has the form of a currency code: three capital letters.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// decimal parses a number from 0 to most and returns it in units of 1/scale, rounded.
func decimal(text string, scale int64, most float64) (int64, error) {
	if text == "" || strings.Trim(text, "0123456789.") != "" || strings.Count(text, ".") > 1 || text == "." {
		return 0, fmt.Errorf("%q is not an amount: write digits with a decimal point, e.g. 1.25", text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f > most {
		return 0, fmt.Errorf("%q is more than %d", text, int64(most))
	}
	return int64(math.Round(f * float64(scale))), nil
}

// Price returns the price of a model (provider/model), false if no pattern matches. The pattern with the most literal
// characters wins.
func (l List) Price(model string) (Price, bool) {
	best, most := -1, -1
	for i, r := range l.rows {
		if n := len(strings.ReplaceAll(r.pattern, "*", "")); n > most && matches(r.pattern, model) {
			best, most = i, n
		}
	}
	if best < 0 {
		return Price{}, false
	}
	return l.rows[best].price, true
}

// matches reports whether name matches pattern, in which asterisks match any text.
func matches(pattern, name string) bool {
	first, rest, found := strings.Cut(pattern, "*")
	if !found {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return strings.HasSuffix(name, last)
}

// Cost returns the cost of u, rounded to a billionth. A cost of 0 is the zero Money, without a currency.
func (p Price) Cost(u chat.Usage) chat.Money {
	n := func(tokens int) int64 { return int64(min(max(tokens, 0), maxTokens)) }
	fresh := n(u.Input - u.Cached - u.CacheWritten)
	// Products reach 2e9 * 1e12, too large for an int64, so the thousands are split off first.
	sum := 0.0
	var whole int64
	for _, part := range [...]struct{ tokens, price int64 }{
		{fresh, p.input}, {n(u.Cached), p.cached}, {n(u.CacheWritten), p.written}, {n(u.Output), p.output},
	} {
		whole += part.tokens * (part.price / 1000)
		sum += float64(part.tokens) * float64(part.price%1000) / 1000
	}
	m := chat.Money{Nanos: whole + int64(math.Round(sum)), Currency: p.currency}
	if m.Nanos == 0 {
		return chat.Money{}
	}
	return m
}

// FormatMoney formats m for people: "1.25 USD", with up to six decimals below a tenth. Zero is "0", and an amount
// below a millionth "under 0.000001 USD".
func FormatMoney(m chat.Money) string {
	switch {
	case m.Nanos == 0:
		return "0"
	case m.Nanos < 1000:
		return "under 0.000001 " + m.Currency
	}
	v := float64(m.Nanos) / 1e9
	digits := 2
	for limit := 0.1; v < limit && digits < 6; limit /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + " " + m.Currency
}
