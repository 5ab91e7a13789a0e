package chat

import (
	"cmp"
	"math"
	"slices"
)

// Money is an amount in billionths of a unit of Currency, which is a code such as USD. The zero value is zero in any
// currency.
type Money struct {
	Nanos    int64  `json:"nanos"`
	Currency string `json:"currency,omitempty"`
}

// Bill is the cost of requests to models, in tokens and money.
type Bill struct {
	Usage
	// Requests counts the requests that were sent, including failed ones.
	Requests int `json:"requests"`
	// Estimated is the number of tokens of Input and Output that were estimated from text lengths.
	Estimated int `json:"estimated,omitempty"`
	// Cost has one Money for each currency, sorted by code. Unpriced is the number of tokens of Input and Output
	// without a known price, which Cost does not include.
	Cost     []Money `json:"cost"`
	Unpriced int     `json:"unpriced,omitempty"`
}

// Tokens returns the sum of Input and Output.
func (b Bill) Tokens() int { return b.Input + b.Output }

// CostIn returns the cost in one currency, in billionths of its unit, 0 for none.
func (b Bill) CostIn(currency string) int64 {
	for _, m := range b.Cost {
		if m.Currency == currency {
			return m.Nanos
		}
	}
	return 0
}

// Plus returns the sum of b and o.
func (b Bill) Plus(o Bill) Bill { return b.add(o, 1) }

// Minus returns the difference of b and o. No number in it is less than zero.
func (b Bill) Minus(o Bill) Bill { return b.add(o, -1) }

func (b Bill) add(o Bill, sign int) Bill {
	part := func(x, y int) int { return max(0, x+sign*y) }
	sum := Bill{
		Usage: Usage{
			Input: part(b.Input, o.Input), Output: part(b.Output, o.Output),
			Cached: part(b.Cached, o.Cached), CacheWritten: part(b.CacheWritten, o.CacheWritten),
		},
		Requests: part(b.Requests, o.Requests), Estimated: part(b.Estimated, o.Estimated),
		Unpriced: part(b.Unpriced, o.Unpriced), Cost: slices.Clone(b.Cost),
	}
	for _, m := range o.Cost {
		i := slices.IndexFunc(sum.Cost, func(n Money) bool { return n.Currency == m.Currency })
		if i < 0 {
			i, sum.Cost = len(sum.Cost), append(sum.Cost, Money{Currency: m.Currency})
		}
		if sign > 0 && m.Nanos > math.MaxInt64-sum.Cost[i].Nanos {
			sum.Cost[i].Nanos = math.MaxInt64
			continue
		}
		sum.Cost[i].Nanos = max(0, sum.Cost[i].Nanos+int64(sign)*m.Nanos)
	}
	sum.Cost = slices.DeleteFunc(sum.Cost, func(m Money) bool { return m.Nanos == 0 })
	slices.SortFunc(sum.Cost, func(x, y Money) int { return cmp.Compare(x.Currency, y.Currency) })
	if sum.Cost == nil {
		sum.Cost = []Money{}
	}
	return sum
}
