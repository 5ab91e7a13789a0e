package demo

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

type product struct {
	ID, Kind, Name string
	Price          int // in whole euros
	Line           string
	Text           string
	Stock          bool
	Dimmable       bool
	Socket, Power  string
	Art            template.HTML
}

func readProducts() ([]product, error) {
	products := []product{
		{
			ID: "fen", Kind: "lamp", Name: "Fen", Price: 72, Line: "Clamp arm, E14, 4 W", Stock: true, Socket: "E14",
			Power: "4 W", Text: "A clamp arm that reaches over a wide desk and stays where you leave it. The shade " +
				"is spun from one sheet and painted by hand.",
		},
		{
			ID: "moor", Kind: "lamp", Name: "Moor", Price: 64, Line: "Enamel dome, E14, 4 W", Stock: true,
			Dimmable: true, Socket: "E14", Power: "4 W",
			Text: "An enamel dome over a slim stem. The light falls straight down and leaves the room alone.",
		},
		{
			ID: "sedge", Kind: "lamp", Name: "Sedge", Price: 79, Line: "Steel, built-in LED", Stock: true,
			Dimmable: true, Socket: "built-in LED", Power: "6 W",
			Text: "Bent from a single steel rod. The LED is built in and can be changed in our workshop, for life.",
		},
		{
			ID: "tarn", Kind: "lamp", Name: "Tarn", Price: 78, Line: "Blown glass, E27, 7 W", Stock: true,
			Dimmable: true, Socket: "E27", Power: "7 W",
			Text: "A blown glass globe on an oak foot. No two are quite the same size.",
		},
		{
			ID: "heath", Kind: "lamp", Name: "Heath", Price: 58, Line: "Linen shade, E27, 8 W", Stock: true,
			Socket: "E27", Power: "8 W",
			Text: "A linen shade on turned ash. Warm enough for an evening, bright enough for a letter.",
		},
		{
			ID: "bog", Kind: "lamp", Name: "Bog", Price: 76, Line: "Bent oak arm, E14, 4 W", Stock: true, Socket: "E14",
			Power: "4 W", Text: "The arm is bog oak, steamed and bent in one go. The joint at the shade turns all " +
				"the way round.",
		},
		{
			ID: "ridge", Kind: "lamp", Name: "Ridge", Price: 118, Line: "Double arm, E27, 9 W", Stock: true,
			Dimmable: true, Socket: "E27", Power: "9 W",
			Text: "Two arms and a counterweight, for drawing tables and people who move a lot.",
		},
		{
			ID: "loam", Kind: "lamp", Name: "Loam", Price: 96, Line: "Stoneware foot, E27, 8 W", Dimmable: true,
			Socket: "E27", Power: "8 W", Text: "A stoneware foot thrown by hand. The next firing is in spring.",
		},
		{
			ID: "scree", Kind: "lamp", Name: "Scree", Price: 134, Line: "Cast brass, built-in LED", Stock: true,
			Dimmable: true, Socket: "built-in LED", Power: "5 W",
			Text: "Cast brass that darkens where you touch it. Heavy enough to hold a book open.",
		},
		{
			ID: "linen", Kind: "shade", Name: "Linen cone", Price: 24, Line: "For Heath and Tarn", Stock: true,
			Text: "Undyed linen on a wire frame, 18 cm high.",
		},
		{
			ID: "enamel", Kind: "shade", Name: "Enamel dome", Price: 31, Line: "For Moor, four colours", Stock: true,
			Text: "The dome of the Moor in moss, oxide, night or chalk.",
		},
		{
			ID: "paper", Kind: "shade", Name: "Paper drum", Price: 18, Line: "Flat packed, 22 cm",
			Text: "Folded by hand from one sheet of washi. Back in January.",
		},
		{
			ID: "e14", Kind: "bulb", Name: "E14 candle", Price: 6, Line: "4 W, 2,700 K, dimmable", Stock: true,
			Dimmable: true, Socket: "E14", Power: "4 W", Text: "Fits Fen, Moor and Bog. 470 lumens, 15,000 hours.",
		},
		{
			ID: "e27", Kind: "bulb", Name: "E27 globe", Price: 8, Line: "8 W, 2,700 K", Stock: true, Socket: "E27",
			Power: "8 W", Text: "Fits Heath, Tarn and Ridge. 806 lumens, 15,000 hours.",
		},
		{
			ID: "spare", Kind: "bulb", Name: "Spare LED board", Price: 14, Line: "For Sedge and Scree", Stock: true,
			Dimmable: true, Power: "6 W", Text: "Two screws and a plug. Or send the lamp in, we do it for nothing.",
		},
	}
	for i := range products {
		b, err := artFiles.ReadFile("art/" + products[i].ID + ".svg")
		if err != nil {
			return nil, fmt.Errorf("reading the picture of %s: %w", products[i].ID, err)
		}
		products[i].Art = template.HTML(b) //nolint:gosec // embedded, drawn by us
	}
	return products, nil
}

func (s *shop) find(id string) (product, bool) {
	i := slices.IndexFunc(s.products, func(p product) bool { return p.ID == id })
	if i < 0 {
		return product{}, false
	}
	return s.products[i], true
}

type categoryView struct {
	Heading, Intro          string
	Action                  string
	Cheap, InStock, Dimming bool
	Sort                    string
	Filters                 bool
	Goods                   []product
	Arrival                 arrivalView
}

func (s *shop) category(kind string) http.HandlerFunc {
	headings := map[string]string{"lamp": "Desk lamps", "shade": "Shades", "bulb": "Bulbs"}
	sections := map[string]string{"lamp": "lamps", "shade": "shades", "bulb": "bulbs"}
	return func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		v := categoryView{
			Heading: headings[kind], Action: r.URL.Path, Filters: true,
			Cheap: q.Get("max") == "80", InStock: q.Get("stock") == "1", Dimming: q.Get("dim") == "1",
			Sort: q.Get("sort"), Arrival: arrival(q.Get("postcode")),
		}
		for _, p := range s.products {
			if p.Kind != kind || v.Cheap && p.Price >= 80 || v.InStock && !p.Stock || v.Dimming && !p.Dimmable {
				continue
			}
			v.Goods = append(v.Goods, p)
		}
		sortProducts(v.Goods, v.Sort)
		v.Intro = intro(len(v.Goods), v.Cheap || v.InStock || v.Dimming)
		s.show(w, r, http.StatusOK, "category", view{Title: v.Heading, Section: sections[kind], Data: v})
	}
}

func (s *shop) search(w http.ResponseWriter, r *http.Request) {
	asked := strings.TrimSpace(r.URL.Query().Get("q"))
	v := categoryView{Heading: "Search", Intro: "Type a word above, such as oak or E14."}
	if asked != "" {
		needle := strings.ToLower(asked)
		for _, p := range s.products {
			if strings.Contains(strings.ToLower(p.Name+" "+p.Line+" "+p.Text+" "+p.Kind), needle) {
				v.Goods = append(v.Goods, p)
			}
		}
		v.Intro = fmt.Sprintf("%s for “%s”.", count(len(v.Goods), "result"), asked)
	}
	s.show(w, r, http.StatusOK, "category", view{Title: "Search", Query: asked, Data: v})
}

func (s *shop) product(w http.ResponseWriter, r *http.Request) {
	p, ok := s.find(r.PathValue("id"))
	if !ok {
		s.missing(w, r)
		return
	}
	section := map[string]string{"lamp": "lamps", "shade": "shades", "bulb": "bulbs"}[p.Kind]
	s.show(w, r, http.StatusOK, "product", view{Title: p.Name, Section: section, Data: p})
}

func sortProducts(products []product, by string) {
	switch by {
	case "price":
		slices.SortStableFunc(products, func(a, b product) int { return cmp.Compare(a.Price, b.Price) })
	case "price-down":
		slices.SortStableFunc(products, func(a, b product) int { return cmp.Compare(b.Price, a.Price) })
	case "name":
		slices.SortStableFunc(products, func(a, b product) int { return cmp.Compare(a.Name, b.Name) })
	}
}

func intro(n int, filtered bool) string {
	words := []string{"None", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"}
	verb := "fit"
	if n == 1 {
		verb = "fits"
	}
	switch {
	case n == 0:
		return "None fits your filters. Take one away."
	case filtered:
		return words[n] + " that " + verb + " your filters. Made in small batches, repaired for life."
	}
	return words[n] + ", made in small batches, repaired for life."
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type arrivalView struct {
	Postcode, Answer string
	Bad              bool
}

// Only the first digit matters.
func arrival(postcode string) arrivalView {
	code := strings.TrimSpace(postcode)
	v := arrivalView{Postcode: code}
	if code == "" {
		return v
	}
	if len(code) != 5 || strings.Trim(code, "0123456789") != "" {
		v.Bad, v.Answer = true, "A postcode has five digits, e.g. 10115."
		return v
	}
	days := 1 + int(code[0]-'0')/3
	v.Answer = fmt.Sprintf("Reaches %s in %s.", code, count(days, "working day"))
	return v
}
