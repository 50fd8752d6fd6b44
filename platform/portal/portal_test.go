package portal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestOperations: each path of package api has an operation with a summary, an answer and
// problems.
func TestOperations(t *testing.T) {
	w := newWorld(t)
	p, err := portal.New(portal.Config{DB: w.db, Identity: identity.Config{InsecureLoopback: true}})
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "api/path.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	paths := p.API().OpenAPI().Paths
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Path") {
			return true
		}
		path, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		n++
		item := paths[api.Prefix+path]
		if item == nil {
			t.Errorf("%s = %s has no operation", spec.Names[0].Name, path)
			return true
		}
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Delete} {
			if op != nil && (op.Summary == "" || op.OperationID == "" || op.Responses["200"] == nil && op.Responses["204"] == nil || op.Responses["default"] == nil) {
				t.Errorf("%s %s is not documented", op.Method, path)
			}
			for _, parameter := range parametersOf(op) {
				if parameter.Description == "" {
					t.Errorf("%s %s: the parameter %s has no description", op.Method, path, parameter.Name)
				}
			}
		}
		return true
	})
	schemas := p.API().OpenAPI().Components.Schemas.Map()
	for name, schema := range schemas {
		if schema.Description == "" && name != "None" {
			t.Errorf("the schema %s has no description", name)
		}
	}
	if job := schemas["Job"]; job == nil || !strings.HasPrefix(job.Properties["since"].Description, "since is") || !strings.Contains(job.Properties["since"].Description, "entered its state") || schemas["JobList"].Properties["states"].Description == "" {
		t.Errorf("fields have no descriptions: %+v", job)
	}
	if n < 40 {
		t.Errorf("%d paths are found in package api", n)
	}
}

// parametersOf returns the parameters of an operation; none of nil.
func parametersOf(op *huma.Operation) []*huma.Param {
	if op == nil {
		return nil
	}
	return op.Parameters
}

// TestUnsafe: a portal on the network needs a way to sign in.
func TestUnsafe(t *testing.T) {
	w := newWorld(t)
	for name, cfg := range map[string]portal.Config{
		"an address without sign-in": {DB: w.db, Identity: identity.Config{Listen: "0.0.0.0:8080"}},
		"no database":                {},
		"a key without certificate":  {DB: w.db, KeyFile: "x"},
		"rights without clusters":    {DB: w.db, Rights: true},
		"two clusters of a name":     {DB: w.db, Clusters: []access.Cluster{{Name: "a"}, {Name: "a"}}},
		"no address":                 {DB: w.db, Identity: identity.Config{Listen: "127.0.0.1"}},
	} {
		if _, err := portal.New(cfg); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestLoading: until the history is read, the API answers with the problem loading, and the pages
// are served.
func TestLoading(t *testing.T) {
	w := newWorld(t)
	p, err := portal.New(portal.Config{DB: w.db, Identity: identity.Config{InsecureLoopback: true}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Ready() == nil {
		t.Error("the portal is ready before Run")
	}
	s := &served{world: w, portal: p}
	s.address = listen(t, p)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/api/v1/jobs": 503, "/api/v1/stream": 503, "/jobs": 200, "/metrics": 404} {
		status, header, text := s.send(http.MethodGet, path, "")
		if status != want || strings.HasPrefix(path, "/api") && (!strings.Contains(text, api.ProblemLoading) || header.Get("Retry-After") == "") {
			t.Errorf("%s: got status %d and %s, want %d", path, status, text, want)
		}
	}
}

// TestLive: a job reaches the list and the stream, and a stream that continues after a restart
// receives the changes in between.
func TestLive(t *testing.T) {
	w := newWorld(t)
	w.record()
	s := w.serve(nil).ready()
	in := s.events("")
	w.job("one")
	var first api.Change
	s.changes(in, func(c api.Change) bool { first = c; return c.Job.Name == "one" })
	if first.Before != "" || first.Job.Cluster != "west" || first.Job.Life == nil {
		t.Errorf("got change %+v, want a new job of west with a life", first)
	}
	list := get[api.JobList](s, "/api/v1/jobs")
	if len(list.Jobs) != 1 || list.Jobs[0].UID != first.Job.UID || list.Position < first.Position {
		t.Errorf("got list %+v, want the job of the change, at its position or later", list)
	}
	status, header, _ := s.send(http.MethodGet, "/find/west/jobs.batch/ml/one", "")
	if status != http.StatusFound || header.Get("Location") != "/jobs/west/"+first.Job.UID {
		t.Errorf("find: got status %d and headers %v, want a redirect to the job", status, header)
	}
	s.stop()     // with an open stream
	w.job("two") // while no portal runs
	w.end("one")
	s = w.serve(nil).ready()
	patience.Until(t, "the index has all jobs", func() string {
		if l := get[api.JobList](s, "/api/v1/jobs?state=Succeeded"); l.Matching.N != 1 {
			return fmt.Sprintf("%d jobs succeeded", l.Matching.N)
		}
		return ""
	})
	in = s.events(fmt.Sprint("?after=", first.Position))
	ended, second := api.Change{}, false
	s.changes(in, func(c api.Change) bool {
		if c.Position <= first.Position {
			t.Errorf("again: %+v", c)
		}
		if c.Job.Name == "one" {
			ended = c
		}
		second = second || c.Job.Name == "two"
		return ended.Job.State == "Succeeded" && second
	})
	if ended.Job.State != "Succeeded" || ended.Before == "" {
		t.Errorf("got change %+v, want it Succeeded, with the state before", ended)
	}
}

// TestReplica checks that pages read histories from a replica, and the database itself while
// the replica is unusable.
func TestReplica(t *testing.T) {
	kind := dbtest.Kinds()[0]
	if kind == "sqlite" { // it has no replicas; make databases runs this test
		return
	}
	w := newWorld(t)
	w.record()
	w.job("train")
	replica, err := sqldb.OpenReplica(w.db, w.db.String(), time.Minute, slog.Default) // the database is a copy of itself
	if err != nil {
		t.Fatal(err)
	}
	s := w.serve(func(c *portal.Config) { c.Replica = replica }).ready()
	var uid string
	patience.True(t, "the job is in the list", func() bool {
		for _, j := range get[api.JobList](s, "/api/v1/jobs").Jobs {
			uid = j.UID
		}
		return uid != ""
	})
	transitions := func() string {
		return fmt.Sprint(get[map[string]any](s, "/api/v1/jobs/west/"+uid+"/transitions")["transitions"])
	}
	want := ""
	patience.Until(t, "the replica answers", func() string {
		before := replica.Stats()
		if want = transitions(); replica.Stats().Answered == before.Answered {
			return fmt.Sprintf("%+v", before)
		}
		return ""
	})
	if metrics := s.metrics(); !strings.Contains(metrics, `vedette_portal_history_reads_total{server="replica"}`) || !strings.Contains(metrics, "vedette_portal_replica_age_seconds 0.") {
		t.Errorf("got the metrics %s", metrics)
	}
	if err := replica.Close(); err != nil {
		t.Fatal(err)
	}
	if got := transitions(); got != want || got == "[]" {
		t.Errorf("without the replica the transitions are %s, want %s", got, want)
	}
}

func (s *served) metrics() string {
	s.Helper()
	_, _, text := s.send(http.MethodGet, "/metrics", "")
	return text
}
