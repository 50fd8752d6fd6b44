// Package table lays out text in columns. Cells may hold any text: package printable
// escapes whatever could change the layout or harm a terminal.
package table

import (
	"strings"

	"github.com/vedette-io/vedette/internal/printable"
)

// gap separates columns.
const gap = "  "

// Table keeps the widths of columns. They only grow, so rows stay aligned. A Table
// belongs to one goroutine.
type Table struct{ widths []int }

// New returns a table whose columns have at least these widths, in columns of
// a terminal.
func New(widths ...int) *Table { return &Table{widths} }

// Fit widens the columns for a row that will be printed later.
func (t *Table) Fit(cells ...string) {
	for i, cell := range cells {
		t.fit(i, printable.Line(cell))
	}
}

func (t *Table) fit(i int, cell string) {
	for len(t.widths) <= i {
		t.widths = append(t.widths, 0)
	}
	t.widths[i] = max(t.widths[i], printable.Columns(cell))
}

// Row returns a row that ends with a line feed.
func (t *Table) Row(cells ...string) string { return t.Styled(nil, cells...) }

// Styled is Row with a style: it calls style with each cell except the last, escaped
// and padded, and uses the result in place of the cell.
func (t *Table) Styled(style func(column int, padded string) string, cells ...string) string {
	var row strings.Builder
	for i, cell := range cells {
		cell = printable.Line(cell)
		if i == len(cells)-1 {
			row.WriteString(cell)
			break
		}
		t.fit(i, cell)
		cell += strings.Repeat(" ", t.widths[i]-printable.Columns(cell))
		if style != nil {
			cell = style(i, cell)
		}
		row.WriteString(cell + gap)
	}
	return strings.TrimRight(row.String(), " ") + "\n"
}

// Lay returns rows with columns as wide as their widest cells.
func Lay(rows ...[]string) string {
	var t Table
	for _, cells := range rows {
		t.Fit(cells...)
	}
	var text strings.Builder
	for _, cells := range rows {
		text.WriteString(t.Row(cells...))
	}
	return text.String()
}
