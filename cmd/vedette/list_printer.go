package main

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

	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/table"
)

// listFlags are the flags for the format of a list.
type listFlags struct {
	output    string
	noHeaders bool
}

func (o *listFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "format: wide, json, yaml, name, jsonpath=TEMPLATE (for each item), csv (with ' before text that looks like a formula) or ndjson (default: a table)")
	f.BoolVar(&o.noHeaders, "no-headers", false, "do not print column headings")
}

// columns are the headings of a table. The columns of wide follow the others, and are
// printed only in wide format.
type columns struct{ always, wide []string }

// line is one item of a list.
type line struct {
	cells []string // of all columns, in their order
	name  string   // TYPE/NAME
	doc   any      // a struct of simple fields
}

// listPrinter prints a list, line by line.
type listPrinter struct {
	con       *console
	opts      listFlags
	kind      string
	path      *jsonpath.JSONPath
	columns   []string // those that are printed
	printed   int
	layout    *table.Table
	waiting   [][]string
	lastName  string
	titled    bool
	titleText string
}

// newListPrinter returns a printer of lines with the given columns.
func newListPrinter(con *console, o listFlags, c columns) (*listPrinter, error) {
	kind, template, _ := strings.Cut(o.output, "=")
	s := &listPrinter{con: con, opts: o, kind: kind, columns: c.always}
	switch kind {
	case "", "wide", "json", "yaml", "name", "csv", "ndjson":
		if template != "" {
			return nil, fmt.Errorf("the output format %s takes no template; jsonpath=TEMPLATE does", kind)
		}
	case "jsonpath":
		path, err := parsePath(template)
		if err != nil {
			return nil, err
		}
		s.path = path
	default:
		return nil, fmt.Errorf("unknown output format %q; use wide, json, yaml, name, jsonpath=TEMPLATE, csv or ndjson", o.output)
	}
	if kind == "wide" {
		s.columns = slices.Concat(c.always, c.wide)
	}
	s.layout = table.New()
	return s, nil
}

// forPeople reports whether the format is a table.
func (s *listPrinter) forPeople() bool { return s.kind == "" || s.kind == "wide" }

// title begins a new table, with a line above it.
func (s *listPrinter) title(text string) error {
	if !s.forPeople() {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	text = printable.Line(text)
	if s.titled && !s.opts.noHeaders {
		text = "\n" + text
	}
	s.titleText, s.titled, s.printed = text, true, 0
	s.layout = table.New()
	return nil
}

// below adds a line to the title.
func (s *listPrinter) below(text string) {
	if s.forPeople() {
		s.titleText += "\n" + printable.Line(text)
	}
}

// rowsAtOnce is how many rows a table collects to determine the widths of its columns.
const rowsAtOnce = 200

// add adds a line, and prints it unless the table collects more.
func (s *listPrinter) add(l line) error {
	switch s.kind {
	case "", "wide":
		s.waiting = append(s.waiting, l.cells[:len(s.columns)])
		if len(s.waiting) < rowsAtOnce {
			return nil
		}
		return s.flush()
	case "name":
		if l.name == s.lastName {
			return nil
		}
		s.lastName = l.name
		return s.con.print(printable.Line(l.name) + "\n")
	case "csv":
		return s.csv(l.doc)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	before := ""
	switch s.kind {
	case "yaml":
		out, err := objectyaml.Marshal(l.doc)
		if err != nil {
			return err
		}
		return s.con.document("---\n" + out)
	case "jsonpath":
		if err := enc.Encode(l.doc); err != nil {
			return err
		}
		var fields map[string]any
		if err := json.Unmarshal(text.Bytes(), &fields); err != nil {
			return err
		}
		out, err := printPath(s.path, fields)
		if err != nil {
			return err
		}
		return s.con.print(out)
	case "json":
		enc.SetIndent("        ", "    ")
		before = ",\n        "
		if s.printed == 0 {
			before = "{\n    \"items\": [\n        "
		}
	}
	if err := enc.Encode(l.doc); err != nil {
		return err
	}
	s.printed++
	if s.kind == "json" {
		return s.con.document(before + strings.TrimSuffix(text.String(), "\n"))
	}
	return s.con.document(text.String())
}

// end prints the rest.
func (s *listPrinter) end() error {
	switch {
	case s.forPeople():
		return s.flush()
	case s.kind == "json" && s.printed == 0:
		return s.con.document("{\n    \"items\": []\n}\n")
	case s.kind == "json":
		return s.con.document("\n    ]\n}\n")
	}
	return nil
}

// flush prints the collected rows. Columns grow and never shrink.
func (s *listPrinter) flush() error {
	rows := s.waiting
	s.waiting = nil
	if len(rows) == 0 && s.titleText == "" {
		return nil
	}
	if s.printed == 0 && !s.opts.noHeaders && len(rows) > 0 {
		rows = append([][]string{s.columns}, rows...)
	}
	var b strings.Builder
	if s.titleText != "" && !s.opts.noHeaders {
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
	return s.con.print(b.String())
}

// csv prints the fields of a struct. Text that a spreadsheet would read as a formula gets an
// apostrophe in front. Numbers and booleans are printed unchanged.
func (s *listPrinter) csv(doc any) error {
	v := reflect.ValueOf(doc)
	var names, values []string
	for i := range v.NumField() {
		names = append(names, v.Type().Field(i).Tag.Get("json"))
		value := fmt.Sprint(v.Field(i).Interface())
		if v.Field(i).Kind() == reflect.String {
			value = plainText(value)
		}
		values = append(values, value)
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	if s.printed == 0 && !s.opts.noHeaders {
		_ = w.Write(names) // a strings.Builder returns no error
	}
	s.printed++
	_ = w.Write(values)
	w.Flush()
	return s.con.document(text.String())
}

// plainText returns valid UTF-8 that no spreadsheet reads as a formula, as OWASP recommends.
func plainText(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		text = "'" + text
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
