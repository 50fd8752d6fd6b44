package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// once checks that the errors of a program have a text once.
func once(t *testing.T, p *program, want string) {
	t.Helper()
	if n := strings.Count(p.err.String(), want); n != 1 {
		t.Errorf("said %q %d times, want once:\n%s", want, n, p.err.String())
	}
}

// TestRecordWaitsForCluster checks that a recorder whose cluster does not answer at its start waits
// with one line, is not ready, and records when the cluster answers.
func TestRecordWaitsForCluster(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	srv.Unavailable()
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:"+filepath.Join(t.TempDir(), "h.db"), "--listen", "127.0.0.1:0", "--portal=false")
	p.err.holds(t, `msg="cannot start yet, and tries again"`)
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	awaited(t, address+"/readyz", http.StatusServiceUnavailable, regexp.MustCompile(`refused|reset`))
	if err := srv.Available(); err != nil {
		t.Fatal(err)
	}
	p.err.holds(t, "recording pods in ml of ")
	awaited(t, address+"/readyz", http.StatusOK, regexp.MustCompile(`^ok\n$`))
	p.interrupt()
	once(t, p, `msg="cannot start yet, and tries again"`)
}

// TestRecordWaitsForDatabase checks that a recorder waits for a database that does not answer, and
// that a stop during the wait is a normal one.
func TestRecordWaitsForDatabase(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", "postgres://u@127.0.0.1:1/h")
	p.err.holds(t, "no server listens at this address")
	p.interrupt()
	once(t, p, `msg="cannot start yet, and tries again"`)
}

// TestLogLevel checks that lines below the level are left out, and that an unknown level is an error.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	srv := recordable(t, apitest.Config{})
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:"+filepath.Join(t.TempDir(), "none", "h.db"), "--fail-fast", "--log-level", "verbose")
	p.err.holds(t, `invalid argument "verbose" for "--log-level"`)
	srv.Unavailable()
	p = start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:"+filepath.Join(t.TempDir(), "h.db"), "--log-level", "error", "--listen", "127.0.0.1:0", "--portal=false")
	p.err.holds(t, "health and metrics at ")
	address := regexp.MustCompile(`http://\S+`).FindString(p.err.String())
	awaited(t, address+"/readyz", http.StatusServiceUnavailable, regexp.MustCompile(`refused|reset`))
	if strings.Contains(p.err.String(), "level=WARN") {
		t.Errorf("a warning was logged:\n%s", p.err.String())
	}
	p.interrupt()
}

// TestReadersWaitForSchema checks that the programs that run beside a recorder wait until it has
// made the database, and that with --fail-fast they end.
func TestReadersWaitForSchema(t *testing.T) {
	newSink(t)
	srv := recordable(t, apitest.Config{})
	srv.create(&corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "a"}})
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	readers := map[string][]string{
		"messages about what": {"notify", "run", "--notify", file(t, "notify.yaml", notifyFile), "--db", url},
		"transitions of":      {"stream", "--to", "nats://127.0.0.1:1", "--db", url},
		"the portal shows":    {"portal", "--listen", "127.0.0.1:0", "--kubeconfig", srv.kubeconfig, "--db", url},
	}
	running := map[string]*program{}
	for begun, args := range readers {
		if _, text := ended(t, 1, append(args, "--fail-fast")...); !strings.Contains(text, "`vedette record` creates it") {
			t.Errorf("%s: got %s", args[0], text)
		}
		running[begun] = start(t, args...)
		running[begun].err.holds(t, "`vedette record` creates it")
	}
	p := start(t, "record", "pods", "--kubeconfig", srv.kubeconfig, "--db", url)
	for begun, reader := range running {
		reader.err.holds(t, begun)
	}
	p.interrupt()
	for _, reader := range running {
		reader.interrupt()
	}
}
