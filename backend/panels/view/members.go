package view

type form int

const (
	isText form = iota
	isWord
	isPointer
	isField
	isSeconds
	isTool
	isReader
	isArgs
	isNames
	isObject
	isList
	isNodes
)

// member describes a member of an object. of names the shape of an object or of a list's items, words contains the
// allowed words, most is the maximum number of items, and example is JSON.
type member struct {
	form    form
	need    bool
	of      string
	words   []string
	most    int
	example string
}

// kinds contains the kinds of nodes in the order used in messages.
var kinds = []string{"section", "columns", "text", "markdown", "list", "table", "form", "buttons", "chart"}

func shapes() map[string]map[string]member {
	text := func(example string) member { return member{form: isText, example: example} }
	need := func(m member) member { m.need = true; return m }
	source := member{form: isObject, of: "source", example: `{"tool": "books_show"}`}
	from := member{form: isPointer, example: `"/books"`}
	children := need(member{form: isNodes, most: maxNodes, example: `[{"kind": "text", "text": "Hello"}]`})
	tool := need(member{form: isTool, example: `"books_add"`})
	args := member{form: isArgs, example: `{"id": "{id}"}`}
	confirm := text(`"Remove “{title}”?"`)
	actions := member{
		form: isList, of: "action", most: 12,
		example: `[{"label": "Remove", "tool": "books_remove", "args": {"id": "{id}"}}]`,
	}
	empty := text(`"No books yet."`)
	return map[string]map[string]member{
		"page": {"source": source, "children": children},
		"section": {
			"title": text(`"Books"`), "text": text(`"What is read next"`), "source": source,
			"children": children,
		},
		"columns": {"source": source, "children": need(member{form: isNodes, most: 4, example: children.example})},
		"text": {"text": need(text(`"{count} books"`)), "style": {
			form:  isWord,
			words: []string{"plain", "muted", "strong", "figure"}, example: `"muted"`,
		}, "source": source, "from": from},
		"markdown": {"text": text(`"Some **bold** words"`), "source": source, "from": from},
		"list": {
			"title": text(`"Books"`), "source": source, "from": from, "empty": empty, "actions": actions,
			"item": need(member{form: isObject, of: "item", example: `{"title": "{title}"}`}),
			"check": {
				form: isObject, of: "check",
				example: `{"field": "read", "tool": "books_mark", "args": {"id": "{id}"}}`,
			},
		},
		"table": {
			"title": text(`"Books"`), "source": source, "from": from, "empty": empty, "actions": actions,
			"columns": need(member{
				form: isList, of: "column", most: 20,
				example: `[{"title": "Title", "text": "{title}"}]`,
			}),
		},
		"form": {
			"title": text(`"Add a book"`), "tool": tool, "args": args, "confirm": confirm, "submit": text(`"Add"`),
			"fields": {form: isNames, most: 40, example: `["title"]`},
		},
		"buttons": {"actions": need(actions)},
		"chart": {
			"title": need(text(`"Pages by day"`)), "source": source, "from": from, "empty": empty,
			"unit":  text(`"pages"`),
			"style": {form: isWord, words: []string{"bars", "lines"}, example: `"bars"`},
			"x":     need(text(`"{day}"`)),
			"series": need(member{
				form: isList, of: "series", most: 6,
				example: `[{"title": "Pages", "field": "pages"}]`,
			}),
		},
		"source": {
			"tool": need(member{form: isReader, example: `"books_show"`}), "args": args,
			"every": {form: isSeconds, example: `30`},
		},
		"item": {"title": need(text(`"{title}"`)), "text": text(`"{author}"`), "meta": text(`"{added|date}"`)},
		"check": {
			"field": need(member{form: isField, example: `"read"`}), "tool": tool, "args": args,
			"set": {form: isField, example: `"read"`},
		},
		"column": {
			"title": need(text(`"Title"`)), "text": need(text(`"{title}"`)),
			"align": {form: isWord, words: []string{"start", "end"}, example: `"end"`},
		},
		"series": {"title": need(text(`"Pages"`)), "field": need(member{form: isField, example: `"pages"`})},
		"action": {
			"label": need(text(`"Remove"`)), "tool": tool, "args": args, "confirm": confirm,
			"style": {form: isWord, words: []string{"plain", "primary", "danger"}, example: `"danger"`},
		},
	}
}
