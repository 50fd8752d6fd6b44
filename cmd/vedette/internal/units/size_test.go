package units

import (
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"20GiB": 20 << 30, "1.5Gi": 3 << 29, "500MB": 500e6, "4096": 4096, "2 TiB": 2 << 40} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "-1GiB", "0", "1PB", "99999999TiB", "NaN"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
