package record_test

import (
	"context"
	"errors"
	"io/fs"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/record/sqldb"
)

// TestInspect inspects a database before and after it has a schema, and changes nothing.
func TestInspect(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		_, isFile := sqldb.FileOf(url)
		if isFile {
			if _, err := sqldb.Inspect(t.Context(), url); !errors.Is(err, sqldb.ErrAbsent) {
				t.Fatal(err)
			}
			if _, err := sqldb.Read(t.Context(), url); !errors.Is(err, sqldb.ErrAbsent) {
				t.Fatal(err)
			}
		} else {
			d, err := sqldb.Inspect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the first call creates nothing
				steps, err := d.Migrations(t.Context())
				if err != nil || len(steps) == 0 || steps[0].Applied {
					t.Errorf("%+v, %v", steps, err)
				}
			}
			if err := record.TryWrite(t.Context(), d); err == nil {
				t.Error("wrote without a schema")
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if _, err := sqldb.Read(t.Context(), url); !errors.Is(err, sqldb.ErrNoSchema) {
				t.Error(err)
			}
		}
		w := newWorld(t, url)
		w.create(pod("a"))
		stop := w.record("one")
		w.until("SELECT COUNT(*) FROM revisions", "1")
		stop()
		if err := record.TryWrite(t.Context(), w.d); err != nil {
			t.Error(err)
		}
		w.until("SELECT COUNT(*) FROM clusters", "1") // the insert was rolled back
		d, err := sqldb.Inspect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		steps, err := d.Migrations(t.Context())
		if err != nil || !steps[0].Applied || time.Since(steps[0].At).Abs() > time.Minute {
			t.Errorf("%+v, %v", steps, err)
		}
		if at, err := d.Clock(t.Context()); err != nil || time.Since(at).Abs() > time.Second {
			t.Errorf("%v, %v", at, err)
		}
		version, err := d.Version(t.Context())
		if name, number, _ := strings.Cut(version, " "); err != nil || name == "" || strings.Count(number, ".") == 0 {
			t.Errorf("%s, %v", version, err)
		}
		system, err := w.srv.Get(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := record.FindResumePoint(t.Context(), d, string(system.GetUID()), w.pods, record.Target{Type: "pods"})
		if err != nil || r.Version == 0 || time.Since(r.At) > time.Minute {
			t.Errorf("%+v, %v", r, err)
		}
		for _, other := range []record.Target{{Namespace: "ml"}, {LabelSelector: "a"}} {
			if r, err := record.FindResumePoint(t.Context(), d, string(system.GetUID()), w.pods, other); err != nil || r.Version != 0 {
				t.Errorf("%+v: %+v, %v", other, r, err)
			}
		}
	})
}

// TestInspectLeavesNothing: inspecting a file changes neither the file nor its directory.
func TestInspectLeavesNothing(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	file, _ := sqldb.FileOf(url)
	list := func() string {
		var names []string
		err := filepath.WalkDir(filepath.Dir(file), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				text, _ := os.ReadFile(path)
				names = append(names, path, string(text))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, "\n")
	}
	before := list()
	if d, err = sqldb.Inspect(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrations(t.Context()); err != nil {
		t.Error(err)
	}
	if err := record.TryWrite(t.Context(), d); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("the database can be written: %v", err)
	}
	if during := list(); during != before {
		t.Error("inspecting a file creates another")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if list() != before {
		t.Error("inspecting a file changed something")
	}
}

func TestHide(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://me:geheim@db:5432/h?sslmode=disable&password=geheim": "postgres://me@db:5432/h?sslmode=disable",
		"mysql://me:geheim@db/h":      "mysql://me@db/h",
		"postgres://me:geheim%zz@h/d": "postgres:…",
		"sqlite:a/b.db":               "sqlite:a/b.db",
		"geheim":                      "…",
	} {
		if got := sqldb.Hide(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func TestFieldPaths(t *testing.T) {
	for text, ok := range map[string]bool{
		"spec": true, "spec.template.spec.containers.env": true, `metadata.annotations.example\.com/token`: true, "metadata.labels": true, `a\\b`: true,
		"": false, ".": false, "a..b": false, ".a": false, "a.": false, "a.*": false, "$.a": false, "a[0]": false, "a b": false, "/spec/a": false, `a\`: false,
		"kind": false, "metadata": false, "metadata.uid": false,
	} {
		if err := record.CheckFieldPath(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	names, err := record.FieldNames(`metadata.annotations.example\.com/to\\ken`)
	if err != nil || strings.Join(names, "|") != `metadata|annotations|example.com/to\ken` {
		t.Errorf("%q, %v", names, err)
	}
}

// TestRefusals: a refusal of a database is one line that says what to do, without a
// password.
func TestRefusals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		var cases map[string]string
		u, err := neturl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		switch u.Scheme {
		case "sqlite":
			cases = map[string]string{"sqlite:/nowhere/h.db": "the directory /nowhere does not exist", "sqlite:" + t.TempDir(): "is a directory"}
		case "postgres":
			cases = map[string]string{
				"postgres://nobody:geheim@" + u.Host + "/postgres?sslmode=disable": "the server does not let this user connect",
				"postgres://vedette:geheim@" + u.Host + "/none?sslmode=disable":    "the database does not exist",
				"postgres://vedette:geheim@" + u.Host + "/none?sslmode=require":    "the server does not support TLS",
				"mysql://vedette:geheim@" + u.Host + "/none":                       "did not answer in time",
			}
		case "mysql":
			cases = map[string]string{
				"mysql://nobody:geheim@" + u.Host + "/h":                    "the server rejected the user or the password",
				"mysql://root@" + u.Host + "/none":                          "the database does not exist",
				"mysql://root@" + u.Host + "/none?tls=true":                 "the server does not support TLS",
				"postgres://nobody:geheim@" + u.Host + "/h?sslmode=disable": "check that this is the address of a PostgreSQL server",
			}
		}
		for url, want := range cases {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			d, err := sqldb.Open(ctx, url)
			cancel()
			if err == nil {
				_ = d.Close()
				t.Errorf("%s can be opened", url)
				continue
			}
			if text := err.Error(); !strings.Contains(text, want) || strings.ContainsAny(text, "\n\t") || strings.Contains(text, "geheim") {
				t.Errorf("%s: %s, want %s", url, text, want)
			}
			var said *sqldb.Error
			if !errors.As(err, &said) || said.Remedy == "" {
				t.Errorf("%s: no remedy", url)
			}
		}
	})
}
