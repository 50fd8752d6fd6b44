package joblist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/cmd/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// Table lays rows of jobs out. Columns that are empty in all rows are left out, and on a
// terminal, columns that have no room.
type Table struct {
	Style      lifestrip.Style
	Icons      bool // before states, on terminals
	Wide       bool
	Namespaces bool
	Width      int // of the terminal; 0: unlimited
	// Lasting says that later rows follow below: columns stay, and widths only grow.
	Lasting bool

	columns []column
	widths  []int
	Hidden  []string // columns without room
}

// The widths of strips and of details. Details take what is left.
const (
	lifeWidth     = 20
	lifeLeast     = 10
	detailLeast   = 14
	longName      = 32
	stateLeast    = 12
	betweenColumn = 2
)

// Fit chooses the columns, and their widths, for some rows.
func (t *Table) Fit(jobs []history.Job) {
	if t.Lasting && t.columns != nil {
		for i := range t.columns {
			for j := range jobs {
				t.widths[i] = max(t.widths[i], CellWidth(t.cell(&t.columns[i], &jobs[j])))
			}
		}
		return
	}
	t.columns, t.widths, t.Hidden = nil, nil, nil
	for _, c := range allColumns {
		width := 0
		for i := range jobs {
			width = max(width, CellWidth(t.cell(&c, &jobs[i])))
		}
		switch {
		case width == 0 && !t.Lasting || c.wide && !t.Wide || c.head == "NAMESPACE" && !t.Namespaces:
			continue
		case c.head == lifeHead:
			width = lifeWidth
		}
		t.columns, t.widths = append(t.columns, c), append(t.widths, max(width, len(c.head)))
	}
	if t.Width > 0 {
		t.squeeze()
	}
}

// cell returns the text of a cell; of a strip, its name.
func (t *Table) cell(c *column, j *history.Job) string {
	text := c.cellOf(j)
	if c.head == stateHead && t.Icons && !t.Style.ASCII {
		text = t.Style.Icon(job.State(j.State)) + " " + text
	}
	return text
}

// over returns how many cells the columns take too much. Of details, some cells suffice.
func (t *Table) over() int {
	total := -betweenColumn
	for i, w := range t.widths {
		if t.columns[i].head == "DETAIL" {
			w = min(w, detailLeast)
		}
		total += w + betweenColumn
	}
	return total - t.Width
}

// squeeze shortens columns until the table fits the terminal, and then leaves some out.
func (t *Table) squeeze() {
	shrink := func(i, least int) {
		if over := t.over(); over > 0 {
			t.widths[i] = max(min(t.widths[i], max(least, len(t.columns[i].head))), t.widths[i]-over)
		}
	}
	for {
		for _, least := range []int{longName, lifeLeast, 0} {
			for i, c := range t.columns {
				switch {
				case least == longName && c.least > 0:
					shrink(i, longName)
				case least == lifeLeast && c.head == lifeHead:
					shrink(i, lifeLeast)
				case least == 0 && c.least > 0:
					shrink(i, c.least)
				}
			}
		}
		if t.over() <= 0 {
			break
		}
		last := -1
		for i, c := range t.columns {
			if c.rank > 0 && (last < 0 || c.rank > t.columns[last].rank) {
				last = i
			}
		}
		if last < 0 {
			shrink(slices.IndexFunc(t.columns, func(c column) bool { return c.head == stateHead }), stateLeast)
			break
		}
		t.Hidden = append(t.Hidden, strings.ToLower(t.columns[last].head))
		t.columns, t.widths = slices.Delete(t.columns, last, last+1), slices.Delete(t.widths, last, last+1)
	}
	// Details take what is left.
	if i := slices.IndexFunc(t.columns, func(c column) bool { return c.head == "DETAIL" }); i >= 0 {
		t.widths[i] = max(0, min(t.widths[i], min(t.widths[i], detailLeast)-t.over()))
	}
}

// Heads returns the line of headings.
func (t *Table) Heads() string {
	return t.join(func(i int) string { return t.columns[i].head }, nil)
}

// Row returns the line of a job. Text of others is escaped, and the program's own colors are
// control sequences.
func (t *Table) Row(j *history.Job) string {
	return t.join(func(i int) string { return t.cell(&t.columns[i], j) }, j)
}

func (t *Table) join(text func(column int) string, j *history.Job) string {
	dots, none := "…", "–"
	if t.Style.ASCII {
		dots, none = "..", "-"
	}
	var line strings.Builder
	for i := range t.columns {
		c, w := &t.columns[i], t.widths[i]
		if i > 0 {
			line.WriteString(strings.Repeat(" ", betweenColumn))
		}
		if c.head == lifeHead && j != nil {
			line.WriteString(t.Style.Draw(lifeOf(j), w))
			continue
		}
		cell := text(i)
		last := i == len(t.columns)-1
		switch {
		case cell == "" && !last:
			cell = none
		case last && t.Width > 0 && CellWidth(cell) > w:
			cell = strings.TrimRight(Cut(cell, w-CellWidth(dots)), " ") + dots
		case t.Width > 0:
			cell = shorten(cell, w, dots)
		}
		pad := strings.Repeat(" ", max(0, w-CellWidth(cell)))
		switch {
		case c.right:
			cell = pad + cell
		case !last:
			cell += pad
		}
		if c.head == stateHead && j != nil {
			cell = t.paint(cell, job.State(j.State))
		}
		line.WriteString(cell)
	}
	return strings.TrimRight(line.String(), " ")
}

// paint colors the icon of a state, or the word if there is no icon.
func (t *Table) paint(cell string, s job.State) string {
	if !t.Icons || t.Style.ASCII {
		return t.Style.Paint(s, cell)
	}
	icon := t.Style.Icon(s)
	return t.Style.Paint(s, icon) + strings.TrimPrefix(cell, icon)
}

// CountJobs says how many jobs there are of each state: "41 jobs: 12 running, 3 queued".
func CountJobs(jobs []history.Job) string {
	states := map[string]int{}
	for i := range jobs {
		states[jobs[i].State]++
	}
	return units.Count(len(jobs), "job") + CountStates(states)
}

// CountStates returns ": 12 running, 3 queued" in the order of the life of a job.
func CountStates(states map[string]int) string {
	words := make([]string, 0, len(states))
	for s := range states {
		words = append(words, s)
	}
	place := func(s string) int { return slices.Index(listing.StateOrder, s) }
	slices.SortFunc(words, func(x, y string) int {
		running := func(s string) int { return map[bool]int{true: 0, false: 1}[s == string(job.Running)] }
		return cmp.Or(cmp.Compare(running(x), running(y)), cmp.Compare(place(x), place(y)), strings.Compare(x, y))
	})
	var parts []string
	for _, s := range words {
		word := strings.ToLower(s)
		if word == "" {
			word = "unknown"
		}
		parts = append(parts, fmt.Sprintf("%d %s", states[s], word))
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
