package preflight

import (
	"errors"
	"strings"
	"testing"
)

// TestExamineLimit checks the finding of the doctor about the limit of values.
func TestExamineLimit(t *testing.T) {
	for _, c := range []struct {
		n    int64
		err  error
		want Verdict
		text string
	}{
		{64 << 20, nil, Passed, "max_allowed_packet is 64.0 MiB"},
		{1 << 20, nil, Warning, "max_allowed_packet is 1.0 MiB; objects that are larger"},
		{0, errors.New("no answer"), Failed, "no answer"},
		{0, nil, "", ""},
	} {
		f := &Findings{}
		examineLimit(c.n, "max_allowed_packet", c.err, f)
		if c.want == "" {
			if len(f.All) > 0 {
				t.Errorf("got %+v, want nothing", f.All)
			}
			continue
		}
		if len(f.All) != 1 || f.All[0].Verdict != c.want || !strings.Contains(f.All[0].Found, c.text) {
			t.Errorf("%d, %v: got %+v, want %s with %q", c.n, c.err, f.All, c.want, c.text)
		}
	}
}
