package chat_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/chat"
)

func money(nanos int64, currency string) chat.Money {
	return chat.Money{Nanos: nanos, Currency: currency}
}

func TestBillPlusAndSince(t *testing.T) {
	a := chat.Bill{Usage: chat.Usage{Input: 10, Output: 2}, Requests: 1, Cost: []chat.Money{money(5, "USD")}}
	b := chat.Bill{
		Usage: chat.Usage{Input: 3, Cached: 1}, Requests: 2, Unpriced: 3,
		Cost: []chat.Money{money(7, "EUR"), money(1, "USD")},
	}
	sum := a.Plus(b)
	want := chat.Bill{
		Usage: chat.Usage{Input: 13, Output: 2, Cached: 1}, Requests: 3, Unpriced: 3,
		Cost: []chat.Money{money(7, "EUR"), money(6, "USD")},
	}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if sum.Tokens() != 15 || sum.CostIn("USD") != 6 || sum.CostIn("CHF") != 0 {
		t.Errorf("tokens or costs of %+v are wrong", sum)
	}
	if diff := cmp.Diff(a, sum.Minus(b)); diff != "" {
		t.Errorf("Since (-want +got):\n%s", diff)
	}
	if none := a.Minus(sum); none.Tokens() != 0 || none.CostIn("USD") != 0 {
		t.Errorf("a negative bill: %+v", none)
	}
	if a.CostIn("USD") != 5 || b.CostIn("USD") != 1 {
		t.Error("Plus changed its operands")
	}
}

func TestBillSumSaturates(t *testing.T) {
	a := chat.Bill{Cost: []chat.Money{money(math.MaxInt64-1, "USD")}}
	if got := a.Plus(a).CostIn("USD"); got != math.MaxInt64 {
		t.Errorf("%d", got)
	}
}
