package table_test

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/table"
)

func TestTable(t *testing.T) {
	tab := table.New(6)
	got := tab.Row("NAME", "STATE", "WHY") + tab.Row("训练-0", "", "x") + tab.Row("a\nFORGED", "Running", "\x1b[2J") + tab.Row("a", "b", "")
	want := "NAME    STATE  WHY\n" +
		"训练-0         x\n" +
		"a\\nFORGED  Running  \\x1b[2J\n" +
		"a          b\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestLay(t *testing.T) {
	got := table.Lay([]string{"A", "B"}, []string{"\u202elong", "x\ty"})
	if want := "A           B\n\\u202elong  x\\ty\n"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestStyled: a style sees cells that are escaped, so it can add control sequences.
func TestStyled(t *testing.T) {
	paint := func(i int, padded string) string {
		if strings.Contains(padded, "\x1b") {
			t.Errorf("column %d: got %q, want no escape code in it", i, padded)
		}
		return "<" + padded + ">"
	}
	if got := table.New(3).Styled(paint, "\x1b", "b", "c"); got != "<\\x1b>  <b>  c\n" {
		t.Errorf("got %q, want %q", got, "<\\x1b>  <b>  c\n")
	}
}
