package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/platform/submit/template"
)

// TestTexts: the text of a flag or a form field becomes the value, or an error that quotes
// at most a few characters.
func TestTexts(t *testing.T) {
	tmpl := parse(t, top+`parameters:
- {name: a}
- {name: n, type: integer}
- {name: f, type: number}
- {name: b, type: boolean}
- {name: q, type: quantity}
- {name: l, type: list}
- {name: m, type: map}
`+"object: {apiVersion: batch/v1, kind: Job, a: \"${[dyn(a), n, f, b, q, l, m]}\"}\n")
	got, err := tmpl.Values([]string{"a==x", "n= 7 ", "f=1e3", "b=true", "q=500m", "l=a", "l=b=c", "l=[\"d\", \"e\"]", "m=A=1=2", "m=B=", `m={"C": "x", "A": "3"}`, "a=last"})
	if err != nil {
		t.Fatal(err)
	}
	want := template.Values{
		"a": "last", "n": int64(7), "f": 1000.0, "b": true, "q": "500m", "l": []string{"a", "b=c", "d", "e"}, "m": map[string]string{"A": "3", "B": "", "C": "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	_, err = tmpl.Values([]string{"n=x", "n=1.5", "f=NaN", "b=maybe", "q=1Gx", "l=[1]", "m=A", "m={", "z=1", "nothing", "n=" + strings.Repeat("9", 5000)})
	if err == nil {
		t.Fatal("no mistake")
	}
	for _, want := range []string{
		`parameter n: must be a whole number, not "x"`, `not "1.5"`, "parameter f: must be a number", `parameter b: must be true or false, not "maybe"`,
		`parameter q: must be a quantity such as 500m or 16Gi, not "1Gx"`, "parameter l: must be a list of texts", `parameter m: must be name=value, not "A"`,
		`parameter m: must be a mapping of texts to texts, not "{"`, `there is no parameter "z"`, `"nothing" must be name=value`, strings.Repeat("9", 60) + `…"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
	if len(err.Error()) > 3000 {
		t.Errorf("the errors have %d bytes", len(err.Error()))
	}
}
