package job_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/kindtest"
)

var update = flag.Bool("update", false, "write the table of docs/kinds.md, and the names of the rows of testdata/pods.yaml")

// cells are the columns of the table of kinds, and the tests of those that lives do not show.
var cells = []struct{ name, dir, test string }{
	{"state", "", ""},
	{"wait", "", ""},
	{"cause", "", ""},
	{"pods", "job", "TestPodsOfKinds"},
	{"logs", "platform/logs", "TestLogsOfKinds"},
	{"cancel", "platform/submit", "TestCancelOfKinds"},
	{"hold", "platform/submit", "TestHoldOfKinds"},
	{"retry", "platform/submit", "TestRetryOfKinds"},
}

// TestPodsOfKinds: the label of each kind is on the pods of its operator, the chain of
// controllers of a pod ends with the job, the labels name the job as an owner, and the GPUs of
// all its pods are counted.
func TestPodsOfKinds(t *testing.T) {
	for _, row := range kindtest.Rows(t) {
		t.Run(row.Type, func(t *testing.T) {
			k, o := row.Kind(t), job.Object(row.Object(t))
			if got := job.ReadSpec(o).GPUs; got != row.GPUs {
				t.Errorf("%d GPUs, want %d", got, row.GPUs)
			}
			if row.None["pods"] != "" {
				return
			}
			for name, value := range k.PodLabels(o) {
				if row.Pod.Labels[name] != value {
					t.Errorf("pods are selected by %s=%s, and have %v", name, value, row.Pod.Labels)
				}
			}
			if k.Indirect && k.PodLabels(o) == nil {
				t.Error("its pods have other controllers and no label")
			}
			if n := len(row.Pod.Owners); n > 0 {
				if top := row.Pod.Owners[n-1]; job.KindOf(top.APIVersion, top.Kind) != k || top.Name != kindtest.Name {
					t.Errorf("the last controller is %+v", top)
				}
				if k.Indirect != (n > 1) {
					t.Errorf("the pod has %d controllers up to the job, and Indirect is %v", n, k.Indirect)
				}
			}
			if selects := strings.Contains(k.PodLabel, "training.kubeflow.org"); k.Indirect && k.PodLabelValue == nil && !selects {
				owner := func(o job.Owner) bool { return job.KindOf(o.APIVersion, o.Kind) == k && o.Name == kindtest.Name }
				labels := row.Pod.Labels
				if k.Name == "TrainJob" {
					labels["trainer.kubeflow.org/trainjob-ancestor-step"] = "trainer"
				}
				if all := job.LabeledOwners(labels); !slices.ContainsFunc(all, owner) {
					t.Errorf("the labels name the owners %+v", all)
				}
			}
		})
	}
}

// TestTableOfKinds: docs/kinds.md has each kind with the test of each of its cells, or the
// reason why the API has no such field, and the tests exist.
func TestTableOfKinds(t *testing.T) {
	for _, c := range cells {
		if c.dir != "" && !declares(t, "../"+c.dir, c.test) {
			t.Errorf("%s has no test %s", c.dir, c.test)
		}
	}
	const path = "../docs/kinds.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	between := regexp.MustCompile(`(?s)(<!-- kinds begin -->\n).*(<!-- kinds end -->)`)
	if !between.Match(text) {
		t.Fatal("docs/kinds.md has no marks of the table")
	}
	want := between.ReplaceAllLiteralString(string(text), "<!-- kinds begin -->\n"+tableOfKinds(t)+"<!-- kinds end -->")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("docs/kinds.md differs from the code; run: go test ./job -run TestTableOfKinds -update")
	}
}

// declares reports whether the tests of a folder declare a function.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
	})
}

// tableOfKinds returns the table, and the list of the reasons below it. A cell without a test
// and without a reason is a failure.
func tableOfKinds(t *testing.T) string {
	t.Helper()
	rows, lives := map[string]kindtest.Row{}, livesByType(t)
	for _, row := range kindtest.Rows(t) {
		rows[row.Type] = row
	}
	var table, reasons strings.Builder
	table.WriteString("| type | job |")
	for _, c := range cells {
		table.WriteString(" " + c.name + " |")
	}
	table.WriteString("\n|" + strings.Repeat("---|", len(cells)+2) + "\n")
	for _, k := range job.Kinds() {
		row, hasPods := rows[k.Type()]
		if !hasPods && k.Job {
			t.Errorf("%s is a type of jobs without an example in job/kindtest/kinds.yaml", k.Type())
		}
		delete(rows, k.Type())
		fmt.Fprintf(&table, "| `%s` | %s |", k.Type(), map[bool]string{true: "yes", false: "no"}[k.Job])
		for _, c := range cells {
			why := row.None[c.name]
			switch {
			case why != "":
				table.WriteString(" none |")
				fmt.Fprintf(&reasons, "- `%s`, %s: %s.\n", k.Type(), c.name, why)
			case c.test == "":
				text := lifeOf(lives[k.Type()], c.name)
				if text == "" && (k.Job || c.name == "state") {
					t.Errorf("%s has no life that shows its %s, and no reason", k.Type(), c.name)
				}
				table.WriteString(" " + orNoJob(text) + " |")
			case hasPods:
				table.WriteString(" `" + c.test + "` |")
			default:
				table.WriteString(" no pods |")
			}
		}
		table.WriteString("\n")
	}
	for name := range rows {
		t.Errorf("the example %s is of no kind", name)
	}
	return table.String() + "\nThe API has no such field:\n\n" + reasons.String()
}

func orNoJob(text string) string {
	if text == "" {
		return "no job"
	}
	return text
}

// livesByType returns the lives of each type.
func livesByType(t *testing.T) map[string][]life {
	t.Helper()
	all := map[string][]life{}
	for _, l := range allLives() {
		o := job.Object(parse(t, l.object))
		k := job.KindOf(o.Text("apiVersion"), o.Text("kind"))
		if k == nil {
			t.Fatalf("the life %q is of no kind", l.name)
		}
		all[k.Type()] = append(all[k.Type()], l)
	}
	return all
}

// shows are the beginnings of the states that show a cell, the best first.
var shows = map[string][]string{
	"state": {""},
	"wait":  {"Queued: ", "Starting: ", "Queued", "Starting"},
	"cause": {"Failed: ", "Restarting: ", "Failed", "Restarting"},
}

// lifeOf returns the name of the first life that shows a cell.
func lifeOf(lives []life, cell string) string {
	for _, begin := range shows[cell] {
		for _, l := range lives {
			if slices.ContainsFunc(l.writes, func(w write) bool { return strings.HasPrefix(w.want, begin) }) {
				return "`TestLives`: " + l.name
			}
		}
	}
	return ""
}
