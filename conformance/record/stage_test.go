package record_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(controlplane.IgnoreSpawner()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// stage is a control plane, a database, the networks to them, and witnesses.
type stage struct {
	program string
	plane   *controlplane.Cluster
	url     string         // of the database
	server  *dbtest.Server // nil: SQLite
	api, db *network.Proxy // db is nil with SQLite
	load    *load
	types   []string
	seen    map[string]*witness // by type
	env     map[string][]string // more variables of processes, by their names

	restarts []span // restarts of the API server, by etcd revisions
	work     sync.WaitGroup
	unwatch  func() // ends the witnesses
}

// newStage starts everything except recorders. names are the recorded resources.
func newStage(t *testing.T, program, kind string, opts controlplane.Options, names ...string) *stage {
	t.Helper()
	s := stageOn(t, program, dbtest.Empty(t, kind), opts, names...)
	if s.server = dbtest.Of(t, kind); s.server != nil {
		u, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		s.db = network.New(t, u.Host)
	}
	return s
}

// stageOn starts everything except the database, which has a URL.
func stageOn(t *testing.T, program, database string, opts controlplane.Options, names ...string) *stage {
	t.Helper()
	s := &stage{program: program, url: database, types: names, seen: map[string]*witness{}}
	s.plane = controlplane.ForTest(t, opts)
	ctx, cancel := context.WithCancel(t.Context())
	s.unwatch = func() {
		cancel()
		s.work.Wait()
	}
	t.Cleanup(s.unwatch)
	for _, name := range names {
		s.seen[name] = watchEtcd(ctx, t, &s.work, s.plane.EtcdURL(), prefixes[name])
	}
	s.api = network.New(t, strings.TrimPrefix(s.plane.Host(), "https://"))
	s.load = newLoad(t, s.plane.RESTConfig())
	d := s.open(t)
	defer d.Close()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// open opens the database, without the network that is cut. The caller closes it.
func (s *stage) open(t *testing.T) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), s.url)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// through returns the URL of the database through the network that is cut.
func (s *stage) through(t *testing.T) string {
	t.Helper()
	if s.db == nil {
		return s.url
	}
	u, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = s.db.Address()
	return u.String()
}

// record starts a recorder behind the networks that are cut.
func (s *stage) record(t *testing.T, name string, flags ...string) *recorder {
	t.Helper()
	config := kubeconfig(t, s.plane.RESTConfig(), s.api.Address())
	return startProgram(t, name, func() *exec.Cmd {
		cmd := recordCommand(s.program, config, name, append([]string{strings.Join(s.types, ","), "-A", "--db", s.through(t)}, flags...)...)
		cmd.Env = append(cmd.Env, s.env[name]...)
		return cmd
	})
}

// covered waits until a recorder has its first lists.
func (s *stage) covered(t *testing.T, name string) {
	t.Helper()
	wait.Until(t, time.Minute, "first lists", func() string { return s.uncovered(t, name) })
}

// uncovered lists the types without coverage by a recorder.
func (s *stage) uncovered(t *testing.T, name string) string {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	n := 0
	query := fmt.Sprintf("SELECT COUNT(DISTINCT resource_id) FROM coverage WHERE recorder = '%s'", name)
	if err := tryRows(t, d.SQL(), query, func(scan func(...any) error) error { return scan(&n) }); err != nil {
		return err.Error()
	}
	if n < len(s.types) {
		return fmt.Sprintf("%s has %d of %d", name, n, len(s.types))
	}
	return ""
}

// restartAPIServer kills the API server, and restarts it.
func (s *stage) restartAPIServer(t *testing.T) {
	t.Helper()
	from, err := s.plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.plane.KillAPIServer()
	if err := s.plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	to, err := s.plane.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.restarts = append(s.restarts, span{from: from, to: to})
}

// stopDatabase blocks writes for some time: a server is killed and restarted; the file of
// SQLite is locked.
func (s *stage) stopDatabase(t *testing.T, outage time.Duration) {
	t.Helper()
	if s.server != nil {
		s.server.Kill()
		<-time.After(outage)
		if err := s.server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		return
	}
	db, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(s.url, "sqlite:")+"?_pragma=busy_timeout(20000)&_txlock=exclusive")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(outage)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

// cut cuts a network for some time.
func cut(p *network.Proxy, m network.Mode, outage time.Duration) {
	p.Set(m)
	if m == network.Reset {
		return
	}
	<-time.After(outage)
	p.Set(network.Whole)
}

// settle waits until the recorders have all changes; without names, until any recorder
// has. It changes the markers repeatedly, because a recorder that resumes at the end of
// another's coverage has nothing to write.
func (s *stage) settle(t *testing.T, within time.Duration, names ...string) {
	t.Helper()
	if len(names) == 0 {
		names = []string{"%"}
	}
	d := s.open(t)
	defer d.Close()
	began := time.Now()
	var last map[string]int64
	var marked time.Time
	wait.Until(t, within, "all changes are recorded", func() string {
		if time.Since(marked) > 5*time.Second {
			s.mark(t)
			last, marked = s.last(t), time.Now()
		}
		for _, resource := range s.types {
			for _, name := range names {
				to := int64(0)
				query := fmt.Sprintf("SELECT COALESCE(MAX(c.to_version), 0) FROM coverage c JOIN resources r ON r.id = c.resource_id WHERE r.name = '%s' AND c.recorder LIKE '%s'", resource, name)
				if err := tryRows(t, d.SQL(), query, func(scan func(...any) error) error { return scan(&to) }); err != nil {
					return err.Error()
				}
				if to < last[resource] {
					return fmt.Sprintf("%s has %s up to %d of %d", name, resource, to, last[resource])
				}
			}
		}
		return ""
	})
	t.Logf("everything was recorded after %v", time.Since(began).Round(100*time.Millisecond))
}

// mark changes the marker object of each type, so that recorders have an event to record.
func (s *stage) mark(t *testing.T) {
	t.Helper()
	text := fmt.Appendf(nil, `{"metadata":{"labels":{"marked":"%d"}}}`, time.Now().UnixNano())
	wait.Until(t, time.Minute, "the markers change", func() string {
		for _, resource := range s.types {
			rest := s.load.client.Discovery().RESTClient()
			if err := rest.Patch(types.MergePatchType).AbsPath(paths[resource] + "/marker").Body(text).Do(t.Context()).Error(); err != nil {
				return err.Error()
			}
		}
		return ""
	})
}

// last returns the version of the last change of each type, after the witnesses have seen
// it.
func (s *stage) last(t *testing.T) map[string]int64 {
	t.Helper()
	last := map[string]int64{}
	for _, resource := range s.types {
		marker := s.get(t, paths[resource]+"/marker")
		version, err := wire.ParseVersion(marker["metadata"].(map[string]any)["resourceVersion"].(string))
		if err != nil {
			t.Fatal(err)
		}
		last[resource] = int64(version)
		w := s.seen[resource]
		wait.Until(t, time.Minute, "the witness", func() string {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.last < int64(version) {
				return fmt.Sprintf("has seen %d of %d", w.last, version)
			}
			return ""
		})
	}
	return last
}

// paths are the API paths of the types, in the namespace default.
var paths = map[string]string{"pods": "/api/v1/namespaces/default/pods", "jobs": "/apis/batch/v1/namespaces/default/jobs", "widgets": "/apis/example.com/v1/namespaces/default/widgets"}

// prefixes are the key prefixes of the types in etcd.
var prefixes = map[string]string{"pods": "/registry/pods/", "jobs": "/registry/jobs/", "widgets": "/registry/example.com/widgets/"}

// get requests an object or a list from the API server.
func (s *stage) get(t *testing.T, path string) map[string]any {
	t.Helper()
	raw, err := s.load.client.Discovery().RESTClient().Get().AbsPath(path).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// compare compares the database with the witness, with the API server and with itself.
// alone means that there was one recorder.
func (s *stage) compare(t *testing.T, alone bool) {
	t.Helper()
	d := s.open(t)
	defer d.Close()
	for _, resource := range s.types {
		h, all := read(t, d, resource), s.seen[resource].all()
		problems, hidden := h.compare(all)
		problems = append(problems, h.consistent()...)
		problems = append(problems, h.intervals(s.restarts)...)
		if alone {
			problems = append(problems, h.wide()...)
		}
		problems = append(problems, s.present(t, d, h, resource)...)
		t.Logf("%s: %d objects, %d revisions of %d, %d transitions; %d rows of coverage, gaps %v, %d revisions in them",
			resource, len(h.objects), h.revisions, len(all), h.moves, len(h.coverage), h.gaps, hidden)
		for _, p := range problems[:min(len(problems), 20)] {
			t.Errorf("%s: %s", resource, p)
		}
		if len(problems) > 20 {
			t.Errorf("%s: and %d more", resource, len(problems)-20)
		}
	}
}

// present compares the current objects with the API server, including their bodies.
func (s *stage) present(t *testing.T, d *sqldb.DB, h *tables, resource string) (problems []string) {
	t.Helper()
	now := map[string]map[string]any{}
	for _, item := range s.get(t, paths[resource])["items"].([]any) {
		fields := item.(map[string]any)
		now[fields["metadata"].(map[string]any)["uid"].(string)] = fields
	}
	for _, o := range h.objects {
		if o.presence != isThere {
			continue
		}
		fields := now[o.uid]
		delete(now, o.uid)
		if fields == nil {
			problems = append(problems, fmt.Sprintf("%s/%s %s exists only in the database", o.namespace, o.name, o.uid))
			continue
		}
		body, _, err := history.New(d).Body(t.Context(), o.id, 0)
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", o.uid, err))
			continue
		}
		got := map[string]any{}
		if err := json.Unmarshal(body, &got); err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", o.uid, err))
		}
		if version := fields["metadata"].(map[string]any)["resourceVersion"]; version != fmt.Sprint(o.version) {
			problems = append(problems, fmt.Sprintf("%s has version %v, and was recorded with %d", o.uid, version, o.version))
		}
		if got, want := plain(got), plain(fields); !reflect.DeepEqual(got, want) {
			problems = append(problems, fmt.Sprintf("%s is\n%.900v\nbut was recorded as\n%.900v", o.uid, want, got))
		}
	}
	for uid := range now {
		problems = append(problems, uid+" exists only on the server")
	}
	return problems
}

// plain removes fields that a list omits from each object, fields that are not kept, and
// the version.
func plain(fields map[string]any) map[string]any {
	delete(fields, "apiVersion")
	delete(fields, "kind")
	delete(fields["metadata"].(map[string]any), "managedFields")
	delete(fields["metadata"].(map[string]any), "resourceVersion")
	return fields
}
