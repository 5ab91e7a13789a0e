package table_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/batch/table"
)

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		columns []string
		rows    [][]string
	}{
		"commas":           {"a,b\n1,\"x, y\"\n", []string{"a", "b"}, [][]string{{"1", "x, y"}}},
		"semicolons":       {"a;b\n1;2,50\n", []string{"a", "b"}, [][]string{{"1", "2,50"}}},
		"tabs":             {"a\tb\tc\n1\t\t2\n", []string{"a", "b", "c"}, [][]string{{"1", "", "2"}}},
		"byte order mark":  {"\ufeffa\n1\n", []string{"a"}, [][]string{{"1"}}},
		"Windows-1252":     {"name\nM\xfcller\n", []string{"name"}, [][]string{{"Müller"}}},
		"Windows line end": {"a,b\r\n1,2\r\n", []string{"a", "b"}, [][]string{{"1", "2"}}},
		"empty lines":      {"\na,b\n\n1,2\n,\n3,4\n", []string{"a", "b"}, [][]string{{"1", "2"}, {"3", "4"}}},
		"missing cells":    {"a,b,c\n1\n", []string{"a", "b", "c"}, [][]string{{"1", "", ""}}},
		"line in a cell":   {"a\n\"x\ny\"\n", []string{"a"}, [][]string{{"x\ny"}}},
	} {
		columns, rows, err := table.Read([]byte(c.text))
		if err != nil || !cmp.Equal(columns, c.columns) || !cmp.Equal(rows, c.rows) {
			t.Errorf("%s: %q %q %v", name, columns, rows, err)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":         {"", "needs a first line"},
		"no rows":         {"a,b\n", "needs a first line"},
		"too many cells":  {"a,b\n1,2\n1,2,3\n", "line 3 has 3 cells, and the first line has 2"},
		"columns twice":   {"a,a\n1,2\n", `two columns are called "a"`},
		"a quote is open": {"a\n\"x\n", "cannot be read"},
		"not text":        {"a\x00b\n1\n", "Save it as CSV"},
		"too many rows":   {"a\n" + strings.Repeat("1\n", table.MaxRows+1), "more than 20000 rows"},
		"too long":        {strings.Repeat("a", table.MaxBytes+1), "more than 10 MB"},
	} {
		if _, _, err := table.Read([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWriteKeepsSpreadsheetsFromComputing(t *testing.T) {
	var out strings.Builder
	err := table.Write(&out, []string{"=a"}, [][]string{
		{"=HYPERLINK(1)"}, {"@SUM(1)"}, {"+1"}, {"-12.50 €"}, {"-cmd|x"}, {"\t=1"}, {"a=b"}, {"x, y"},
	})
	want := "'=a\n'=HYPERLINK(1)\n'@SUM(1)\n+1\n-12.50 €\n'-cmd|x\n'\t=1\na=b\n\"x, y\"\n"
	if err != nil || out.String() != want {
		t.Errorf("%q %v", out.String(), err)
	}
}
