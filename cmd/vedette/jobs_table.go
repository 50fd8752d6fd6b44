package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// jobTable lays rows of jobs out. Columns that are empty in all rows are left out, and on a
// terminal, columns that have no room.
type jobTable struct {
	style      lifestrip.Style
	icons      bool // before states, on terminals
	wide       bool
	namespaces bool
	width      int // of the terminal; 0: unlimited
	// lasting says that later rows follow below: columns stay, and widths only grow.
	lasting bool

	columns []jobColumn
	widths  []int
	hidden  []string // columns without room
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

// fit chooses the columns, and their widths, for some rows.
func (t *jobTable) fit(jobs []history.Job) {
	if t.lasting && t.columns != nil {
		for i := range t.columns {
			for j := range jobs {
				t.widths[i] = max(t.widths[i], cellWidth(t.cell(&t.columns[i], &jobs[j])))
			}
		}
		return
	}
	t.columns, t.widths, t.hidden = nil, nil, nil
	for _, c := range jobColumns {
		width := 0
		for i := range jobs {
			width = max(width, cellWidth(t.cell(&c, &jobs[i])))
		}
		switch {
		case width == 0 && !t.lasting || c.wide && !t.wide || c.head == "NAMESPACE" && !t.namespaces:
			continue
		case c.head == lifeHead:
			width = lifeWidth
		}
		t.columns, t.widths = append(t.columns, c), append(t.widths, max(width, len(c.head)))
	}
	if t.width > 0 {
		t.squeeze()
	}
}

// cell returns the text of a cell; of a strip, its name.
func (t *jobTable) cell(c *jobColumn, j *history.Job) string {
	text := c.cellOf(j)
	if c.head == stateHead && t.icons && !t.style.ASCII {
		text = t.style.Icon(state.State(j.State)) + " " + text
	}
	return text
}

// over returns how many cells the columns take too much. Of details, some cells suffice.
func (t *jobTable) over() int {
	total := -betweenColumn
	for i, w := range t.widths {
		if t.columns[i].head == "DETAIL" {
			w = min(w, detailLeast)
		}
		total += w + betweenColumn
	}
	return total - t.width
}

// squeeze shortens columns until the table fits the terminal, and then leaves some out.
func (t *jobTable) squeeze() {
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
			shrink(slices.IndexFunc(t.columns, func(c jobColumn) bool { return c.head == stateHead }), stateLeast)
			break
		}
		t.hidden = append(t.hidden, strings.ToLower(t.columns[last].head))
		t.columns, t.widths = slices.Delete(t.columns, last, last+1), slices.Delete(t.widths, last, last+1)
	}
	// Details take what is left.
	if i := slices.IndexFunc(t.columns, func(c jobColumn) bool { return c.head == "DETAIL" }); i >= 0 {
		t.widths[i] = max(0, min(t.widths[i], min(t.widths[i], detailLeast)-t.over()))
	}
}

// heads returns the line of headings.
func (t *jobTable) heads() string {
	return t.join(func(i int) string { return t.columns[i].head }, nil)
}

// row returns the line of a job. Text of others is escaped, and the program's own colors are
// control sequences.
func (t *jobTable) row(j *history.Job) string {
	return t.join(func(i int) string { return t.cell(&t.columns[i], j) }, j)
}

func (t *jobTable) join(text func(column int) string, j *history.Job) string {
	dots, none := "…", "–"
	if t.style.ASCII {
		dots, none = "..", "-"
	}
	var line strings.Builder
	for i := range t.columns {
		c, w := &t.columns[i], t.widths[i]
		if i > 0 {
			line.WriteString(strings.Repeat(" ", betweenColumn))
		}
		if c.head == lifeHead && j != nil {
			line.WriteString(t.style.Draw(lifeOf(j), w))
			continue
		}
		cell := text(i)
		last := i == len(t.columns)-1
		switch {
		case cell == "" && !last:
			cell = none
		case last && t.width > 0 && cellWidth(cell) > w:
			cell = strings.TrimRight(cut(cell, w-cellWidth(dots)), " ") + dots
		case t.width > 0:
			cell = shorten(cell, w, dots)
		}
		pad := strings.Repeat(" ", max(0, w-cellWidth(cell)))
		switch {
		case c.right:
			cell = pad + cell
		case !last:
			cell += pad
		}
		if c.head == stateHead && j != nil {
			cell = t.paint(cell, state.State(j.State))
		}
		line.WriteString(cell)
	}
	return strings.TrimRight(line.String(), " ")
}

// paint colors the icon of a state, or the word if there is no icon.
func (t *jobTable) paint(cell string, s state.State) string {
	if !t.icons || t.style.ASCII {
		return t.style.Paint(s, cell)
	}
	icon := t.style.Icon(s)
	return t.style.Paint(s, icon) + strings.TrimPrefix(cell, icon)
}

// countedJobs says how many jobs there are of each state: "41 jobs: 12 running, 3 queued".
func countedJobs(jobs []history.Job) string {
	states := map[string]int{}
	for i := range jobs {
		states[jobs[i].State]++
	}
	return count(len(jobs), "job") + countedStates(states)
}

// countedStates returns ": 12 running, 3 queued" in the order of the life of a job.
func countedStates(states map[string]int) string {
	words := make([]string, 0, len(states))
	for s := range states {
		words = append(words, s)
	}
	place := func(s string) int { return slices.Index(order, s) }
	slices.SortFunc(words, func(x, y string) int {
		running := func(s string) int { return map[bool]int{true: 0, false: 1}[s == string(state.Running)] }
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
