package demo

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"
	"time"
)

type formView struct {
	Lines  lines
	Values url.Values
	Wrong  map[string]string
}

// Value returns the input value of a field.
func (f formView) Value(field string) string { return f.Values.Get(field) }

// Is reports whether the input of a field equals value.
func (f formView) Is(field, value string) bool { return f.Values.Get(field) == value }

type field struct {
	key, name string
	most      int
	fits      func(string) string // returns "" or how to correct the value; nil allows any value
}

func check(values url.Values, fields []field) map[string]string {
	wrong := map[string]string{}
	for _, f := range fields {
		v := strings.TrimSpace(values.Get(f.key))
		switch {
		case v == "":
			wrong[f.key] = f.name + " is missing."
		case len([]rune(v)) > f.most:
			wrong[f.key] = fmt.Sprintf("%s is longer than %d characters.", f.name, f.most)
		case f.fits != nil:
			if sentence := f.fits(v); sentence != "" {
				wrong[f.key] = sentence
			}
		}
	}
	return wrong
}

func mailAddress(v string) string {
	name, host, ok := strings.Cut(v, "@")
	if !ok || name == "" || !strings.Contains(host, ".") || strings.ContainsAny(v, " \t\r\n") {
		return "An address looks like ana@example.com."
	}
	return ""
}

func postcode(v string) string {
	if a := arrival(v); a.Bad {
		return a.Answer
	}
	return ""
}

func day(v string) string {
	if _, err := time.Parse(time.DateOnly, v); err != nil {
		return "A day looks like 2026-12-04."
	}
	return ""
}

func (s *shop) checkout(w http.ResponseWriter, r *http.Request) {
	f := formView{Lines: s.readBasket(r), Values: url.Values{"delivery": {"standard"}, "country": {"DE"}}}
	s.show(w, r, http.StatusOK, "checkout", view{Title: "Check out", Data: f})
}

// order checks the order and redirects to the thank-you page. The form contains the basket, so it works without
// cookies.
func (s *shop) order(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form could not be read", http.StatusBadRequest)
		return
	}
	f := formView{Lines: s.parseLines(r.PostForm.Get("items")), Values: r.PostForm}
	f.Wrong = check(r.PostForm, []field{
		{"name", "Your name", 80, nil},
		{"email", "Your e-mail address", 120, mailAddress},
		{"street", "Street and number", 120, nil},
		{"postcode", "The postcode", 12, postcode},
		{"city", "The city", 80, nil},
	})
	if d := r.PostForm.Get("day"); d != "" && day(d) != "" {
		f.Wrong["day"] = day(d)
	}
	if len(f.Lines) == 0 {
		f.Wrong["items"] = "The basket is empty. Put something in first."
	}
	if len(f.Wrong) > 0 {
		s.show(w, r, http.StatusUnprocessableEntity, "checkout", view{Title: "Check out", Data: f})
		return
	}
	writeBasket(w, nil)
	http.Redirect(w, r, "/thanks?"+url.Values{
		"name": {r.PostForm.Get("name")}, "order": {orderNumber(r.PostForm)},
	}.Encode(), http.StatusSeeOther)
}

func (s *shop) contact(w http.ResponseWriter, r *http.Request) {
	f := formView{Values: url.Values{"reply": {"email"}, "topic": {"question"}}}
	s.show(w, r, http.StatusOK, "contact", view{Title: "Contact", Data: f})
}

func (s *shop) message(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form could not be read", http.StatusBadRequest)
		return
	}
	f := formView{Values: r.PostForm}
	f.Wrong = check(r.PostForm, []field{
		{"name", "Your name", 80, nil},
		{"email", "Your e-mail address", 120, mailAddress},
		{"message", "The message", 2000, nil},
	})
	if d := r.PostForm.Get("day"); d != "" && day(d) != "" {
		f.Wrong["day"] = day(d)
	}
	if len(f.Wrong) > 0 {
		s.show(w, r, http.StatusUnprocessableEntity, "contact", view{Title: "Contact", Data: f})
		return
	}
	http.Redirect(w, r, "/thanks?"+url.Values{"name": {r.PostForm.Get("name")}}.Encode(), http.StatusSeeOther)
}

type thanksView struct{ Name, Order string }

func (s *shop) thanks(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.show(w, r, http.StatusOK, "thanks", view{
		Title: "Thank you",
		Data:  thanksView{shorten(q.Get("name"), 80), shorten(q.Get("order"), 12)},
	})
}

func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// orderNumber derives the number from the values, so that the same order always has the same number.
func orderNumber(values url.Values) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(values.Encode()))
	return fmt.Sprintf("AF-%04d", sum.Sum32()%10000)
}
