package jobfilter_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job/jobfilter"
)

// now is the time of the tests.
var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// job is a subject of a filter.
type job struct {
	texts            map[jobfilter.Key]string
	gpus             int
	waited           time.Duration
	submitted, ended time.Time
	labels           map[string]string
}

func (j *job) Text(k jobfilter.Key) string { return j.texts[k] }

func (j *job) Number(k jobfilter.Key) int {
	if k == jobfilter.GPUs {
		return j.gpus
	}
	return -1
}

func (j *job) Duration(k jobfilter.Key) time.Duration {
	if k == jobfilter.Waited {
		return j.waited
	}
	return 0
}

func (j *job) Time(k jobfilter.Key) time.Time {
	if k == jobfilter.Ended {
		return j.ended
	}
	return j.submitted
}

func (j *job) LabelSet() map[string]string { return j.labels }

// TestMatch: filters select the expected jobs.
func TestMatch(t *testing.T) {
	j := &job{
		texts: map[jobfilter.Key]string{
			jobfilter.State: "Failed", jobfilter.Kind: "PyTorchJob", jobfilter.Name: "llama-70b-sft", jobfilter.Queue: "gpu-h100", jobfilter.Owner: "ann",
		},
		gpus: 8, waited: 90*time.Second + 300*time.Millisecond, submitted: now.Add(-26 * time.Hour), ended: now.Add(-45 * time.Minute), labels: map[string]string{"budget": "2026-q4", "team": "x"},
	}
	for query, want := range map[string]bool{
		"": true, "state=failed": true, "state=!Failed": false, "state=F*d": true, "state=Running&state=Failed": true, "kind=pytorchjob": true,
		"queue=gpu": false, "queue=gpu*": true, "queue=*h100": true, "queue=g*-*0": true, "queue=!gpu*": false, "queue=": false, "queue=!": true, "priority=": true,
		"name=llama*": true, "name=Llama*": false, "q=LLAMA+sft": true, "q=llama+!70b": false, "q=ll*sft": true,
		"label=budget": true, "label=!budget": false, "label=budget=2026*": true, "label=b*=2026-q4": true, "label=budget=x": false, "label=none": false, "label=!none": true, "label=budget=": false,
		"gpus=8": true, "gpus=>8": false, "gpus=>=8": true, "gpus=<=8&gpus=>4": true, "gpus=>4&gpus=<8": false, "gpus=!8": false, "gpus=1&gpus=8": true, "pods=>0": false, "pods=!3": true,
		"waited=90s": true, "waited=!1m30s": false, "waited=>90s": true, "waited=>91s": false, "waited=<2m": true, "waited=>=1m&waited=<=1m": false,
		"submitted=2026-11-21": true, "submitted=!2026-11-21": false, "submitted=>2026-11-21": false, "submitted=>=2026-11-21": true, "submitted=<2026-11-22": true, "submitted=>24h": false,
		"submitted=<24h": true, "submitted=24h": false, "submitted=30d": true, "submitted=2026-11-21T08:00:00Z": true, "submitted=2026-11-21T09:00:00%2B01:00": true,
		"ended=09:15": true, "ended=09:16": false, "ended=>09:14": true, "ended=<=09:15": true, "ended=<09:15": false,
		"window=1h": true, "window=30m": false, "window=30m&window=1h": true, "mine=true": true,
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
		if got := f.Compile(now, []string{"ann"}).Match(j); got != want {
			t.Errorf("%s: %t, want %t", query, got, want)
		}
	}
	open := &job{texts: map[jobfilter.Key]string{}, gpus: -1}
	for query, want := range map[string]bool{"ended=>2020-01-01": false, "ended=!2020-01-01": true, "window=1s": true, "mine=true": false, "gpus=<5": false, "gpus=!5": true, "owner=": true} {
		q, _ := url.ParseQuery(query)
		f, err := jobfilter.Parse(q)
		if got := f.Compile(now, []string{""}).Match(open); got != want || err != nil {
			t.Errorf("open job: %s: got %t, want %t, %v", query, got, want, err)
		}
	}
}

// TestMoment: instants are parsed like times in filters.
func TestMoment(t *testing.T) {
	for text, want := range map[string]time.Time{
		"24h": now.Add(-24 * time.Hour), "09:15": now.Add(-45 * time.Minute), "2026-11-20": time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), "2026-11-20T10:00:00.5Z": time.Date(2026, 11, 20, 10, 0, 0, 5e8, time.UTC),
		"": {}, "25:00": {}, "99999d": {}, "1h1": {}, "-5m": {}, "0001-01-01": {},
	} {
		got, err := jobfilter.Moment(text, now)
		if !got.Equal(want) || (err == nil) == want.IsZero() {
			t.Errorf("%q: got %v and error %v, want %v, and an error only for the zero time", text, got, err, want)
		}
	}
}

// TestPatternModel compares patterns with regular expressions that have .* instead of *.
func TestPatternModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ab.]{0,8}`).Draw(t, "text")
		pattern := rapid.StringMatching(`[ab.*]{1,6}`).Draw(t, "pattern")
		if pattern[0] == '!' {
			return
		}
		f, err := jobfilter.Parse(url.Values{"name": {pattern}, "q": {pattern}})
		if err != nil {
			t.Fatal(err)
		}
		body := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)
		whole, part := regexp.MustCompile(`^`+body+`$`).MatchString(text), regexp.MustCompile(body).MatchString(text)
		if got := f.Terms[0].Compile(now).Text(text); got != whole {
			t.Errorf("%q matches %q: got %t, want %t", pattern, text, got, whole)
		}
		if got := f.CompileWords().Name(text); got != part {
			t.Errorf("%q matches a part of %q: %t", pattern, text, got)
		}
	})
}

// FuzzParse checks that any parameters are either parsed, or rejected with mistakes that
// name them, and that the parameters of a filter yield the same filter.
func FuzzParse(f *testing.F) {
	for _, query := range []string{"state=Failed&queue=!gpu*", "gpus=>=8&waited=<1h30m", "submitted=>24h&ended=2026-11-22", "label=a=b&q=x+!y&window=30d&mine=true", "since=09:15", "state=\xff&q=\xc3\x28", "q=" + strings.Repeat("\xed", 200), "q=" + strings.Repeat("Ⱥ", 200), "q=" + strings.Repeat("a", 300) + "&q=" + strings.Repeat("b", 300)} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, _ := url.ParseQuery(query) // the valid part
		filter, err := jobfilter.Parse(q)
		if err != nil {
			if len(jobfilter.Mistakes(err)) == 0 {
				t.Errorf("%q: got no mistakes in %v", query, err)
			}
			return
		}
		again, err := jobfilter.Parse(filter.Query())
		if err != nil || again.Query().Encode() != filter.Query().Encode() || len(again.Terms) != len(filter.Terms) {
			t.Errorf("query %q: %+v became %+v with error %v, want no change", query, filter, again, err)
		}
		filter.Compile(now, nil).Match(&job{texts: map[jobfilter.Key]string{jobfilter.Name: query}, labels: map[string]string{query: query}})
	})
}

// TestBounds: long values and many values are refused.
func TestBounds(t *testing.T) {
	many, words := url.Values{}, strings.Repeat("w ", 20)
	for range 300 {
		many.Add("queue", "q")
	}
	for i := range 20 {
		words += strings.Repeat("x", i+1) + " "
	}
	for _, q := range []url.Values{many, {"queue": {strings.Repeat("x", 600)}}, {"q": {words}}, {"gpus": {"4294967296"}}, {"waited": {">99999999999999999999h"}}, {"waited": {"36501d"}}} {
		if _, err := jobfilter.Parse(q); len(jobfilter.Mistakes(err)) == 0 || len(err.Error()) > 500 {
			t.Errorf("%.60v: got %v, want mistakes in at most 500 bytes", q, err)
		}
	}
	bad := url.Values{}
	for range 100 {
		bad.Add("gpus", "x")
	}
	if _, err := jobfilter.Parse(bad); len(jobfilter.Mistakes(err)) > 21 {
		t.Errorf("got %d mistakes, want at most 21", len(jobfilter.Mistakes(err)))
	}
}
