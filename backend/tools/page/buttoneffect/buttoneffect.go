// Package buttoneffect judges by the name of a button what pressing it does beyond the page.
package buttoneffect

import (
	"slices"
	"strings"
	"unicode"

	"sextant/shared/toolspec"
)

// effectWords are the first words of buttons, in the languages of most pages. A button that only opens a dialog may
// match too: a question too many is better than a payment too many.
var effectWords = []struct {
	effect toolspec.PageEffect
	words  []string
}{
	{toolspec.PagePay, []string{
		"pay", "buy", "purchase", "place order", "place your order", "order now", "submit order", "complete order",
		"complete purchase", "donate", "transfer", "send money",
		"bezahlen", "zahlen", "jetzt bezahlen", "kaufen", "jetzt kaufen", "bestellen", "jetzt bestellen",
		"zahlungspflichtig bestellen", "kostenpflichtig bestellen", "kauf abschließen", "spenden", "überweisen",
		"payer", "acheter", "commander", "passer la commande", "faire un don",
		"pagar", "comprar", "realizar pedido", "realizar el pedido", "donar", "finalizar compra", "doar",
		"paga", "acquista", "compra", "ordina", "betalen", "kopen", "bestelling plaatsen", "afrekenen",
		"zapłać", "kup", "kup teraz", "оплатить", "купить", "заказать",
		"购买", "付款", "支付", "立即购买", "提交订单", "購入", "注文", "支払", "결제", "구매",
	}},
	{toolspec.PageDelete, []string{
		"delete", "erase", "destroy", "permanently delete", "close account", "deactivate account",
		"cancel subscription", "empty trash",
		"löschen", "endgültig löschen", "konto schließen", "supprimer", "effacer", "eliminar", "borrar", "apagar",
		"excluir", "elimina", "cancella", "verwijderen", "wissen", "usuń", "удалить", "删除", "刪除", "削除", "삭제",
	}},
	{toolspec.PagePost, []string{
		"post", "publish", "tweet", "send", "post comment", "add comment", "submit",
		"veröffentlichen", "posten", "senden", "absenden", "abschicken", "publier", "envoyer", "publicar", "enviar",
		"pubblica", "invia", "publiceren", "plaatsen", "verzenden", "versturen", "opublikuj", "wyślij",
		"опубликовать", "отправить", "发布", "发送", "提交", "投稿", "送信", "게시", "보내기",
	}},
}

// minorWords are the first words of buttons that send a form of little consequence: a basket can be emptied, and a
// notice about cookies can be answered again.
var minorWords = []string{
	"add to basket", "add to cart", "add to bag", "remove from basket", "remove from cart", "accept", "reject",
	"in den warenkorb", "akzeptieren", "alle akzeptieren", "ablehnen", "alle ablehnen", "ajouter au panier",
	"accepter", "tout accepter", "tout refuser", "añadir al carrito", "añadir a la cesta", "aceptar", "rechazar",
	"aggiungi al carrello", "accetta", "rifiuta", "adicionar ao carrinho", "aceitar", "in winkelwagen",
	"accepteren", "dodaj do koszyka", "в корзину", "добавить в корзину", "加入购物车", "カートに入れる", "장바구니",
}

// IsMinor reports whether the name of a button says that its form has little consequence.
func IsMinor(name string) bool {
	name = fold(name)
	return slices.ContainsFunc(minorWords, func(words string) bool { return startsWithWords(name, words) })
}

func fold(name string) string { return strings.Join(strings.Fields(strings.ToLower(name)), " ") }

// leadingWords may stand before the words of an effect: "Confirm and pay".
var leadingWords = []string{
	"yes,", "yes", "ok,", "confirm and", "confirm &", "confirm", "review and", "agree and", "save and", "ja,", "oui,",
	"sí,", "sì,", "sim,",
}

const maxEffectWords = 6

// OfName returns the effect that the name of a button claims, "" for none.
func OfName(name string) toolspec.PageEffect {
	name = fold(name)
	for i := 0; i < len(leadingWords); i++ {
		if rest, found := strings.CutPrefix(name, leadingWords[i]+" "); found {
			name, i = rest, -1
		}
	}
	if strings.Count(name, " ") >= maxEffectWords {
		return ""
	}
	for _, e := range effectWords {
		if slices.ContainsFunc(e.words, func(words string) bool { return startsWithWords(name, words) }) {
			return e.effect
		}
	}
	return ""
}

// startsWithWords reports whether words are whole words at the start of name. Scripts without spaces have no whole
// words.
func startsWithWords(name, words string) bool {
	rest, found := strings.CutPrefix(name, words)
	if !found {
		return false
	}
	for _, next := range rest {
		last := []rune(words)
		return !unicode.IsLetter(next) || unicode.In(last[len(last)-1], unicode.Han, unicode.Hiragana, unicode.Katakana,
			unicode.Hangul)
	}
	return true
}
