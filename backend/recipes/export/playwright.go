// Package export writes recipes as tests for other programs.
package export

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sextant/backend/recipes"
	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

// Playwright returns the text of a test for @playwright/test that repeats a recipe. omitted names the steps that the
// test leaves out, a line each; the test says so, too.
func Playwright(rec recipe.Recipe) (test string, omitted []string) {
	p := playwright{recipe: rec}
	for i := range rec.Steps {
		p.step(i)
	}
	var b strings.Builder
	b.WriteString("import { expect, test } from '@playwright/test';\n\n")
	b.WriteString("// The values can be set with environment variables, such as " + variable("name") + ".\n")
	b.WriteString("const values = {\n")
	for _, v := range rec.Parameters {
		value := ""
		if v.Default != nil && !v.Secret {
			value = *v.Default
		}
		fmt.Fprintf(&b, "  %s: process.env.%s ?? %s,\n", v.Name, variable(v.Name), quote(value))
	}
	b.WriteString("};\n" + settledHelper)
	if strings.Contains(p.body.String(), "literal(") {
		b.WriteString(literalHelper)
	}
	if strings.Contains(p.body.String(), "frameAt(") {
		b.WriteString(frameHelper)
	}
	if strings.Contains(p.body.String(), "pageWith(") {
		b.WriteString(pageHelper)
	}
	p.line("await settled(page); // what the last step began may still be saved")
	fmt.Fprintf(&b, "\ntest(%s, async ({ page: first, context }) => {\n  let page = first;\n%s});\n",
		quote(cmp.Or(rec.Description, rec.Name)), p.body.String())
	return b.String(), p.omitted
}

const settledHelper = `
/** Waits until the page has sent nothing for a second. */
async function settled(page) {
  const sends = () => page.waitForRequest(() => true, { timeout: 1000 }).then(() => true, () => false);
  for (let n = 0; n < 10 && (await sends()); n++);
}
`

const literalHelper = `
/** Returns a text for a regular expression that matches just this text. */
const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
`

const frameHelper = `
/** Returns the frame that shows an address. */
async function frameAt(page, url) {
  const find = () => page.frames().find((frame) => frame.url().split(/[?#]/)[0] === url);
  await expect.poll(() => find() !== undefined).toBe(true);
  return find();
}
`

const pageHelper = `
/** Returns a page of the browser on which ` + "`find`" + ` finds one element. */
async function pageWith(context, find) {
  for (const page of context.pages()) if ((await find(page).count()) === 1) return page;
  throw new Error('no page has this element');
}
`

func variable(name string) string { return "RECIPE_" + strings.ToUpper(name) }

type playwright struct {
	recipe recipe.Recipe
	body   strings.Builder
	// omitted are the steps that the test leaves out.
	omitted []string
	// skip is true if the step was written with the one before it.
	skip bool
}

func (p *playwright) line(format string, args ...any) {
	fmt.Fprintf(&p.body, "  "+format+"\n", args...)
}

// maxComment bounds the characters of a comment.
const maxComment = 1000

func (p *playwright) omit(n int, why string) {
	text := fmt.Sprintf("step %d, %s: %s", n+1, recipes.Sentence(p.recipe.Steps[n]), why)
	p.omitted = append(p.omitted, text)
	p.line("// Left out: %s", annotation.Clean(text, maxComment))
}

type stepArgs struct {
	URL, Action, Text, Key, Direction, Path, Gone, Button string
	Values, Paths, Modifiers                              []string
	Submit                                                bool
	Clear, Accept                                         *bool
	Count, Amount                                         int
}

// step writes the step with the index n.
func (p *playwright) step(n int) {
	if p.skip {
		p.skip = false
		return
	}
	s := p.recipe.Steps[n]
	var args stepArgs
	_ = json.Unmarshal(s.Args, &args) // an argument of another type is left out
	act := p.action(s, args, recipes.References(s))
	if act == "" {
		p.omit(n, "Playwright has nothing like it")
		return
	}
	p.line("// %s", annotation.Clean(recipes.Sentence(s), maxComment))
	if ref, ok := recipes.References(s)["annotationId"]; ok && s.Optional {
		p.line("if (await %s.waitFor({ timeout: 5000 }).then(() => true, () => false)) {", p.target(ref))
		defer p.line("}")
	}
	event := ""
	if s.Expect != nil {
		event = s.Expect.Event
	}
	switch event {
	case "dialog":
		p.dialog(n)
		p.line("await %s;", act)
	case "opened_tab":
		p.line("[page] = await Promise.all([context.waitForEvent('page'), %s]);", act)
	case "closed_tab":
		p.line("await Promise.all([page.waitForEvent('close'), %s]);", act)
		p.line("page = context.pages().at(-1);")
	case "download":
		p.line("const [download%d] = await Promise.all([page.waitForEvent('download'), %s]);", n+1, act)
		p.line("await download%d.saveAs(`${process.env.DOWNLOADS ?? 'downloads'}/${download%d.suggestedFilename()}`);",
			n+1, n+1)
	default:
		p.line("await %s;", act)
	}
	if s.Expect == nil {
		return
	}
	if s.Expect.URL != "" && event != "opened_tab" { // it is the address of the page that opened the tab
		p.line("await expect(page).toHaveURL(%s);", addressPattern(s.Expect.URL))
	}
	if appears := p.appears(s); appears != "" {
		p.line("await expect(%s.filter({ visible: true }).first()).toBeVisible();", appears)
	}
}

// dialog answers the dialog that step n opens, as the next step does.
func (p *playwright) dialog(n int) {
	accept, text, skip := dialogAnswer(p.recipe, n)
	p.skip = skip
	answer := "dismiss()"
	if accept {
		answer = "accept(" + template(text) + ")"
	}
	p.line("page.once('dialog', (dialog) => dialog.%s);", answer)
}

// dialogAnswer returns how the step after step n answers the dialog that step n opens, with which text, and whether
// that step does nothing else.
func dialogAnswer(rec recipe.Recipe, n int) (accept bool, text string, only bool) {
	if n+1 >= len(rec.Steps) {
		return false, "", false
	}
	next := rec.Steps[n+1]
	var args stepArgs
	_ = json.Unmarshal(next.Args, &args) // an argument of another type is left out
	switch next.Tool {
	case "handle_dialog":
		return args.Accept == nil || *args.Accept, args.Text, true
	case "press_key":
		return args.Key == "Enter", args.Text, true
	}
	return false, "", false
}

// countFrames counts the frames in which the steps act.
func countFrames(rec recipe.Recipe) int {
	frames := map[string]bool{}
	for _, s := range rec.Steps {
		for _, r := range recipes.References(s) {
			if r.Frame != "" {
				frames[r.Frame] = true
			}
		}
	}
	return len(frames)
}

func withScheme(address string) string {
	if !strings.Contains(address, ":") {
		return "https://" + address
	}
	return address
}

// appears returns a locator of what must appear after a step, "" for nothing.
func (p *playwright) appears(s recipe.Step) string {
	const most = 8
	if countFrames(p.recipe) > 0 { // what appears may be in a frame
		return ""
	}
	var all []string
	for _, r := range s.Expect.Appears {
		if isRole(r.Role) && len(all) < most {
			all = append(all, byName("page", r))
			if r.Role == "button" { // it may be a summary, which is none for Playwright
				all = append(all, "page.getByText("+template(r.Name)+", { exact: true })")
			}
		}
	}
	for _, text := range s.Expect.Texts {
		if !strings.ContainsAny(text, "0123456789") {
			all = append(all, "page.getByText("+template(text)+")")
		}
	}
	if len(all) == 0 {
		return ""
	}
	locator := all[0]
	for _, other := range all[1:] {
		locator += ".or(" + other + ")"
	}
	return locator
}

// action returns the expression that does a step, "" if there is none.
func (p *playwright) action(s recipe.Step, args stepArgs, refs map[string]annotation.Reference) string {
	switch s.Tool {
	case "navigate_page":
		return navigate(args)
	case "press_key":
		return "page.keyboard.press(" + template(args.Key) + ")"
	case "drag_element":
		from, ok := refs["from"]
		to, both := refs["to"]
		if !ok || !both {
			return ""
		}
		return p.target(from) + ".dragTo(" + p.target(to) + ")"
	case "scroll_page":
		return p.scroll(args, refs)
	case "wait_for":
		switch {
		case args.Text != "":
			return "expect(page.getByText(" + template(args.Text) + ").first()).toBeVisible()"
		case args.Gone != "":
			return "expect(page.getByText(" + template(args.Gone) + ")).toHaveCount(0)"
		case args.URL != "":
			return "page.waitForURL((url) => url.href.includes(" + template(args.URL) + "))"
		}
	}
	if ref, ok := refs["annotationId"]; ok && ref.Role != annotation.UnknownRole {
		return onElement(s.Tool, p.target(ref), args)
	}
	return ""
}

func navigate(args stepArgs) string {
	switch args.Action {
	case "back":
		return "page.goBack()"
	case "forward":
		return "page.goForward()"
	case "reload":
		return "page.reload()"
	}
	if args.URL == "demo" { // only Sextant has it
		return ""
	}
	return "page.goto(" + template(withScheme(args.URL)) + ")"
}

// onElement returns the expression that does something with the element that on locates, "" if there is none.
func onElement(tool, on string, args stepArgs) string {
	switch tool {
	case "click_element":
		return on + ".click(" + clickOptions(args) + ")"
	case "hover_element":
		return on + ".hover()"
	case "type_text":
		text := on + ".fill(" + template(args.Text) + ")"
		if args.Clear != nil && !*args.Clear {
			text = on + ".pressSequentially(" + template(args.Text) + ")"
		}
		if args.Submit {
			text += ".then(() => " + on + ".press('Enter'))"
		}
		return text
	case "select_option":
		return on + ".selectOption(" + templates(args.Values) + ")"
	case "upload_file":
		files := args.Paths
		if args.Path != "" {
			files = append(files, args.Path)
		}
		return "Promise.all([page.waitForEvent('filechooser'), " + on + ".click()])" +
			".then(([chooser]) => chooser.setFiles(" + templates(files) + "))"
	}
	return ""
}

// defaultScroll is how far a step without an amount scrolls, in CSS pixels.
const defaultScroll = 600

func (p *playwright) scroll(args stepArgs, refs map[string]annotation.Reference) string {
	amount := cmp.Or(args.Amount, defaultScroll)
	by := map[string]string{
		"": fmt.Sprintf("0, %d", amount), "down": fmt.Sprintf("0, %d", amount), "up": fmt.Sprintf("0, %d", -amount),
		"right": fmt.Sprintf("%d, 0", amount), "left": fmt.Sprintf("%d, 0", -amount),
		"top": "0, -1e6", "bottom": "0, 1e6",
	}[args.Direction]
	if box, ok := refs["target"]; ok {
		return p.target(box) + ".evaluate((box) => box.scrollBy(" + by + "))"
	}
	if args.Direction == "bottom" { // a page may become longer at its end
		return "page.evaluate(async () => { for (let end = -1; end !== document.body.scrollHeight; ) { " +
			"end = document.body.scrollHeight; scrollTo(0, end); " +
			"await new Promise((done) => setTimeout(done, 500)); } })"
	}
	return "page.evaluate(() => scrollBy(" + by + ")).then(() => settled(page))"
}

func clickOptions(args stepArgs) string {
	var all []string
	if args.Count > 1 {
		all = append(all, fmt.Sprintf("clickCount: %d", args.Count))
	}
	if args.Button != "" && args.Button != "left" {
		all = append(all, "button: "+quote(args.Button))
	}
	if len(args.Modifiers) > 0 {
		all = append(all, "modifiers: "+templates(args.Modifiers))
	}
	if len(all) == 0 {
		return ""
	}
	return "{ " + strings.Join(all, ", ") + " }"
}

// target returns the locator of an element. If others have its role and name, its row or its group decides.
func (p *playwright) target(r annotation.Reference) string {
	page := "page"
	switch {
	case r.Frame != "":
		page = "(await frameAt(page, " + quote(r.Frame) + "))"
	case r.InOtherTab:
		page = "(page = await pageWith(context, (page) => " + byName("page", r) + "))"
	}
	switch {
	case r.Row != "":
		return within(page, "hasText: "+textPattern(r.Row, anyText), r)
	case r.Twins && r.Group != "":
		return within(page, "has: "+page+".getByText("+template(r.Group)+", { exact: true })", r)
	}
	return byName(page, r)
}

// within returns an element within the innermost part of the page that has it and something else.
func within(page, filter string, r annotation.Reference) string {
	return page + ".locator('body *').filter({ " + filter + " }).filter({ has: " + byName(page, r) + " }).last()" +
		strings.TrimPrefix(byName(page, r), page)
}

// fields are roles of fields that Playwright finds only by their labels.
var fields = []string{"date", "time", "color", "month", "week", "datetime", "file", "password"}

// isNamedByContent reports whether elements of a role are found by their text.
func isNamedByContent(role string) bool {
	return slices.Contains([]string{"clickable", "listitem", "row", "paragraph", annotation.AnyRole}, role)
}

func isRole(role string) bool { return !slices.Contains(fields, role) && !isNamedByContent(role) }

// byName returns the locator of the elements with the role and name of r.
func byName(page string, r annotation.Reference) string {
	switch {
	case isNamedByContent(r.Role):
		name, whole := withoutNear(r)
		if !whole {
			return page + ".getByText(" + textPattern(name, gap) + ")"
		}
		return page + ".getByText(" + textPattern("^"+name+"$", gap) + ").or(" + page + ".getByLabel(" +
			template(name) + ", { exact: true })).or(" + page + ".getByTitle(" + template(name) +
			", { exact: true })).filter({ visible: true })"
	case slices.Contains(fields, r.Role):
		return page + ".getByLabel(" + template(r.Name) + ", { exact: true })"
	case strings.HasSuffix(r.Name, "…"):
		return page + ".getByRole(" + quote(r.Role) + ", { name: " + textPattern("^"+r.Name, gap) + " })"
	case recipes.Placeholder.MatchString(r.Name): // the page may write the value in another case
		return page + ".getByRole(" + quote(r.Role) + ", { name: " + textPattern("^"+r.Name+"$", gap) + " })"
	case r.Role == "textbox": // a field for passwords has no role
		return page + ".getByRole('textbox', { name: " + template(r.Name) + ", exact: true }).or(" + page +
			".locator('input[type=password]').and(" + page + ".getByLabel(" + template(r.Name) + ", { exact: true })))"
	}
	return page + ".getByRole(" + quote(r.Role) + ", { name: " + template(r.Name) + ", exact: true })"
}

// withoutNear returns the name of an element that is named by its content, without the names of controls in it. whole
// is true if there are none.
func withoutNear(r annotation.Reference) (name string, whole bool) {
	name = r.Name
	for _, near := range r.Near {
		if rest := strings.TrimSuffix(strings.TrimPrefix(name, near), near); strings.TrimSpace(rest) != "" {
			name = rest
		}
	}
	return strings.TrimSpace(name), name == r.Name
}

// What may be between two words: nothing but spaces within one text, and any text within a row.
const (
	gap     = `\s*`
	anyText = `[^]*?`
)

// textPattern returns a regular expression in JavaScript for a text with between between its words. ^ before the text
// is its beginning, $ after it is its end, and … at its end is any rest.
func textPattern(text, between string) string {
	begin, end := "", ""
	if rest, ok := strings.CutPrefix(text, "^"); ok {
		begin, text = `^\s*`, rest
		if rest, ok := strings.CutSuffix(text, "$"); ok {
			end, text = `\s*$`, rest
		}
	}
	if rest, ok := strings.CutSuffix(text, "…"); ok {
		end, text = "", rest
	}
	parts := strings.Fields(text)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
		switch {
		case between == anyText: // numbers of a row are #
			parts[i] = strings.ReplaceAll(parts[i], "#", `\d+`)
		case part == "·": // between two parts of a name
			parts[i] = "·?"
		}
	}
	pattern := begin + strings.Join(parts, between) + end
	if pattern == "" {
		pattern = "(?:)"
	}
	if !recipes.Placeholder.MatchString(text) {
		return expression(pattern, "i")
	}
	pattern = strings.NewReplacer(`\{\{`, "{{", `\}\}`, "}}").Replace(pattern)
	pattern = recipes.Placeholder.ReplaceAllString(escapeTemplate(pattern), "$${literal(values.$1)}")
	return "new RegExp(`" + pattern + "`, 'i')"
}

// addressPattern returns a regular expression in JavaScript for an address without its query.
func addressPattern(pattern string) string {
	if recipes.Placeholder.MatchString(pattern) {
		return "(url) => url.href.startsWith(" + template(pattern) + ")"
	}
	quoted := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(pattern, "/")), `\*`, `[^/]*`)
	return expression("^"+quoted+`/?(?:[?#].*)?$`, "")
}

// expression returns a regular expression in JavaScript.
func expression(pattern, flags string) string {
	if strings.ContainsFunc(pattern, breaksLine) {
		return "new RegExp(" + quote(pattern) + ", '" + flags + "')"
	}
	return "/" + strings.ReplaceAll(pattern, "/", `\/`) + "/" + flags
}

func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// quote returns text as a string in JavaScript.
func quote(text string) string {
	return "'" + strings.ReplaceAll(escape(text), "'", `\'`) + "'"
}

// template returns text as a string in JavaScript, with values for its placeholders.
func template(text string) string {
	if !recipes.Placeholder.MatchString(text) {
		return quote(text)
	}
	return "`" + recipes.Placeholder.ReplaceAllString(escapeTemplate(text), "$${values.$1}") + "`"
}

// escape returns text without line ends and other control characters for a string in JavaScript.
func escape(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(b[1:len(b)-1]), `\"`, `"`)
}

func escapeTemplate(text string) string {
	return strings.NewReplacer("`", "\\`", "${", "\\${").Replace(escape(text))
}

func templates(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = template(text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
