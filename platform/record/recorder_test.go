package record_test

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// world is an API server and a database.
type world struct {
	t       *testing.T
	srv     *apitest.Server
	cluster *kube.Cluster
	d       *sqldb.DB

	spill    record.Spill
	recorder *record.Recorder // the most recent one
	start    record.StartMode
	limit    int // maximum size of an object, in bytes
	pods     kube.Resource
	slow     time.Duration // SlowRetry of recorders; default 20 milliseconds
	silence  time.Duration // of a watch before the server is asked for its version; 0: the default
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	w := &world{t: t}
	var err error
	if w.srv, err = apitest.New(apitest.Config{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.srv.Close)
	if w.cluster, err = kube.Connect(kube.Config{REST: w.srv.RESTConfig()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cluster.Close)
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	if w.pods, err = w.cluster.Resolve(t.Context(), "pods"); err != nil {
		t.Fatal(err)
	}
	if w.d, err = sqldb.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.d.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := w.d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) create(obj apitest.Object) {
	w.t.Helper()
	if _, err := w.srv.Create(obj); err != nil {
		w.t.Fatal(err)
	}
}

// record runs a recorder until stop is called; without targets it records pods.
func (w *world) record(name string, targets ...record.Target) (stop func()) {
	w.t.Helper()
	if len(targets) == 0 {
		targets = []record.Target{{Type: "pods"}}
	}
	quick := reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: cmp.Or(w.slow, 20*time.Millisecond), IdleTimeout: w.silence}
	quick.Wire.MaxRecord = w.limit
	r, err := record.New(w.d, record.Config{Cluster: w.cluster, Name: name, Targets: targets, Reflector: quick, MonitorInterval: 20 * time.Millisecond, Spill: w.spill, Start: w.start, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.recorder = r
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	return sync.OnceFunc(func() {
		w.t.Helper()
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, Labels: map[string]string{"app": "train"}}}
}

func (w *world) phase(name string, p corev1.PodPhase) {
	w.t.Helper()
	if _, err := apitest.Modify(w.srv, pod(name), func(obj *corev1.Pod) { obj.Status.Phase = p }); err != nil {
		w.t.Fatal(err)
	}
}

// rows returns the result of a query, one line for each row.
func (w *world) rows(query string) (lines []string) {
	w.t.Helper()
	rows, err := w.d.SQL().QueryContext(w.t.Context(), query)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.t.Fatal(err)
		}
		var line []string
		for _, c := range cells {
			line = append(line, c.String)
		}
		lines = append(lines, strings.Join(line, " "))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return lines
}

// body reads the body of a revision of the object that has a UID.
func (w *world) body(uid string, version wire.Version) ([]byte, error) {
	var object int64
	row := w.d.QueryRow(w.t.Context(), "SELECT r.object_id FROM revisions r JOIN objects o ON o.id = r.object_id WHERE o.uid = ? AND r.version = ?", uid, int64(version))
	if err := row.Scan(&object); err != nil {
		return nil, err
	}
	return new(bodies.Reader).Read(w.t.Context(), w.d, object, version)
}

const transitions = "SELECT o.name, t.from_state, t.to_state FROM transitions t JOIN objects o ON o.id = t.object_id ORDER BY o.name, t.object_id, t.version"

// until waits until a query returns the wanted rows.
func (w *world) until(query string, want ...string) {
	w.t.Helper()
	patience.Until(w.t, query, func() string {
		if got := w.rows(query); !slices.Equal(got, want) {
			return fmt.Sprintf("got %q, want %q", got, want)
		}
		return ""
	})
}

// TestRecords checks that every state of every object is a row, including an object that
// was deleted and created again. A restarted recorder continues at the resume point, and
// detects the deletions in between.
func TestRecords(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		stop := w.record("one")
		w.until(transitions, "a  Queued")
		w.phase("a", "Running")
		w.phase("a", "Failed")
		w.create(pod("b"))
		want := []string{"a  Queued", "a Queued Running", "a Running Failed", "b  Queued"}
		w.until(transitions, want...)
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		w.create(pod("a"))
		want = slices.Insert(want, 3, "a Failed Deleted")
		want = slices.Insert(want, 4, "a  Queued")
		w.until(transitions, want...)
		stop()
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		stop = w.record("two")
		want = append(want, "b Queued Deleted")
		w.until(transitions, want...)
		stop()
		w.until("SELECT recorder, from_version < to_version FROM coverage ORDER BY id", "one "+yes(url), "two "+yes(url))
		w.until("SELECT cause FROM gaps")
		w.until("SELECT source FROM revisions WHERE source <> 1", "2")
		w.until("SELECT o.name, l.name, l.value FROM labels l JOIN objects o ON o.id = l.object_id ORDER BY o.id", "a app train", "b app train", "a app train")
	})
}

// TestReadyWhenResumed checks that a recorder that has resumed the watch of a quiet type is ready
// before it has written anything.
func TestReadyWhenResumed(t *testing.T) {
	w := newWorld(t, dbtest.First(t))
	w.create(pod("a"))
	stop := w.record("one")
	w.until(transitions, "a  Queued")
	stop()
	stop = w.record("two")
	defer stop()
	w.healthy("the resumed recorder is ready before it has written anything", func(h record.TargetHealth) bool { return h.Ready && h.Batches == 0 })
}

// yes returns the text that a database prints for true.
func yes(url string) string {
	if strings.HasPrefix(url, "postgres") {
		return "true"
	}
	return "1"
}
