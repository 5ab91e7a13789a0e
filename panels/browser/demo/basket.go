package demo

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	basketCookie = "basket"
	mostPieces   = 9
)

type line struct {
	Product product
	Pieces  int
}

// Sum returns the price of the line in euros.
func (l line) Sum() int { return l.Pieces * l.Product.Price }

type lines []line

func (ls lines) count() int {
	n := 0
	for _, l := range ls {
		n += l.Pieces
	}
	return n
}

// Total returns the price of the basket in euros.
func (ls lines) Total() int {
	n := 0
	for _, l := range ls {
		n += l.Sum()
	}
	return n
}

// String returns the form in which the cookie and the order form contain the basket: "fen.2-moor.1".
func (ls lines) String() string {
	parts := make([]string, len(ls))
	for i, l := range ls {
		parts[i] = l.Product.ID + "." + strconv.Itoa(l.Pieces)
	}
	return strings.Join(parts, "-")
}

// set returns ls with n pieces of p, at most mostPieces. If n is 0 or less, the result does not contain p.
func (ls lines) set(p product, n int) lines {
	n = max(0, min(n, mostPieces))
	var out lines
	found := false
	for _, l := range ls {
		if l.Product.ID == p.ID {
			l.Pieces, found = n, true
		}
		if l.Pieces > 0 {
			out = append(out, l)
		}
	}
	if !found && n > 0 {
		out = append(out, line{p, n})
	}
	return out
}

func (ls lines) pieces(id string) int {
	for _, l := range ls {
		if l.Product.ID == id {
			return l.Pieces
		}
	}
	return 0
}

func (s *shop) parseLines(text string) lines {
	var ls lines
	for _, part := range strings.Split(text, "-") {
		id, pieces, _ := strings.Cut(part, ".")
		n, err := strconv.Atoi(pieces)
		if p, ok := s.find(id); ok && err == nil {
			ls = ls.set(p, n)
		}
	}
	return ls
}

func (s *shop) readBasket(r *http.Request) lines {
	c, err := r.Cookie(basketCookie)
	if err != nil {
		return nil
	}
	return s.parseLines(c.Value)
}

func writeBasket(w http.ResponseWriter, ls lines) {
	c := &http.Cookie{Name: basketCookie, Value: ls.String(), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if len(ls) == 0 {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

func (s *shop) basket(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "basket", view{Title: "Basket", Data: s.readBasket(r)})
}

// changeBasket adds pieces of a product or sets their number. It redirects to the page of the form, or answers a script
// with the new count.
func (s *shop) changeBasket(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form could not be read", http.StatusBadRequest)
		return
	}
	p, ok := s.find(r.PostForm.Get("product"))
	n, err := strconv.Atoi(r.PostForm.Get("pieces"))
	if !ok || err != nil || n < 0 {
		http.Error(w, "no such product or number of pieces", http.StatusBadRequest)
		return
	}
	ls := s.readBasket(r)
	if r.PostForm.Get("do") == "set" {
		ls = ls.set(p, n)
	} else if p.Stock {
		ls = ls.set(p, ls.pieces(p.ID)+min(n, mostPieces))
	}
	writeBasket(w, ls)
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"count": ls.count(), "said": p.Name + " is in your basket."})
		return
	}
	http.Redirect(w, r, localPath(r.PostForm.Get("back")), http.StatusSeeOther)
}

func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host != "" || u.Scheme != "" || u.Opaque != "" ||
		!strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || strings.Contains(s, `\`) {
		return "/basket"
	}
	return u.RequestURI()
}
