package recordapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/recordapi"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/reflector"
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

// sight is a person who sees one namespace; "*" sees all.
type sight string

func (s sight) All() bool { return s == "*" }

func (s sight) SeesCluster(string) bool { return true }
func (s sight) Since(_, _, _, namespace string) (time.Time, bool) {
	return time.Time{}, s.All() || string(s) == namespace
}

// fill records jobs, pods and Secrets of two teams, and more objects with states. It returns the
// database.
func fill(t *testing.T, more ...apitest.Object) *sqldb.DB {
	t.Helper()
	srv, err := apitest.New(apitest.Config{BookmarkInterval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	conn, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	db, err := sqldb.Open(t.Context(), dbtest.First(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	objects := []apitest.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}}
	for _, team := range []string{"team-a", "team-b"} {
		at := metav1.ObjectMeta{Namespace: team, Name: "of-" + team}
		objects = append(objects, &batchv1.Job{ObjectMeta: at}, &corev1.Pod{ObjectMeta: at}, &corev1.Secret{ObjectMeta: at, Data: map[string][]byte{"k": []byte("hunter2")}})
	}
	for _, o := range append(objects, more...) {
		if _, err := srv.Create(o); err != nil {
			t.Fatal(err)
		}
	}
	r, err := record.New(db, record.Config{
		Cluster: conn, ClusterName: "west", Name: "r", Targets: []record.Target{{Type: "jobs.batch"}, {Type: "pods"}, {Type: "secrets"}}, Logger: slog.New(slog.DiscardHandler),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 10 * time.Millisecond, SlowRetry: 20 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	h := history.New(db)
	patience.Until(t, "everything is recorded", func() string {
		page, err := h.ListTransitions(t.Context(), history.Filter{}, history.Paging{})
		if err != nil || len(page.Items) < 4+len(more) { // Secrets have no states
			return fmt.Sprintf("%v, %v", page, err)
		}
		return ""
	})
	cancel()
	<-ended
	withGap(t, db)
	return db
}

// withGap adds gaps whose details name an object of a team: one of all namespaces, and one of the
// namespace.
func withGap(t *testing.T, db *sqldb.DB) {
	t.Helper()
	err := db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		for _, namespace := range []string{"", "team-b"} {
			_, err := tx.Exec(t.Context(), "INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at) "+
				"SELECT cluster_id, resource_id, ?, 0, 'r', 'invalid', 1, 2, ?, ?, 'the object team-b/gapped cannot be read', 0 FROM objects WHERE name = 'of-team-b'", namespace, db.Now().UnixMicro(), db.Now().UnixMicro())
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// serve serves the operations to a person. The right to list other types applies to the
// namespaces of the sight.
func serve(t *testing.T, db *sqldb.DB, s sight, rights bool) func(path string) (int, string) {
	t.Helper()
	cfg := recordapi.Config{DB: db, Sight: func(context.Context) (recordapi.Sight, error) { return s, nil }}
	if rights {
		cfg.May = func(_ context.Context, r access.Right) error {
			if s.All() || string(s) == r.Namespace {
				return nil
			}
			return web.Denied("no", "")
		}
	}
	mux := http.NewServeMux()
	recordapi.Register(web.NewAPI(mux, "v0"), cfg)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(web.WithLogger(r.Context(), slog.New(slog.DiscardHandler))))
	}))
	t.Cleanup(server.Close)
	return func(path string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+api.Prefix+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Close = true
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
}

// paths are requests for everything, and for each object of the database.
func paths(t *testing.T, db *sqldb.DB) (all []string) {
	t.Helper()
	all = []string{api.PathRecordChanges, api.PathRecordJobs, api.PathRecordGaps, api.PathRecordGaps + "?namespace=team-a", api.PathRecordStats, api.PathRecordStats + "?type=jobs.batch", api.PathRecordChanges + "?namespace=team-b", api.PathRecordStats + "?namespace=team-b&type=pods"}
	for _, typ := range []string{"jobs.batch", "pods", "secrets"} {
		all = append(all, api.PathRecords+"?all=true&name=of-team-b&type="+typ, api.PathRecords+"?namespace=team-b&name=of-team-b&type="+typ)
	}
	page, err := history.New(db).ListObjects(t.Context(), history.Filter{Namespace: "team-b"}, history.Paging{})
	if err != nil || len(page.Items) != 3 {
		t.Fatalf("got %+v and error %v, want 3 objects of team-b", page, err)
	}
	for _, o := range page.Items {
		for _, path := range []string{api.PathRecordJob, api.PathRecordAttempts, api.PathRecordTransitions, api.PathRecordRevisions, api.PathRecordBody} {
			all = append(all, strings.NewReplacer("{id}", fmt.Sprint(o.ID), "{version}", "last").Replace(path))
		}
	}
	return all
}

// TestNobodySeesOtherTeams: no answer to a person has a byte about the objects of another team,
// and such an object is answered as if it did not exist. A person who sees the objects gets
// them.
func TestNobodySeesOtherTeams(t *testing.T) {
	db := fill(t)
	mine, all, open := serve(t, db, "team-a", true), serve(t, db, "*", true), serve(t, db, "*", false)
	_, none := mine("/records/999999/job")
	seen := 0
	for _, path := range paths(t, db) {
		status, text := mine(path)
		if strings.Contains(strings.ReplaceAll(text, path, ""), "team-b") && status == http.StatusOK || strings.Contains(text, "hunter2") {
			t.Errorf("%s: got status %d and %s, want nothing of team-b and no secret", path, status, text)
		}
		if !strings.Contains(path, "?") && strings.Count(path, "/") > 2 && (status != http.StatusNotFound || text != none) {
			t.Errorf("%s: %d %s, and for none %s", path, status, text, none)
		}
		for _, get := range []func(string) (int, string){all, open} {
			status, text := get(path)
			if strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") {
				t.Errorf("%s has the data of a Secret: %s", path, text)
			}
			if status == http.StatusOK && strings.Contains(text, "team-b") {
				seen++
			}
		}
	}
	if _, text := all(api.PathRecordGaps); strings.Count(text, "team-b/gapped") != 6 {
		t.Errorf("a person who sees everything does not get the details of gaps: %s", text)
	}
	if _, text := mine(api.PathRecordGaps + "?namespace=team-a"); !strings.Contains(text, `"invalid"`) {
		t.Errorf("a gap of all namespaces is missing: %s", text)
	}
	if seen < 20 {
		t.Errorf("a person who sees everything gets %d answers about the team", seen)
	}
	if _, text := mine(api.PathRecordChanges); !strings.Contains(text, "of-team-a") {
		t.Errorf("the person's own objects are missing: %s", text)
	}
}

// TestCursorsTellNothing: the cursor of a list depends only on visible objects, so nobody can count
// hidden objects page by page. Pages have each visible object once.
func TestCursorsTellNothing(t *testing.T) {
	var hidden []apitest.Object
	for n := range 15 {
		hidden = append(hidden, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team-b", Name: fmt.Sprint("hidden-", n)}})
	}
	db := fill(t, hidden...)
	mine, all := serve(t, db, "team-a", true), serve(t, db, "*", true)
	for _, path := range []string{api.PathRecordChanges + "?namespace=%s&limit=1", api.PathRecordJobs + "?namespace=%s&limit=1", api.PathRecordChanges + "?namespace=%s&limit=1&type=pods&order=oldest", api.PathRecords + "?type=pods&name=of-team-b&namespace=%s&limit=1"} {
		status, hidden := mine(fmt.Sprintf(path, "team-b"))
		if other, none := mine(fmt.Sprintf(path, "team-z")); status != other || hidden != none {
			t.Errorf("%s: %d %s, and for none %d %s", path, status, hidden, other, none)
		}
	}
	for _, order := range []string{"newest", "oldest"} {
		var whole, pages api.RecordChangeList
		read := func(get func(string) (int, string), query string) (one api.RecordChangeList) {
			t.Helper()
			status, text := get(api.PathRecordChanges + "?order=" + order + query)
			if err := json.Unmarshal([]byte(text), &one); err != nil || status != http.StatusOK {
				t.Fatalf("got status %d and %s, want 200 and JSON", status, text)
			}
			return one
		}
		for _, c := range read(all, "").Changes {
			if c.Record.Namespace == "team-a" {
				whole.Changes = append(whole.Changes, c)
			}
		}
		for after := ""; ; {
			page := read(mine, "&limit=1&after="+after)
			if len(page.Changes) != 1 {
				t.Fatalf("a page has %d changes, want 1", len(page.Changes))
			}
			if pages.Changes = append(pages.Changes, page.Changes...); page.Next == "" {
				break
			}
			after = page.Next
		}
		if len(whole.Changes) < 2 || !reflect.DeepEqual(whole.Changes, pages.Changes) {
			t.Errorf("%s: %d by pages, %d at once", order, len(pages.Changes), len(whole.Changes))
		}
	}
}

// TestMistakes: mistakes are problems of the person, and not faults.
func TestMistakes(t *testing.T) {
	get := serve(t, fill(t), "*", false)
	for _, path := range []string{
		api.PathRecordChanges + "?after=x", api.PathRecordChanges + "?since=x", api.PathRecordChanges + "?label=x+in", api.PathRecordChanges + "?state=x", api.PathRecordChanges + "?type=x", api.PathRecordChanges + "?ownerName=x", api.PathRecordJobs + "?ownerKind=x",
		api.PathRecords, "/records/x/job", "/records/0/job", "/records/1/revisions/x", api.PathRecordJobs + "?after=%00",
	} {
		if status, text := get(path); status < 400 || status >= 500 {
			t.Errorf("%s: got status %d and %s, want a mistake of the caller", path, status, text)
		}
	}
}

// TestReviewsFail: if the API server does not answer, the result is an error, not an
// empty list.
func TestReviewsFail(t *testing.T) {
	db := fill(t)
	mux := http.NewServeMux()
	recordapi.Register(web.NewAPI(mux, "v0"), recordapi.Config{
		DB: db, Sight: func(context.Context) (recordapi.Sight, error) { return sight("team-a"), nil },
		May: func(context.Context, access.Right) error { return errors.New("away") },
	})
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, api.Prefix+api.PathRecordChanges, nil)
	mux.ServeHTTP(w, r.WithContext(web.WithLogger(t.Context(), slog.New(slog.DiscardHandler))))
	if w.Code != http.StatusInternalServerError {
		t.Errorf("got status %d and %s, want 500", w.Code, w.Body)
	}
}
