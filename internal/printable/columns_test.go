package printable_test

import (
	"testing"

	"github.com/vedette-io/vedette/internal/printable"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "内存": 4, "a，b": 4, "e\u0301": 1, "👍": 2, "ｶ": 1, "＠": 2, "…": 1} {
		if got := printable.Columns(text); got != want {
			t.Errorf("%q: %d columns, want %d", text, got, want)
		}
	}
}
