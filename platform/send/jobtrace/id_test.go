package jobtrace_test

import (
	"testing"

	"github.com/vedette-io/vedette/platform/send/jobtrace"
)

// TestIDs: IDs are the same in every version, because links have them, and differ by cluster
// and by job.
func TestIDs(t *testing.T) {
	trace, span := jobtrace.TraceID("c", "j"), jobtrace.SpanID("c", "j")
	if trace != "7d796722f6fd80145d435d6ee3fdfd85" || span != "88a1d2fae6f11d97" {
		t.Errorf("got trace %s and span %s, want the identifiers of earlier versions", trace, span)
	}
	for _, other := range [][2]string{{"c2", "j"}, {"c", "j2"}, {"cj", ""}, {"", "cj"}} {
		if jobtrace.TraceID(other[0], other[1]) == trace || jobtrace.SpanID(other[0], other[1]) == span {
			t.Errorf("%q has the same IDs", other)
		}
	}
}
