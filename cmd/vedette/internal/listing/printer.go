package listing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"k8s.io/client-go/util/jsonpath"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/table"
)

// Flags are the flags for the format of a list.
type Flags struct {
	Output    string
	NoHeaders bool
}

// AddFlags adds the flags.
func (o *Flags) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.Output, "output", "o", "", "format: wide, json, yaml, name, jsonpath=TEMPLATE (for each item), csv (with ' before text that looks like a formula) or ndjson (default: a table)")
	f.BoolVar(&o.NoHeaders, "no-headers", false, "do not print column headings")
}

// Columns are the headings of a table. The columns of wide follow the others, and are
// printed only in wide format.
type Columns struct{ Always, Wide []string }

// Item is one item of a list.
type Item struct {
	Cells []string // of all columns, in their order
	Name  string   // TYPE/NAME
	Doc   any      // a struct of simple fields
}

// Printer prints a list, line by line.
type Printer struct {
	con       *console.Console
	opts      Flags
	kind      string
	path      *jsonpath.JSONPath
	columns   []string // the printed ones
	printed   int
	layout    *table.Table
	waiting   [][]string
	lastName  string
	Titled    bool
	titleText string
}

// NewPrinter returns a printer of lines with the given columns.
func NewPrinter(con *console.Console, o Flags, c Columns) (*Printer, error) {
	f, err := ParseFormat(o.Output, "wide", "json", "yaml", "name", template, "csv", "ndjson")
	if err != nil {
		return nil, err
	}
	s := &Printer{con: con, opts: o, kind: f.Kind, path: f.Path, columns: c.Always}
	if f.Kind == "wide" {
		s.columns = slices.Concat(c.Always, c.Wide)
	}
	s.layout = table.New()
	return s, nil
}

// ForPeople reports whether the format is a table.
func (s *Printer) ForPeople() bool { return s.kind == "" || s.kind == "wide" }

// Title begins a new table, with a line above it.
func (s *Printer) Title(text string) error {
	if !s.ForPeople() {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	text = printable.Line(text)
	if s.Titled && !s.opts.NoHeaders {
		text = "\n" + text
	}
	s.titleText, s.Titled, s.printed = text, true, 0
	s.layout = table.New()
	return nil
}

// Below adds a line to the title.
func (s *Printer) Below(text string) {
	if s.ForPeople() {
		s.titleText += "\n" + printable.Line(text)
	}
}

// rowsAtOnce is the number of rows that a table collects to determine the widths of its columns.
const rowsAtOnce = 200

// Add adds a line, and prints it unless the table collects more.
func (s *Printer) Add(l Item) error {
	switch s.kind {
	case "", "wide":
		s.waiting = append(s.waiting, l.Cells[:len(s.columns)])
		if len(s.waiting) < rowsAtOnce {
			return nil
		}
		return s.flush()
	case "name":
		if l.Name == s.lastName {
			return nil
		}
		s.lastName = l.Name
		return s.con.Print(printable.Line(l.Name) + "\n")
	case "csv":
		return s.csv(l.Doc)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	before := ""
	switch s.kind {
	case "yaml":
		out, err := objectyaml.Marshal(l.Doc)
		if err != nil {
			return err
		}
		return s.con.Document("---\n" + out)
	case "jsonpath":
		if err := enc.Encode(l.Doc); err != nil {
			return err
		}
		var fields map[string]any
		decoder := json.NewDecoder(&text)
		decoder.UseNumber()
		if err := decoder.Decode(&fields); err != nil {
			return err
		}
		out, err := PrintPath(s.path, fields)
		if err != nil {
			return err
		}
		return s.con.Print(out)
	case "json":
		enc.SetIndent("        ", "    ")
		before = ",\n        "
		if s.printed == 0 {
			before = "{\n    \"items\": [\n        "
		}
	}
	if err := enc.Encode(l.Doc); err != nil {
		return err
	}
	s.printed++
	if s.kind == "json" {
		return s.con.Document(before + printable.JSON(strings.TrimSuffix(text.String(), "\n")))
	}
	return s.con.Document(printable.JSON(text.String()))
}

// End prints the remaining rows.
func (s *Printer) End() error {
	switch {
	case s.ForPeople():
		return s.flush()
	case s.kind == "json" && s.printed == 0:
		return s.con.Document("{\n    \"items\": []\n}\n")
	case s.kind == "json":
		return s.con.Document("\n    ]\n}\n")
	}
	return nil
}

// flush prints the collected rows. Columns grow and never shrink.
func (s *Printer) flush() error {
	rows := s.waiting
	s.waiting = nil
	if len(rows) == 0 && s.titleText == "" {
		return nil
	}
	if s.printed == 0 && !s.opts.NoHeaders && len(rows) > 0 {
		rows = append([][]string{s.columns}, rows...)
	}
	var b strings.Builder
	if s.titleText != "" && !s.opts.NoHeaders {
		b.WriteString(s.titleText + "\n")
	}
	s.titleText = ""
	for _, cells := range rows {
		s.layout.Fit(cells...)
	}
	for _, cells := range rows {
		b.WriteString(s.layout.Row(cells...))
	}
	s.printed += len(rows)
	return s.con.Print(b.String())
}

// csv prints the fields of a struct. Text that a spreadsheet would read as a formula gets an
// apostrophe in front. Numbers and booleans are printed unchanged.
func (s *Printer) csv(doc any) error {
	v := reflect.ValueOf(doc)
	var names, values []string
	for i := range v.NumField() {
		names = append(names, v.Type().Field(i).Tag.Get("json"))
		value := fmt.Sprint(v.Field(i).Interface())
		if v.Field(i).Kind() == reflect.String {
			value = PlainText(value)
		}
		values = append(values, value)
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	if s.printed == 0 && !s.opts.NoHeaders {
		_ = w.Write(names) // a strings.Builder returns no error
	}
	s.printed++
	_ = w.Write(values)
	w.Flush()
	return s.con.Document(text.String())
}

// PlainText returns valid UTF-8 that no spreadsheet reads as a formula, as OWASP recommends.
func PlainText(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		text = "'" + text
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
