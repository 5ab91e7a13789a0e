package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

func TestPlaywrightTestRepeatsTheSteps(t *testing.T) {
	fen := "Fen"
	rec := recipe.Recipe{
		Name: "order", Parameters: []recipe.Parameter{{Name: "lamp", Default: &fen}, {Name: "pin", Secret: true}},
		Steps: []recipe.Step{
			step("navigate_page", `{"url":"http://shop.test/"}`, &recipe.Effect{URL: "http://shop.test/*/1"}),
			step("type_text", `{"annotationId":{"role":"textbox","name":"PIN"},"text":"{{pin}}","submit":true}`, nil),
			step("click_element", `{"annotationId":{"role":"link","name":"{{lamp}} lamp"}}`,
				&recipe.Effect{Event: "opened_tab", URL: "http://shop.test/"}),
			step("click_element", `{"annotationId":{"role":"button","name":"Remove","row":"Fen # €","twins":true}}`,
				&recipe.Effect{Event: "dialog"}),
			step("handle_dialog", `{"accept":true}`, nil),
			step("select_option", `{"annotationId":{"role":"combobox","name":"Kind","frame":"http://pay.test/"},`+
				`"values":["A"]}`, &recipe.Effect{Appears: []annotation.Reference{{Role: "link", Name: "Next"}}}),
			step("write_file", `{"path":"a.txt","text":"x"}`, nil),
		},
	}
	test, omitted := Playwright(rec)
	for _, want := range []string{
		"lamp: process.env.RECIPE_LAMP ?? 'Fen',", "pin: process.env.RECIPE_PIN ?? '',",
		"await page.goto('http://shop.test/');",
		`await expect(page).toHaveURL(/^http:\/\/shop\.test\/[^\/]*\/1\/?(?:[?#].*)?$/);`,
		".fill(`${values.pin}`).then(() => ",
		"[page] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: new RegExp(" +
			"`^\\\\s*${literal(values.lamp)}\\\\s*lamp\\\\s*$`, 'i') }).click()]);",
		"page.once('dialog', (dialog) => dialog.accept(''));",
		`page.locator('body *').filter({ hasText: /Fen[^]*?\d+[^]*?€/i }).filter({ has: page.getByRole('button',`,
		"(await frameAt(page, 'http://pay.test/')).getByRole('combobox', { name: 'Kind', exact: true })",
		"// Left out: step 7, Run write_file: Playwright has nothing like it",
	} {
		if !strings.Contains(test, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if len(omitted) != 1 || strings.Contains(test, "Accept the dialog") || strings.Contains(test, "Next") {
		t.Errorf("left out: %q", omitted)
	}
	check(t, test)
}

// Texts of a page stay texts, whatever they contain.
func TestPlaywrightTestRunsNothingOfThePage(t *testing.T) {
	for _, text := range []string{
		`'); throw 1; ('`, "`; throw 1; `", "${throwing()}", "*/ throw 1; /*", "\n throw 1;", "\u2028throw 1;",
		`\`, `\'`, "\r\nthrow 1", `/ + throwing() + /`, `]/;throw 1;//`,
	} {
		lamp := recipe.Parameter{Name: "lamp", Default: &text}
		rec := recipe.Recipe{Name: "x", Description: text, Parameters: []recipe.Parameter{lamp}}
		for _, name := range []string{text, text + " {{lamp}}", text + "…"} {
			for _, role := range []string{"button", "clickable", "date", "textbox", "listitem"} {
				args, err := json.Marshal(map[string]any{
					"annotationId": annotation.Reference{Role: role, Name: name, Row: text, Group: text, Twins: true},
					"text":         name, "url": name, "key": name, "values": []string{name},
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, tool := range []string{
					"click_element", "type_text", "navigate_page", "press_key", "write_file",
				} {
					rec.Steps = append(rec.Steps, step(tool, string(args), &recipe.Effect{URL: name}))
				}
			}
		}
		test, _ := Playwright(rec)
		for line := range strings.SplitSeq(test, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "throw") {
				t.Fatalf("%q runs:\n%s", text, test)
			}
		}
		check(t, test)
	}
}

func step(tool, args string, expect *recipe.Effect) recipe.Step {
	return recipe.Step{Tool: tool, Args: json.RawMessage(args), Expect: expect}
}

// check lets Node read the test.
func check(t *testing.T, test string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.mjs")
	if err := os.WriteFile(path, []byte(test), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "node", "--check", path).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, test)
	}
}
