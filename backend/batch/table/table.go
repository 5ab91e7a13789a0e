// Package table reads and writes tables as comma-separated values (RFC 4180).
package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// The limits of a table.
const (
	MaxBytes   = 10_000_000
	MaxRows    = 20_000
	MaxColumns = 200
)

// Read returns the columns and rows of a table, whose first line contains the columns. Its cells are separated by the
// comma, semicolon or tab that its first line has most of. A text that is not UTF-8 is read as Windows-1252. Empty
// lines are left out, and each row has as many cells as there are columns. The error can be read by a person.
func Read(text []byte) (columns []string, rows [][]string, err error) {
	if len(text) > MaxBytes {
		return nil, nil, fmt.Errorf("the table has more than %d MB", MaxBytes/1_000_000)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		if text, err = charmap.Windows1252.NewDecoder().Bytes(text); err != nil {
			return nil, nil, errors.New("the table is not text")
		}
	}
	if bytes.ContainsRune(text, 0) {
		return nil, nil, errors.New("the table is not text. Save it as CSV")
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma, reader.FieldsPerRecord = separator(text), -1
	reader.TrimLeadingSpace = reader.Comma != '\t' // it would trim empty cells
	for {
		cells, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			if len(rows) == 0 {
				return nil, nil, errors.New("the table needs a first line that names the columns, and rows below it")
			}
			return columns, rows, nil
		case err != nil:
			return nil, nil, fmt.Errorf("the table cannot be read: %w", err)
		case strings.TrimSpace(strings.Join(cells, "")) == "":
			continue
		case columns == nil:
			if columns, err = readColumns(cells); err != nil {
				return nil, nil, err
			}
			continue
		case len(cells) > len(columns):
			line, _ := reader.FieldPos(0)
			return nil, nil, fmt.Errorf("line %d has %d cells, and the first line has %d", line, len(cells),
				len(columns))
		case len(rows) == MaxRows:
			return nil, nil, fmt.Errorf("the table has more than %d rows", MaxRows)
		}
		rows = append(rows, append(cells, make([]string, len(columns)-len(cells))...))
	}
}

func readColumns(cells []string) ([]string, error) {
	if len(cells) > MaxColumns {
		return nil, fmt.Errorf("the table has more than %d columns", MaxColumns)
	}
	seen := map[string]bool{}
	for i, name := range cells {
		cells[i] = strings.TrimSpace(name)
		if cells[i] != "" && seen[cells[i]] {
			return nil, fmt.Errorf("two columns are called %q", cells[i])
		}
		seen[cells[i]] = true
	}
	return cells, nil
}

func separator(text []byte) rune {
	line, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	best := ','
	for _, c := range ";\t" {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(best))) {
			best = c
		}
	}
	return best
}

// Write writes a table. A cell that a spreadsheet would compute gets an apostrophe before it.
func Write(w io.Writer, columns []string, rows [][]string) error {
	out := csv.NewWriter(w)
	for _, cells := range slices.Concat([][]string{columns}, rows) {
		safe := make([]string, len(cells))
		for i, c := range cells {
			safe[i] = withoutFormula(c)
		}
		if err := out.Write(safe); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// withoutFormula leaves numbers with a sign as they are.
func withoutFormula(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if (cell[0] == '+' || cell[0] == '-') && strings.Trim(cell[1:], "0123456789., \u00a0€$£%") == "" {
		return cell
	}
	return "'" + cell
}
