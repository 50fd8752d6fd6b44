package main

import (
	"net"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// suggestions returns the completions of the last argument, separated by spaces.
func suggestions(t *testing.T, args ...string) string {
	t.Helper()
	p := start(t, append([]string{"__completeNoDesc"}, args...)...)
	if code := p.end(); code != 0 {
		t.Errorf("%q: got exit code %d, %v", args, code, p.err)
	}
	if errs := p.err.String(); !strings.HasPrefix(errs, "Completion ended with directive: ") || strings.Count(errs, "\n") != 1 {
		t.Errorf("%q: got the error output %q, want only the directive", args, errs)
	}
	words, directive, _ := strings.Cut("\n"+p.out.String(), "\n:")
	if directive != "4\n" && directive != "6\n" {
		t.Errorf("%q: got the directive %q, want no file names", args, directive)
	}
	return strings.Join(strings.Fields(words), " ")
}

func TestCompletionOfCluster(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	for _, name := range []string{"ml", "web"} {
		srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	srv.create(newJob("ml", "train-1"), newJob("ml", "train-2"), newJob("web", "other"))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"podtemplates", []string{"watch", "podt"}},
		{"jobs.batch,podtemplates", []string{"watch", "jobs.batch,podt"}},
		{"jobs.batch", []string{"record", "jobs.b"}},
		{"", []string{"watch", "pods", "po"}},
		{"ml", []string{"watch", "-n", "m"}},
		{"ml web", []string{"jobs", "--namespace", ""}},
		{"c", []string{"watch", "--context", ""}},
		{"train-1 train-2", []string{"cancel", ""}},
		{"train-2", []string{"cancel", "train-1", ""}},
		{"job/train-1 job/train-2", []string{"logs", "job/"}},
		{"other", []string{"retry", "-n", "web", "o"}},
		{"", []string{"retry", "train-1", ""}},
	} {
		args := append([]string{c.args[0], "--kubeconfig", srv.kubeconfig}, c.args[1:]...)
		if got := suggestions(t, args...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.args, got, c.want)
		}
	}
}

func TestCompletionOfHistory(t *testing.T) {
	a := newArchive(t)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"namespaces pods", []string{"stats", ""}},
		{"pods,namespaces", []string{"history", "pods,n"}},
		{"pods/", []string{"show", "po"}},
		{"pod/quiet pod/train", []string{"history", "-n", "ml", "pod/"}},
		{"train", []string{"diff", "-n", "ml", "pods", "t"}},
		{"ml", []string{"wait", "-n", "m"}},
		{"Restarting Running", []string{"history", "--state", "R"}},
		{"Failed,Starting Failed,Submitted Failed,Succeeded Failed,Suspended", []string{"jobs", "--state", "Failed,S"}},
		{"deleted state=", []string{"wait", "--for", ""}},
		{"state=Failed,Aborted", []string{"wait", "--for", "state=Failed,A"}},
		{"Failed=", []string{"prune", "--keep-state", "F"}},
	} {
		args := append([]string{c.args[0], "--db", a.db}, c.args[1:]...)
		if got := suggestions(t, args...); got != c.want {
			t.Errorf("%q: got %q, want %q", c.args, got, c.want)
		}
	}
	t.Setenv("VEDETTE_DB", a.db)
	if got := suggestions(t, "gaps", "p"); got != "pods" {
		t.Errorf("with VEDETTE_DB: got %q, want pods", got)
	}
}

// TestCompletionWithoutServer checks that completion suggests nothing, prints no error and
// ends if a server does not answer, and if nothing is named.
func TestCompletionWithoutServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, and does not answer
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	srv := serve(t, apitest.Config{})
	srv.url = "http://" + l.Addr().String()
	srv.configure("token: secret")
	if got := suggestions(t, "watch", "--kubeconfig", srv.kubeconfig, ""); got != "" {
		t.Errorf("got %q from a server that does not answer", got)
	}
	for _, args := range [][]string{{"history", ""}, {"show", "--db", "sqlite:/nowhere/h.db", "pods/"}, {"stats", "--db", "none", ""}, {"logs", "--kubeconfig", "/nowhere", ""}} {
		if got := suggestions(t, args...); got != "" {
			t.Errorf("%q: got %q, want nothing", args, got)
		}
	}
}
