package page

import (
	"slices"
	"strings"
	"unicode"

	"sextant/backend/tools/page/keys"
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

// leadingWords may stand before the words of an effect: "Confirm and pay".
var leadingWords = []string{
	"yes,", "yes", "ok,", "confirm and", "confirm &", "confirm", "review and", "agree and", "save and", "ja,", "oui,",
	"sí,", "sì,", "sim,",
}

const maxEffectWords = 6

// nameEffect returns the effect that the name of a button claims.
func nameEffect(name string) toolspec.PageEffect {
	name = strings.Join(strings.Fields(strings.ToLower(name)), " ")
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

// maxLinkWords bounds the words of a link that acts. A longer one is the title of a page.
const maxLinkWords = 2

// pressEffect returns what pressing the element id seems to do on the server of its page, "" for nothing that needs a
// question. Panels ask about their own calls.
func pressEffect(s session, id int) toolspec.PageEffect {
	if s.panel != nil || id == 0 {
		return ""
	}
	role, name := s.RoleAndName(id)
	switch role {
	case "button", "menuitem", "clickable", "link":
	default:
		return ""
	}
	if role == "link" && len(strings.Fields(name)) > maxLinkWords {
		return ""
	}
	if effect := nameEffect(name); effect != "" {
		return effect
	}
	if s.OriginOf(id).Submits {
		return toolspec.PageSend
	}
	return ""
}

// enterEffect returns what the Enter key does in the element id.
func enterEffect(s session, id int) toolspec.PageEffect {
	if effect := pressEffect(s, id); effect != "" {
		return effect
	}
	if s.panel == nil && s.OriginOf(id).Submits {
		return toolspec.PageSend
	}
	return ""
}

// withKeyEffect completes the description of a key press in the focused element.
func withKeyEffect(s session, d toolspec.Description, key string) toolspec.Description {
	effect := pressEffect
	switch {
	case keys.IsEnter(key):
		effect = enterEffect
	case !keys.IsSpace(key):
		return d
	}
	for _, e := range s.Annotations() {
		if slices.Contains(e.States, "focused") {
			return withEffect(s, d, e.ID, effect(s, e.ID))
		}
	}
	return d
}

// elementAt returns the id of the smallest listed element at a point of the viewport, 0 for none.
func elementAt(s session, x, y float64) int {
	id, smallest := 0, 0.0
	for _, e := range s.Annotations() {
		b := e.Box
		inside := e.InView && x >= b.X && y >= b.Y && x < b.X+b.Width && y < b.Y+b.Height
		if size := b.Width * b.Height; inside && (id == 0 || size < smallest) {
			id, smallest = e.ID, size
		}
	}
	return id
}

// withEffect completes the description of a call that presses the element id.
func withEffect(s session, d toolspec.Description, id int, effect toolspec.PageEffect) toolspec.Description {
	d.PageEffect = effect
	if effect == "" {
		return d
	}
	if d.Target == "" {
		d.Target, d.Annotation = lineOf(s, id), id
	}
	if len(d.Hosts) == 0 {
		d.Hosts = describeElement(s, "", id).Hosts
	}
	if d.Data != "" {
		return d // the question then quotes what is sent
	}
	d.Question = map[toolspec.PageEffect]string{
		toolspec.PageSend: "Send the form with ", toolspec.PagePost: "Send or publish with ",
		toolspec.PagePay: "Buy or pay with ", toolspec.PageDelete: "Delete with ",
	}[effect] + nameOf(s, id)
	if len(d.Hosts) > 0 {
		d.Question += " on " + d.Hosts[0]
	}
	d.Question += "?"
	return d
}
