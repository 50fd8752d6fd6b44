package printable_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestJSON: the text has the same value, and no character that deceives.
func TestJSON(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		want := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\\\"\u202e\u2066\u061c\u200f\u009b\u007f")))).Draw(t, "text")
		plain, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		text := printable.JSON(string(plain))
		for _, r := range text {
			if printable.Deceives(r) {
				t.Errorf("%q has %q", text, r)
			}
		}
		var got string
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%q came back as %q, %v", want, got, err)
		}
	})
}
