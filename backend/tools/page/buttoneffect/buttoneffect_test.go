package buttoneffect

import (
	"testing"

	"sextant/shared/toolspec"
)

func TestEffectThatNameOfButtonClaims(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]toolspec.PageEffect{
		"Pay": toolspec.PagePay, "Pay €12.00": toolspec.PagePay, "Buy now": toolspec.PagePay,
		"Confirm and pay": toolspec.PagePay, "Place your order": toolspec.PagePay,
		"Zahlungspflichtig bestellen": toolspec.PagePay,
		"立即购买":                        toolspec.PagePay, "购买全部": toolspec.PagePay,
		"Delete": toolspec.PageDelete, "  DELETE \n account": toolspec.PageDelete,
		"Yes, delete it":    toolspec.PageDelete,
		"Endgültig löschen": toolspec.PageDelete, "Удалить": toolspec.PageDelete,
		"Post": toolspec.PagePost, "Publish": toolspec.PagePost, "Send message": toolspec.PagePost,
		"Envoyer":  toolspec.PagePost,
		"Payments": "", "Buyer protection": "", "Posts": "", "Sender": "", "Add to basket": "", "Search": "",
		"Next": "", "Cookie settings": "", "Delete this and all of the other old things there": "", "": "", "Yes": "",
	} {
		if got := OfName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestMinorForms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Add to  basket": true, "Add to cart · €12": true, "Accept all cookies": true, "In den Warenkorb": true,
		"加入购物车": true, "Add": false, "Save": false, "Acceptance": false, "": false,
	} {
		if IsMinor(name) != want {
			t.Errorf("%q: want %v", name, want)
		}
	}
}
