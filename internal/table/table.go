// Package table lays out text in columns. Cells may hold anything: what could change the
// layout or harm a terminal is shown as package printable shows it.
package table

import (
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/printable"
)

// gap separates columns.
const gap = "  "

// Table keeps the widths of columns. They grow and never shrink, so rows stay aligned. It
// belongs to one goroutine.
type Table struct{ widths []int }

// New returns a table whose columns have at least these widths, in characters.
func New(widths ...int) *Table { return &Table{widths} }

// Fit widens the columns for a row that is printed later.
func (t *Table) Fit(cells ...string) {
	for i, cell := range cells {
		t.fit(i, printable.Line(cell))
	}
}

func (t *Table) fit(i int, cell string) {
	for len(t.widths) <= i {
		t.widths = append(t.widths, 0)
	}
	t.widths[i] = max(t.widths[i], utf8.RuneCountInString(cell))
}

// Row returns a row, with a line feed.
func (t *Table) Row(cells ...string) string { return t.Styled(nil, cells...) }

// Styled is Row with a style: it is called with each cell but the last, escaped and padded,
// and returns what takes the place of the cell.
func (t *Table) Styled(style func(column int, padded string) string, cells ...string) string {
	var row strings.Builder
	for i, cell := range cells {
		cell = printable.Line(cell)
		if i == len(cells)-1 {
			row.WriteString(cell)
			break
		}
		t.fit(i, cell)
		cell += strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(cell))
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
