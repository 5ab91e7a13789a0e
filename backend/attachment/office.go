package attachment

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"sextant/shared/chat"
)

const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// maxPart limits one decompressed part of a document. maxColumns and maxSheets limit a spreadsheet.
	maxPart    = 32 << 20
	maxColumns = 256
	maxSheets  = 100
)

var errPartTooLarge = errors.New("part too large")

// readOffice reads a docx or xlsx file (ECMA-376). The names in the archive are only compared, never used as paths.
func readOffice(name string, data []byte) (content, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return content{}, refuse("%s is damaged: it begins like a zip archive but cannot be opened.", name)
	}
	parts := officeParts{}
	for _, f := range archive.File {
		if _, known := parts[f.Name]; !known {
			parts[f.Name] = f
		}
	}
	c := content{kind: chat.FileDocument}
	switch {
	case parts["word/document.xml"] != nil:
		c.mime = docxType
		c.text, err = parts.document()
	case parts["xl/workbook.xml"] != nil:
		c.mime = xlsxType
		c.text, c.pages, err = parts.workbook()
	default:
		return content{}, refuse("%s is an archive. Sextant does not open archives: unpack it, then attach "+
			"the files that matter.", name)
	}
	switch {
	case errors.Is(err, errPartTooLarge):
		return content{}, refuse("%s grows to more than 32 MB when it is unpacked, so it is not read. Save its "+
			"text as a text or CSV file, then attach that.", name)
	case err != nil:
		return content{}, refuse("%s is damaged and cannot be read. Save it again in the program that made it.", name)
	case strings.TrimSpace(c.text) == "":
		return content{}, refuse("%s contains no text.", name)
	}
	return c, nil
}

type officeParts map[string]*zip.File

// each calls token for the tokens of a part until it returns false. A missing part has none.
func (p officeParts) each(name string, token func(xml.Token) bool) error {
	f := p[name]
	if f == nil {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	limit := &io.LimitedReader{R: r, N: maxPart}
	d := xml.NewDecoder(limit) // it expands no entities but the five of XML
	for {
		t, err := d.RawToken()
		switch {
		case limit.N <= 0:
			return errPartTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !token(t):
			return nil
		}
	}
}

// document returns the paragraphs of a docx file, with the cells of a table row on one line.
func (p officeParts) document() (string, error) {
	var b strings.Builder
	inText, cells := false, 0
	err := p.each("word/document.xml", func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				inText = true
			case "tab":
				b.WriteByte('\t')
			case "br", "cr":
				b.WriteByte('\n')
			case "tc":
				cells++
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "t":
				inText = false
			case "p":
				b.WriteByte(separator(cells > 0))
			case "tc":
				cells--
				b.WriteByte('\t')
			case "tr":
				b.WriteByte('\n')
			}
		case xml.CharData:
			if inText {
				b.Write(t)
			}
		}
		return b.Len() < maxText
	})
	return b.String(), err
}

func separator(inCell bool) byte {
	if inCell {
		return ' '
	}
	return '\n'
}

// workbook returns the sheets of an xlsx file as lines of tab-separated values.
func (p officeParts) workbook() (text string, sheets int, err error) {
	shared, err := p.sharedStrings()
	if err != nil {
		return "", 0, err
	}
	targets := map[string]string{}
	err = p.each("xl/_rels/workbook.xml.rels", func(t xml.Token) bool {
		if s, ok := t.(xml.StartElement); ok && s.Name.Local == "Relationship" {
			targets[attribute(s, "Id")] = path.Join("xl", attribute(s, "Target"))
			if target := attribute(s, "Target"); strings.HasPrefix(target, "/") {
				targets[attribute(s, "Id")] = strings.TrimPrefix(target, "/")
			}
		}
		return len(targets) < maxSheets*10
	})
	if err != nil {
		return "", 0, err
	}
	type sheet struct{ name, part string }
	var list []sheet
	err = p.each("xl/workbook.xml", func(t xml.Token) bool {
		if s, ok := t.(xml.StartElement); ok && s.Name.Local == "sheet" {
			list = append(list, sheet{attribute(s, "name"), targets[attribute(s, "id")]})
		}
		return len(list) < maxSheets
	})
	if err != nil {
		return "", 0, err
	}
	var b strings.Builder
	for _, one := range list {
		b.WriteString("[sheet " + one.name + "]\n")
		if err := p.sheet(one.part, shared, &b); err != nil {
			return "", 0, err
		}
	}
	return b.String(), len(list), nil
}

func (p officeParts) sharedStrings() ([]string, error) {
	var out []string
	var b strings.Builder
	inText, phonetic, size := false, false, 0
	err := p.each("xl/sharedStrings.xml", func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t"
			phonetic = phonetic || t.Name.Local == "rPh"
		case xml.EndElement:
			switch t.Name.Local {
			case "rPh":
				phonetic = false
			case "si":
				out = append(out, b.String())
				b.Reset()
			}
			inText = false
		case xml.CharData:
			if inText && !phonetic {
				size += len(t)
				b.Write(t)
			}
		}
		return size < maxText
	})
	return out, err
}

func (p officeParts) sheet(part string, shared []string, b *strings.Builder) error {
	var kind string
	var value strings.Builder
	inValue, column := false, 0
	return p.each(part, func(t xml.Token) bool {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				column = 0
			case "c":
				kind = attribute(t, "t")
				value.Reset()
				for at := columnOf(attribute(t, "r")); column < at; column++ {
					b.WriteByte('\t')
				}
			case "v", "t":
				inValue = true
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inValue = false
			case "c":
				b.WriteString(strings.ReplaceAll(cellText(kind, value.String(), shared), "\n", " "))
			case "row":
				b.WriteByte('\n')
			}
		case xml.CharData:
			if inValue {
				value.Write(t)
			}
		}
		return b.Len() < maxText
	})
}

func cellText(kind, value string, shared []string) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(value); err == nil && i >= 0 && i < len(shared) {
			return shared[i]
		}
		return ""
	case "b":
		return map[string]string{"0": "FALSE", "1": "TRUE"}[value]
	}
	return value
}

// columnOf returns the column of a cell such as "B7", 0 for the first, at most maxColumns.
func columnOf(cell string) int {
	n := 0
	for _, r := range cell {
		if r < 'A' || r > 'Z' || n > maxColumns {
			break
		}
		n = n*26 + int(r-'A') + 1
	}
	return min(max(n-1, 0), maxColumns)
}

func attribute(s xml.StartElement, name string) string {
	for _, a := range s.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
