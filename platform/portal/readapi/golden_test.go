package readapi_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
)

var update = flag.Bool("update", false, "write the files in testdata")

// changing are the parts of answers that differ from run to run, and their placeholders.
var changing = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z`), "TIME"},
	{regexp.MustCompile(`"(version|from|to|resourceVersion)": "[0-9]+"`), `"$1": "VERSION"`},
	{regexp.MustCompile(`resourceVersion: \\"[0-9]+\\"`), `resourceVersion: VERSION`},
	{regexp.MustCompile(`"(id|position|waited|ran|seconds)": [0-9.e-]+`), `"$1": 0`},
	{regexp.MustCompile(`"[0-9]+s"`), `"SECONDS"`},
	{regexp.MustCompile(`"instance": "[0-9a-f]+"`), `"instance": "ID"`},
}

// TestGolden: the answers about a small world equal testdata exactly, except times, UIDs,
// versions and row numbers. -update writes testdata.
func TestGolden(t *testing.T) {
	w, _, b := twoTeams(t)
	w.serve(nil)
	var got strings.Builder
	for _, path := range []string{
		api.PathSession, api.PathJobs + "?sort=name", api.PathCounts + "?state=Failed", api.PathSuggest + "?key=owner", "/find/west/jobs.batch/team-b/bravo",
		api.PathJob, api.PathTransitions, api.PathAttempts, api.PathPods, api.PathEvents, api.PathRevisions, "/jobs/{cluster}/{uid}/revisions/last",
		api.PathDiff, api.PathNotifications, api.PathDeadLetters, "/jobs/west/no-such-job", api.PathJobs + "?gpus=many",
	} {
		status, text := w.get("*", jobPath(path, string(b.UID)))
		var indented bytes.Buffer
		if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
			t.Fatalf("%s: got status %d and %s, want JSON", path, status, text)
		}
		text = indented.String()
		for _, c := range changing {
			text = c.pattern.ReplaceAllString(text, c.stands)
		}
		fmt.Fprintf(&got, "GET %s\n%d %s\n%s\n\n", path, status, http.StatusText(status), text)
	}
	const file = "testdata/answers.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() == string(want) {
		return
	}
	old, now := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range min(len(old), len(now)) {
		if old[i] != now[i] {
			t.Fatalf("line %d of %s is\n%s\nbut the answer has\n%s", i+1, file, old[i], now[i])
		}
	}
	t.Fatalf("%s has %d lines, the answers %d", file, len(old), len(now))
}
