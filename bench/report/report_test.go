package report

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/scenario"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// made returns a run with round figures: ours takes 2 s of CPU, then 4, for 1,000
// objects, and client-go ten times as much.
func made(t *testing.T) *Run {
	t.Helper()
	testinput.Uncached(t) // a run asks git for the revision
	r := NewRun([]string{"-made", "up"})
	for round, cpu := range []float64{2, 4, 3} {
		for name, times := range map[string]float64{"vedette": 1, "client-go": 10} {
			r.Records = append(r.Records, scenario.Record{
				Scenario: "sync", Case: scenario.PodsCase, Contestant: name, Round: round, N: 1000,
				Result: contest.Result{Figures: measure.Figures{measure.CPU: cpu * times, measure.Wall: times, measure.Heap: 500e3 * times, measure.Peak: 50e6 * times}},
			})
		}
	}
	add := func(s, name, contestant string, n int, f measure.Figures, c measure.Curve) {
		r.Records = append(r.Records, scenario.Record{Scenario: s, Case: name, Contestant: contestant, N: n, Result: contest.Result{Figures: f, Curve: c}})
	}
	for _, name := range []string{"vedette", "client-go"} {
		add("scale", "1,000 pods", name, 1000, measure.Figures{measure.Peak: 30e6}, nil)
		add("scale", "100,000 pods", name, 100_000, measure.Figures{measure.Peak: 2e9}, nil)
		add("events", scenario.HeartbeatsCase, name, 100, measure.Figures{contest.PerEvent: 2e-5}, nil)
		curve := measure.Curve{}
		for i := range measure.Shares {
			curve = append(curve, 1e-4*float64(i+1))
		}
		add("latency", scenario.PacedCase, name, 100, measure.Figures{measure.P99: 1e-3}, curve)
	}
	add("sync", scenario.PodsCase, "floor", 1000, measure.Figures{measure.CPU: .5, measure.Heap: 125e3}, nil)
	add("beside", scenario.SmallCase, "vedette", 100, measure.Figures{"share": .4}, nil)
	add("beside", scenario.SmallCase, "floor", 100, measure.Figures{"share": .1}, nil) // no floor for a share
	add("record", scenario.SQLiteCase, "vedette", 100, measure.Figures{contest.PerSecond: 12_000}, nil)
	add("record", scenario.ListMariaDBCase, "vedette", 100, nil, nil)
	r.Records[len(r.Records)-1].Failed = "mariadbd " + dbtest.ErrAbsent.Error()
	return r
}

func TestTable(t *testing.T) {
	var out strings.Builder
	if err := made(t).Table(&out); err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		cells := strings.Split(strings.TrimSpace(line), "  ")
		var kept []string
		for _, c := range cells {
			if c = strings.TrimSpace(c); c != "" {
				kept = append(kept, c)
			}
		}
		if len(kept) > 1 {
			rows[kept[0]] = kept[1:]
		}
	}
	for what, want := range map[string]string{
		"first sync, CPU per pod":                    "3.00 ms ±33%|30.0 ms ±33%|1/10.0|1/12|no|500 us|6",
		"first sync, wall":                           "1.00 s ±0%|10.0 s ±0%|1/10.0|1/10|yes|-|-",
		"writes/s beside 10 readers, of those alone": "40.0 %|-|-|50 %|no|-|-",
		"frame to handler, p99":                      "1.00 ms|1.00 ms|1/1.00|1/2|no|-|-",
		"commit of one change, p50":                  "-|-|-|10.0 us|not measured|-|-",
		"recorder, revisions/s kept durably: SQLite": "12,000|-|-|20,000|no|-|-",
		"the same, MariaDB":                          "-|-|-|1|no server here|-|-", // the last row of this name
	} {
		if got := strings.Join(rows[what], "|"); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

// TestDocument checks that the document names its images, and that they are XML with
// labels and units.
func TestDocument(t *testing.T) {
	dir := t.TempDir()
	if err := made(t).Document(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"memory":  {"number of pods", "peak RSS, B", "1 GB", "client-go"},
		"events":  {"CPU per event", "20 us", "heartbeats"},
		"latency": {"fraction of events that are faster", "99.9 %", "time, s", "1 ms"},
	} {
		if !strings.Contains(string(text), "benchmarks/"+name+".svg") {
			t.Errorf("the document lacks %s", name)
		}
		svg, err := os.ReadFile(filepath.Join(dir, "benchmarks", name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, want := range append(wants, "prefers-color-scheme: dark") {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s has positions that are not numbers", name)
		}
	}
}

// TestJoinVersions checks that figures of different versions are labeled.
func TestJoinVersions(t *testing.T) {
	a, b := made(t), made(t)
	a.Versions, b.Versions = []string{"vedette 1", "client-go v2"}, []string{"vedette 3", "client-go v2"}
	last := b.Records[len(b.Records)-1]
	last.Case = "another"
	b.Records = []scenario.Record{last}
	if _, err := Join([]*Run{a, b}); err == nil {
		t.Error("pieces with two versions within a scenario were joined")
	}
	b.Records = made(t).Records
	const one = "latency"
	a.Records = slices.DeleteFunc(a.Records, func(r scenario.Record) bool { return r.Scenario == one })
	b.Records = slices.DeleteFunc(b.Records, func(r scenario.Record) bool { return r.Scenario != one })
	if len(a.Records) == 0 || len(b.Records) == 0 {
		t.Fatal("no pieces were joined")
	}
	all, err := Join([]*Run{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(all.Versions, ", "); got != "vedette 1, client-go v2, vedette 3 (latency)" || len(all.Records) != len(made(t).Records) {
		t.Error(got, len(all.Records))
	}
	b.Versions = []string{"vedette 3", "client-go v4"}
	if _, err := Join([]*Run{a, b}); err == nil {
		t.Error("pieces with several versions of others were joined")
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	a := made(t)
	if err := a.Write(path); err != nil {
		t.Fatal(err)
	}
	b, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Records {
		if f := b.Records[i].Figures; f[measure.CPU] > 0 {
			f[measure.CPU] *= 2
		}
	}
	var out strings.Builder
	if err := Diff(&out, a, b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "200 %") || !strings.Contains(out.String(), "100 %") {
		t.Errorf("the difference is\n%s", out.String())
	}
	if Diff(io.Discard, a, &Run{}) == nil {
		t.Error("runs without a common figure were compared")
	}
	if _, err := Read(path + "x"); err == nil {
		t.Error("a missing file was read")
	}
}

// TestJoin checks that cases of a later piece replace the same cases of earlier ones.
func TestJoin(t *testing.T) {
	a, b := made(t), made(t)
	b.Records = b.Records[:2]
	b.Records[0].N = 7
	all, err := Join([]*Run{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Records) != len(a.Records)-7+2 || len(all.spots("scale")) != 4 {
		t.Errorf("%d records of %d and 2", len(all.Records), len(a.Records))
	}
	b.Machine = "another"
	if _, err := Join([]*Run{a, b}); err == nil {
		t.Error("pieces of two machines were joined")
	}
}

func TestUnits(t *testing.T) {
	for want, got := range map[string]string{
		"1.50 KB": format(1500, scenario.Bytes), "12.3 us": format(12.3e-6, scenario.Seconds), "0 ns": format(0, scenario.Seconds), "45.0 %": format(.45, scenario.Share),
		"1,234,568": format(1234567.8, scenario.Number), "-3.00 KB": format(-3000, scenario.Bytes), "1/4.00": ratio(1, 4), "4.00x": ratio(4, 1), "-": ratio(0, 1),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
