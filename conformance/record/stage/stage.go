package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/dice"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// Main runs the tests of a package, stops the databases, and finds goroutines that remain.
func Main(m *testing.M) {
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

// Stage is a control plane, a database, the networks to them, and witnesses.
type Stage struct {
	Program string
	Plane   *controlplane.Cluster
	URL     string         // of the database
	server  *dbtest.Server // nil: SQLite
	API, DB *network.Proxy // DB is nil with SQLite
	Load    *load
	Dice    *dice.Dice
	Types   []string
	seen    map[string]*witness // by type
	Env     map[string][]string // more variables of processes, by their names

	Restarts []Span // restarts of the API server, by etcd revisions
	work     sync.WaitGroup
	Unwatch  func() // ends the witnesses
}

// New starts everything except recorders. names are the recorded resources.
func New(t *testing.T, program, kind string, opts controlplane.Options, names ...string) *Stage {
	t.Helper()
	s := On(t, program, dbtest.Empty(t, kind), opts, names...)
	if s.server = dbtest.Of(t, kind); s.server != nil {
		u, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		s.DB = network.New(t, u.Host)
	}
	return s
}

// On starts everything except the database, which has a URL.
func On(t *testing.T, program, database string, opts controlplane.Options, names ...string) *Stage {
	t.Helper()
	s := &Stage{Program: program, URL: database, Types: names, seen: map[string]*witness{}, Dice: dice.New(t)}
	s.Plane = controlplane.ForTest(t, opts)
	ctx, cancel := context.WithCancel(t.Context())
	s.Unwatch = func() {
		cancel()
		s.work.Wait()
	}
	t.Cleanup(s.Unwatch)
	for _, name := range names {
		s.seen[name] = watchEtcd(ctx, t, &s.work, s.Plane.EtcdURL(), prefixes[name])
	}
	s.API = network.New(t, strings.TrimPrefix(s.Plane.Host(), "https://"))
	s.Load = newLoad(t, s.Plane.RESTConfig(), s.Dice)
	d := s.Open(t)
	defer d.Close()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// Open opens the database, without the network that is cut. The caller closes it.
func (s *Stage) Open(t *testing.T) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Through returns the URL of the database through the network that is cut.
func (s *Stage) Through(t *testing.T) string {
	t.Helper()
	if s.DB == nil {
		return s.URL
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = s.DB.Address()
	return u.String()
}

// Record starts a recorder behind the networks that are cut.
func (s *Stage) Record(t *testing.T, name string, flags ...string) *Recorder {
	t.Helper()
	config := Kubeconfig(t, s.Plane.RESTConfig(), s.API.Address())
	return Start(t, name, func() *exec.Cmd {
		cmd := RecordCommand(s.Program, config, name, append([]string{strings.Join(s.Types, ","), "-A", "--db", s.Through(t)}, flags...)...)
		cmd.Env = append(cmd.Env, s.Env[name]...)
		return cmd
	})
}

// Covered waits until a recorder has its first lists.
func (s *Stage) Covered(t *testing.T, name string) {
	t.Helper()
	patience.Until(t, "first lists", func() string { return s.Uncovered(t, name) })
}

// Uncovered lists the types without coverage by a recorder.
func (s *Stage) Uncovered(t *testing.T, name string) string {
	t.Helper()
	d := s.Open(t)
	defer d.Close()
	n := 0
	query := fmt.Sprintf("SELECT COUNT(DISTINCT resource_id) FROM coverage WHERE recorder = '%s'", name)
	if err := TryRows(t, d.SQL(), query, func(scan func(...any) error) error { return scan(&n) }); err != nil {
		return err.Error()
	}
	if n < len(s.Types) {
		return fmt.Sprintf("%s has %d of %d", name, n, len(s.Types))
	}
	return ""
}

// Settle waits until the recorders have all changes; without names, until any recorder
// has. It changes the markers repeatedly, because a recorder that resumes at the end of
// another's coverage has nothing to write.
func (s *Stage) Settle(t *testing.T, names ...string) {
	t.Helper()
	if len(names) == 0 {
		names = []string{"%"}
	}
	d := s.Open(t)
	defer d.Close()
	began := time.Now()
	var last map[string]int64
	var marked time.Time
	patience.Work(t, "all changes are recorded", func() (done int64, problem string) {
		if time.Since(marked) > 5*time.Second {
			s.Mark(t)
			last, marked = s.last(t), time.Now()
		}
		for _, resource := range s.Types {
			for _, name := range names {
				to := int64(0)
				query := fmt.Sprintf("SELECT COALESCE(MAX(c.to_version), 0) FROM coverage c JOIN resources r ON r.id = c.resource_id WHERE r.name = '%s' AND c.recorder LIKE '%s'", resource, name)
				if err := TryRows(t, d.SQL(), query, func(scan func(...any) error) error { return scan(&to) }); err != nil {
					return 0, err.Error()
				}
				if done += to; to < last[resource] {
					problem = fmt.Sprintf("%s has %s up to %d of %d", name, resource, to, last[resource])
				}
			}
		}
		return done, problem
	})
	t.Logf("everything was recorded after %v", time.Since(began).Round(100*time.Millisecond))
}

// Mark changes the marker object of each type, so that recorders have an event to record.
func (s *Stage) Mark(t *testing.T) {
	t.Helper()
	text := fmt.Appendf(nil, `{"metadata":{"labels":{"marked":"%d"}}}`, time.Now().UnixNano())
	patience.Until(t, "the markers change", func() string {
		for _, resource := range s.Types {
			rest := s.Load.Client.Discovery().RESTClient()
			if err := rest.Patch(types.MergePatchType).AbsPath(Paths[resource] + "/marker").Body(text).Do(t.Context()).Error(); err != nil {
				return err.Error()
			}
		}
		return ""
	})
}

// last returns the version of the last change of each type, after the witnesses have seen
// it.
func (s *Stage) last(t *testing.T) map[string]int64 {
	t.Helper()
	last := map[string]int64{}
	for _, resource := range s.Types {
		marker := s.get(t, Paths[resource]+"/marker")
		version, err := wire.ParseVersion(marker["metadata"].(map[string]any)["resourceVersion"].(string))
		if err != nil {
			t.Fatal(err)
		}
		last[resource] = int64(version)
		w := s.seen[resource]
		patience.Until(t, "the witness", func() string {
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

// Paths are the API paths of the types, in the namespace default.
var Paths = map[string]string{"pods": "/api/v1/namespaces/default/pods", "jobs": "/apis/batch/v1/namespaces/default/jobs", "widgets": "/apis/example.com/v1/namespaces/default/widgets"}

// prefixes are the key prefixes of the types in etcd.
var prefixes = map[string]string{"pods": "/registry/pods/", "jobs": "/registry/jobs/", "widgets": "/registry/example.com/widgets/"}

// get requests an object or a list from the API server.
func (s *Stage) get(t *testing.T, path string) map[string]any {
	t.Helper()
	raw, err := s.Load.Client.Discovery().RESTClient().Get().AbsPath(path).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
