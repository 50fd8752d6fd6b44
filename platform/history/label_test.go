package history_test

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/history"
)

// TestParseLabels: a selector is read as kubectl reads it, and each error names a form that works.
func TestParseLabels(t *testing.T) {
	for text, want := range map[string]string{
		"app=train": "app=train", "app==train": "app==train", " app = train , team!=x": "app=train,team!=x", "team in (b,a)": "team in (a,b)",
		"team notin (a)": "team notin (a)", "gpu": "gpu", "!legacy": "!legacy", "app=": "app=",
	} {
		if got, err := history.ParseLabels(text); err != nil || got.String() != want {
			t.Errorf("%q: got %v and %v, want %s", text, got, err, want)
		}
	}
	if got, err := history.ParseLabels(""); got != nil || err != nil {
		t.Errorf("no text: got %v and %v, want nil", got, err)
	}
	for _, text := range []string{"=x", "app=(a)", "app in a", "size>3", "size<3", "app=a b", ",", "app=" + strings.Repeat("x", 64), "app in ()\x1b"} {
		if got, err := history.ParseLabels(text); err == nil || !strings.Contains(err.Error(), "use app=train") {
			t.Errorf("%q: got %v and %v, want an error with the forms that work", text, got, err)
		}
	}
}
