package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sextant/shared/event"
	"sextant/shared/excerpt"
)

const (
	maxFields  = 40
	maxOptions = 200
	maxText    = 500
	maxFilled  = 16 << 10
)

// property is one value of a form. MCP's elicitation allows only primitive values, and two ways of naming choices.
type property struct {
	Type        string        `json:"type"`
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Format      string        `json:"format"`
	Enum        []string      `json:"enum"`
	EnumNames   []string      `json:"enumNames"`
	OneOf       []titledValue `json:"oneOf"`
	AnyOf       []titledValue `json:"anyOf"`
	Items       *property     `json:"items"`
	Default     any           `json:"default"`
	Minimum     *float64      `json:"minimum"`
	Maximum     *float64      `json:"maximum"`
	MinLength   *float64      `json:"minLength"`
	MaxLength   *float64      `json:"maxLength"`
	MinItems    *float64      `json:"minItems"`
	MaxItems    *float64      `json:"maxItems"`
}

type titledValue struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// FormFields converts the JSON Schema of an object with primitive values and choices to form fields, required fields
// first. It fails for any other schema, and for one that is too large for a person to read.
func FormFields(schema []byte) ([]event.FormField, error) {
	var form struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(schema, &form); err != nil {
		return nil, fmt.Errorf("reading the form: %w", err)
	}
	if len(form.Properties) == 0 || len(form.Properties) > maxFields {
		return nil, fmt.Errorf("a form has between 1 and %d fields, not %d", maxFields, len(form.Properties))
	}
	fields := make([]event.FormField, 0, len(form.Properties))
	names := slices.SortedFunc(maps.Keys(form.Properties), func(a, b string) int {
		left, right := slices.Contains(form.Required, a), slices.Contains(form.Required, b)
		if left != right {
			if left {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		f, err := form.Properties[name].field(name)
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(form.Required, name)
		fields = append(fields, f)
	}
	return fields, nil
}

func (p property) field(name string) (event.FormField, error) {
	f := event.FormField{
		Name: name, Title: excerpt.TruncateRunes(p.Title, maxText),
		Description: excerpt.TruncateRunes(p.Description, maxText),
		Kind:        event.FieldKind(p.Type),
	}
	if f.Title == "" {
		f.Title = excerpt.TruncateRunes(name, maxText)
	}
	switch p.Type {
	case "number", "integer":
		f.Min, f.Max = p.Minimum, p.Maximum
	case "boolean":
	case "string":
		f.Kind, f.Format, f.Min, f.Max = event.FieldText, p.Format, p.MinLength, p.MaxLength
		if f.Options = p.options(); len(f.Options) > 0 {
			f.Kind, f.Min, f.Max = event.FieldChoice, nil, nil
		}
	case "array":
		f.Kind, f.Min, f.Max = event.FieldChoices, p.MinItems, p.MaxItems
		if p.Items != nil {
			f.Options = p.Items.options()
		}
		if len(f.Options) == 0 {
			return f, fmt.Errorf("field %q of the form is a list without choices", excerpt.TruncateRunes(name, maxText))
		}
	default:
		return f, fmt.Errorf("field %q of the form is neither a primitive value nor a choice",
			excerpt.TruncateRunes(name, maxText))
	}
	if len(f.Options) > maxOptions {
		return f, fmt.Errorf("field %q of the form has more than %d choices", excerpt.TruncateRunes(name, maxText),
			maxOptions)
	}
	if proposed, err := checkValue(f, p.Default); err == nil {
		f.Default = proposed
	}
	return f, nil
}

func (p property) options() (all []event.FormOption) {
	for i, value := range p.Enum {
		title := value
		if i < len(p.EnumNames) {
			title = p.EnumNames[i]
		}
		all = append(all, event.FormOption{Value: value, Title: excerpt.TruncateRunes(title, maxText)})
	}
	for _, c := range append(p.OneOf, p.AnyOf...) {
		if c.Title == "" {
			c.Title = c.Const
		}
		all = append(all, event.FormOption{Value: c.Const, Title: excerpt.TruncateRunes(c.Title, maxText)})
	}
	return all
}

func checkForm(form []event.FormField, filled map[string]any) (map[string]any, error) {
	if len(form) == 0 {
		return nil, nil
	}
	if b, err := json.Marshal(filled); err != nil || len(b) > maxFilled {
		return nil, fmt.Errorf("%w: the values are longer than %d KB", ErrInvalidForm, maxFilled>>10)
	}
	out := map[string]any{}
	for _, f := range form {
		given, there := filled[f.Name]
		if !there || given == nil || given == "" && f.Kind != event.FieldText {
			if f.Required {
				return nil, fmt.Errorf("%w: %s is required", ErrInvalidForm, f.Title)
			}
			continue
		}
		if given == "" && !f.Required && f.Min == nil && f.Format == "" {
			continue
		}
		fits, err := checkValue(f, given)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %w", ErrInvalidForm, f.Title, err)
		}
		out[f.Name] = fits
	}
	return out, nil
}

func checkValue(f event.FormField, given any) (any, error) {
	switch f.Kind {
	case event.FieldBoolean:
		if yes, ok := given.(bool); ok {
			return yes, nil
		}
		return nil, errors.New("must be yes or no")
	case event.FieldNumber, event.FieldInteger:
		n, ok := given.(float64)
		if !ok || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, errors.New("must be a number")
		}
		if f.Kind == event.FieldInteger && n != math.Trunc(n) {
			return nil, errors.New("must be a whole number")
		}
		return n, checkBounds(f, n, "")
	case event.FieldChoices:
		list, ok := given.([]any)
		if !ok {
			return nil, errors.New("must be a list of choices")
		}
		for _, one := range list {
			if !isOption(f, one) {
				return nil, errors.New("must be one of the choices")
			}
		}
		return list, checkBounds(f, float64(len(list)), " choices")
	case event.FieldChoice:
		if !isOption(f, given) {
			return nil, errors.New("must be one of the choices")
		}
		return given, nil
	}
	text, ok := given.(string)
	if !ok {
		return nil, errors.New("must be text")
	}
	if err := checkBounds(f, float64(utf8.RuneCountInString(text)), " characters"); err != nil {
		return nil, err
	}
	return text, checkFormat(f.Format, text)
}

func isOption(f event.FormField, given any) bool {
	return slices.ContainsFunc(f.Options, func(o event.FormOption) bool { return any(o.Value) == given })
}

func checkBounds(f event.FormField, n float64, of string) error {
	switch {
	case f.Min != nil && n < *f.Min:
		return fmt.Errorf("must be at least %v%s", *f.Min, of)
	case f.Max != nil && n > *f.Max:
		return fmt.Errorf("must be at most %v%s", *f.Max, of)
	}
	return nil
}

func checkFormat(format, text string) error {
	var err error
	example := ""
	switch format {
	case "email":
		_, err = mail.ParseAddress(text)
		example = "an address such as ana@example.com"
	case "uri":
		var u *url.URL
		if u, err = url.Parse(text); err == nil && !u.IsAbs() {
			err = errors.New("no scheme")
		}
		example = "an address such as https://example.com"
	case "date":
		_, err = time.Parse(time.DateOnly, text)
		example = "a date such as 2026-07-28"
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
		example = "a time such as 2026-07-28T15:04:05Z"
	}
	if err != nil {
		return errors.New("must be " + example)
	}
	return nil
}
