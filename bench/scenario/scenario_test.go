package scenario_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/notified"
	"github.com/vedette-io/vedette/bench/portal"
	"github.com/vedette-io/vedette/bench/report"
	"github.com/vedette-io/vedette/bench/scenario"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	for _, gate := range []string{"ClientsAllowCBOR", "ClientsPreferCBOR"} {
		if err := os.Setenv("KUBE_FEATURE_"+gate, "true"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	contest.Messengers["vedette"] = notified.Open
	portal.Register()
	portal.Start = portal.StartInside
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}

// inside runs everything in this process.
type inside struct{}

func (inside) Serve(spec serve.Spec) (url, sizes string, stop func(), err error) {
	s, err := serve.New(spec)
	if err != nil {
		return "", "", nil, err
	}
	server := httptest.NewServer(s)
	return server.URL, s.Sizes(), func() {
		s.Close()
		server.CloseClientConnections()
		server.Close()
		s.Free()
	}, nil
}

func (inside) Do(task contest.Task) (*contest.Result, error) { return contest.Do(task) }

// TestAll runs every scenario with every contestant, with a few objects, and creates a
// report of it.
func TestAll(t *testing.T) {
	testinput.Uncached(t) // a run asks git for the revision
	run := report.NewRun([]string{"-tiny"})
	for _, s := range scenario.All {
		t.Run(s.Name, func(t *testing.T) {
			records, err := scenario.Run(t.Context(), inside{}, []scenario.Scenario{s}, scenario.Options{Size: scenario.Tiny}, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			run.Records = append(run.Records, records...)
			for _, r := range records {
				if strings.Contains(r.Failed, dbtest.ErrAbsent.Error()) {
					t.Log(r.Failed)
					continue
				}
				if r.Failed != "" {
					t.Errorf("%s / %s: %s", r.Case, r.Contestant, r.Failed)
					continue
				}
				if lists := r.Figures["lists"]; s.Name == "restart" && (lists == 0) != strings.HasSuffix(r.Contestant, "-warm") {
					t.Errorf("%s needed %v lists", r.Contestant, lists)
				}
				for _, f := range s.Figures {
					if _, ok := r.Figures[f.Name]; !ok && (!f.Ours || r.Contestant == "vedette") {
						t.Errorf("%s / %s has no figure %q", r.Case, r.Contestant, f.Name)
					}
				}
			}
		})
	}
	dir := t.TempDir()
	if err := run.Document(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(dir + "/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Targets", "`vedette-pull`", "mass deletion", "benchmarks/memory.svg", "benchmarks/events.svg", "benchmarks/latency.svg"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	var out strings.Builder
	if err := run.Table(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "not measured") || strings.Contains(out.String(), "NaN") {
		t.Errorf("the table has missing figures:\n%s", out.String())
	}
}

// TestFailures checks that the failure of a contestant is recorded, and the others
// continue.
func TestFailures(t *testing.T) {
	s := scenario.Scenario{Name: "made up", Cases: func(scenario.Options) []scenario.Case {
		c := scenario.All[0].Cases(scenario.Options{Size: scenario.Tiny})[0]
		c.Contestants = []string{"nobody", "vedette"}
		return []scenario.Case{c}
	}}
	records, err := scenario.Run(t.Context(), inside{}, []scenario.Scenario{s}, scenario.Options{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 2 || !strings.Contains(records[0].Failed, "nobody") || records[1].Failed != "" {
		t.Errorf("%+v", records)
	}
}
