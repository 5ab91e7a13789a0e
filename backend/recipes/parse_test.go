package recipes

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/recipe"
)

const small = `{
  "name": "check-postcode",
  "parameters": [{"name": "postcode", "default": "10437"}],
  "steps": [
    {"tool": "navigate_page", "args": {"url": "https://shop.example"}},
    {"tool": "type_text", "args": {"annotationId": {"role": "textbox", "name": "Postcode"}, "text": "{{postcode}}"}}
  ]
}`

func TestParseNamesPlaceOfMistake(t *testing.T) {
	for name, c := range map[string]struct{ old, now, want string }{
		"valid":    {"", "", ""},
		"not JSON": {`"steps": [`, `"steps": `, "6:5: not valid JSON"},
		"unknown member": {
			`"name": "check`, `"titel": "x", "name": "check`, "1:1: additional properties 'titel'",
		},
		"a number for element": {
			`{"role": "textbox", "name": "Postcode"}`, "12", "6:52: steps.1.args.annotationId: got number, want object",
		},
		"a name with a slash": {`"check-postcode"`, `"../x"`, "2:11: name: '../x' does not match pattern"},
		"an unknown parameter": {
			"{{postcode}}", "{{zip}} {{postcode}}", "6:5: there is no parameter zip for {{zip}}",
		},
		"an unused parameter": {"{{postcode}}", "x", "3:27: no step uses {{postcode}}"},
		"a parameter twice": {
			`[{"name": "postcode",`, `[{"name":"postcode"},{"name": "postcode",`, "the parameter postcode occurs twice",
		},
		"a value of a press": {
			`"text": "{{postcode}}"}`, `"text": "{{postcode}}"}, "keep": [{"name": "a", "label": "b"}]`,
			"only get_page_content can keep values",
		},
		"a taken parameter": {
			`{"name": "postcode", "default": "10437"}`, `{"name": "dry_run"}, {"name": "postcode"}`,
			"the name dry_run is taken by every recipe",
		},
		"a secret is no value": {"{{postcode}}", "{{secret:pin}} {{postcode}}", ""},
		"an event of no meaning": {
			`"{{postcode}}"}}`, `"{{postcode}}"}, "expect": {"event": "luck"}}`, "steps.1.expect.event: value must be one of",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(strings.Replace(small, c.old, c.now, 1)))
			var invalid *InvalidError
			wrong := err != nil && (!errors.As(err, &invalid) || !strings.Contains(err.Error(), c.want))
			if (c.want == "") != (err == nil) || wrong {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func text(t *testing.T, rec recipe.Recipe) string {
	t.Helper()
	b, err := Format(rec)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSavedRecipeIsReadAgain(t *testing.T) {
	folder := t.TempDir()
	changes := 0
	open := func() *Recipes {
		r, err := New(Config{Folder: folder, OnChange: func() { changes++ }, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	rec, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	r := open()
	if err := r.Save(rec); err != nil || changes != 1 {
		t.Fatalf("%v, %d changes", err, changes)
	}
	again, err := open().Get("check-postcode")
	if diff := cmp.Diff(text(t, rec), text(t, again)); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	before := changes
	if _, _, err := r.Reload(); err != nil || changes != before {
		t.Errorf("nothing changed: %v, %d changes", err, changes)
	}
	bad := rec
	bad.Steps = nil
	if err := r.Save(bad); err == nil {
		t.Error("a recipe without steps was kept")
	}

	// A person edits the file.
	path := filepath.Join(folder, "check-postcode", FileName)
	if err := os.WriteFile(path, []byte(strings.Replace(small, "10437", "10115", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	all, broken, err := r.Reload()
	if err != nil || len(broken) > 0 || *all[0].Parameters[0].Default != "10115" {
		t.Errorf("%v %v %v", all, broken, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if all, broken, err := r.Reload(); err != nil || len(all) != 0 || len(broken) != 1 {
		t.Errorf("a broken file: %v %v %v", all, broken, err)
	}
	if err := r.Delete("check-postcode"); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleting a recipe that is not there: %v", err)
	}
}

func TestToolHasParametersOfRecipe(t *testing.T) {
	rec := recipe.Recipe{Name: "sign-in", Parameters: []recipe.Parameter{{Name: "password", Secret: true}}}
	def := definition(rec)
	if def.Name != "recipe_sign_in" || !strings.Contains(string(def.Parameters), `"required":["password"]`) {
		t.Errorf("%s %s", def.Name, def.Parameters)
	}
	bad := "lantern-7"
	rec.Parameters[0].Default = &bad
	rec.Steps = []recipe.Step{{Tool: "wait_for", Args: []byte(`{"text":"{{password}}"}`)}}
	if _, err := Parse([]byte(text(t, rec))); err == nil || !strings.Contains(err.Error(), "not the value") {
		t.Errorf("the value of a secret in a recipe: %v", err)
	}
}
