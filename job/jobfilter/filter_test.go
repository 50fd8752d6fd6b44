package jobfilter_test

import (
	"net/url"
	"reflect"
	"testing"

	"github.com/vedette-io/vedette/job/jobfilter"
)

// TestQuery checks that filter parameters become terms, and that others are ignored.
func TestQuery(t *testing.T) {
	for query, want := range map[string]string{
		"":                                  "",
		"sort=name&limit=5&at=x":            "",
		"state=failed&state=Running":        "state=Failed&state=Running",
		"queue=!gpu*&queue=a":               "queue=%21gpu%2A&queue=a",
		"gpus=>08&gpus=<=16&gpus=8":         "gpus=8&gpus=%3C%3D16&gpus=%3E8",
		"q=Llama++70b+!test&q=llama":        "q=llama+70b+%21test",
		"mine=false":                        "",
		"mine=true&window=24h":              "mine=true&window=24h",
		"window=all&q=a":                    "q=a",
		"window=1h&window=all":              "",
		"submitted=>24h&ended=<2026-11-22":  "ended=%3C2026-11-22&submitted=%3E24h",
		"label=budget&label=!a=b&queue=":    "label=%21a%3Db&label=budget&queue=",
		"state=Running&state=Running&q=a+a": "q=a&state=Running",
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		f, err := jobfilter.Parse(q)
		if err != nil {
			t.Errorf("query %s does not parse: %v", query, err)
			continue
		}
		if got := f.Query().Encode(); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
		if again, err := jobfilter.Parse(f.Query()); err != nil || !reflect.DeepEqual(again, f) {
			t.Errorf("query %s: %+v became %+v with error %v, want no change", query, f, again, err)
		}
	}
}

// TestMistakes: all mistakes are reported, each with its parameter.
func TestMistakes(t *testing.T) {
	_, err := jobfilter.Parse(url.Values{"state": {"Done"}, "gpus": {"many", ">-1"}, "waited": {">5"}, "submitted": {"yesterday"}, "label": {"=x"}, "mine": {"yes"}, "queue": {"fine"}})
	var names []string
	for _, m := range jobfilter.Mistakes(err) {
		names = append(names, m.Parameter)
	}
	if want := []string{"gpus", "gpus", "label", "mine", "state", "submitted", "waited"}; !reflect.DeepEqual(names, want) {
		t.Errorf("%v, want %v: %v", names, want, err)
	}
}
