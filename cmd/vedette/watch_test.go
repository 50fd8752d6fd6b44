package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
)

// squash replaces column gaps by single spaces, and times by T.
func squash(text string) string {
	text = regexp.MustCompile(`\d\d:\d\d:\d\d\.\d{3}`).ReplaceAllString(text, "T")
	return regexp.MustCompile(` +`).ReplaceAllString(text, " ")
}

func TestWatchPrintsEveryChange(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	pod := newPod("ml", "train-0")
	srv.create(pod, newJob("ml", "train"), newPod("other", "elsewhere"))
	p := srv.watch("pods,jobs,pods")
	p.out.holds(t, "jobs.batch")
	p.out.holds(t, "train-0")
	srv.phase(pod, corev1.PodRunning, "")
	p.out.holds(t, "Queued -> Running")
	srv.phase(pod, corev1.PodFailed, "Evicted")
	p.out.holds(t, "Evicted")
	if err := srv.Delete(pod); err != nil {
		t.Fatal(err)
	}
	p.out.holds(t, "Deleted")
	p.interrupt()
	lines := map[string][]string{}
	for text := range strings.Lines(squash(p.out.String())) {
		what := strings.Fields(text)[1]
		lines[what] = append(lines[what], strings.TrimSpace(text))
	}
	want := map[string][]string{
		"TYPE":       {"TIME TYPE NAME STATE REASON"},
		"jobs.batch": {"T jobs.batch ml/train Submitted"},
		"pods": {
			"T pods ml/train-0 Queued", "T pods ml/train-0 Queued -> Running",
			"T pods ml/train-0 Running -> Failed Evicted", "T pods ml/train-0 Failed -> Deleted",
		},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWatchSelections(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	srv.create(newPod("ml", "a", "gpu"), newPod("ml", "b"), newPod("other", "c", "gpu"),
		&corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "node-1"}})
	for _, c := range []struct {
		args, want string
	}{
		{"pods", "ml/a ml/b"},
		{"pods -n other", "other/c"},
		{"pods -A", "ml/a ml/b other/c"},
		{"po --all-namespaces -l gpu=yes", "ml/a other/c"},
		{"Pod --field-selector metadata.name=b", "ml/b"},
		{"nodes -n other", "/node-1"},
	} {
		t.Run(c.args, func(t *testing.T) {
			p := srv.watch(append(strings.Fields(c.args), "-o", "jsonpath={.metadata.namespace}/{.metadata.name}")...)
			want := strings.Fields(c.want)
			p.out.until(t, c.want, func(text string) bool { return strings.Count(text, "\n") == len(want) })
			p.interrupt()
			if got := strings.Fields(p.out.String()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

func TestWatchSinceNow(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	srv.create(newPod("ml", "old"))
	p := srv.watch("pods", "--since-now", "--no-headers")
	// No output shows that the watch has begun, so the test creates pods until one appears.
	i := 0
	patience.Until(t, "a new pod appears", func() string {
		if p.out.String() != "" {
			return ""
		}
		i++
		srv.create(newPod("ml", fmt.Sprint("new-", i)))
		return fmt.Sprintf("%d pods were created; said %v", i, p.err)
	})
	p.interrupt()
	if text := p.out.String(); strings.Contains(text, "old") || strings.Contains(text, "TIME") || !strings.Contains(text, "new-") {
		t.Errorf("got\n%s\nwant only new Pods, without a header", text)
	}
}

func TestWatchFormats(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	pod := newPod("ml", "x")
	srv.create(pod, newJob("ml", "j"))
	stored, err := srv.Get(pod)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want string // a pattern
	}{
		{"pods -o wide --no-headers", `^\S+ pods ml/x Queued ` + stored.GetResourceVersion() + ` ` + string(stored.GetUID()) + `\n$`},
		{"pods -o wide", `^TIME TYPE NAME STATE VERSION UID REASON\n`},
		{"pods --output-watch-events", `^EVENT TIME TYPE NAME STATE REASON\nADDED T pods ml/x Queued\n$`},
		{"pods -o name", `^pod/x\n$`},
		{"jobs -o name", `^job\.batch/j\n$`},
		{"pods -o name --output-watch-events", `^ADDED pod/x\n$`},
		{"pods -o jsonpath=metadata.name", `^x\n$`},
		{"pods -o jsonpath=.metadata.name", `^x\n$`},
		{"pods -o jsonpath={.metadata.name}{.none}", `^x\n$`},
		{"pods -o jsonpath={.type}:{.object.kind} --output-watch-events", `^ADDED:Pod\n$`},
		{"pods -o yaml", `(?s)^---\napiVersion: v1\nkind: Pod\nmetadata:\n.* name: x\n`},
		{"pods -o yaml --output-watch-events", `(?s)^---\nobject:\n.*type: ADDED\n$`},
		{"pods --color always --no-headers", `^T pods ml/x \x1b\[33mQueued +\x1b\[0m\n$`},
		{"pods --color never --no-headers", `^T pods ml/x Queued\n$`},
	} {
		t.Run(c.args, func(t *testing.T) {
			p := srv.watch(strings.Fields(c.args)...)
			pattern := regexp.MustCompile(c.want)
			p.out.until(t, c.want, func(text string) bool { return pattern.MatchString(squash(text)) })
			p.interrupt()
		})
	}
}

func TestWatchJSON(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	pod := newPod("ml", "x")
	srv.create(pod)
	p := srv.watch("pods", "-o", "json", "--output-watch-events")
	p.out.holds(t, "ADDED")
	srv.phase(pod, corev1.PodRunning, "")
	p.out.holds(t, "MODIFIED")
	if err := srv.Delete(pod); err != nil {
		t.Fatal(err)
	}
	p.out.holds(t, "DELETED")
	p.interrupt()
	documents := json.NewDecoder(strings.NewReader(p.out.String()))
	for _, want := range []string{"ADDED", "MODIFIED", "DELETED"} {
		var ev struct {
			Type   string
			Object corev1.Pod
		}
		if err := documents.Decode(&ev); err != nil {
			t.Fatal(err)
		}
		if ev.Type != want || ev.Object.Kind != "Pod" || ev.Object.APIVersion != "v1" || ev.Object.Name != "x" || ev.Object.ManagedFields != nil {
			t.Errorf("%+v, want %s", ev, want)
		}
	}
}

func TestWatchErrors(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	denied := serve(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "pods" {
			return errors.New("user u may not list pods")
		}
		return nil
	}})
	unknown := serve(t, apitest.Config{Tokens: map[string]string{"other": "somebody"}})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	away := serve(t, apitest.Config{})
	away.url = "http://" + closed.Addr().String()
	away.configure("token: x")
	none := filepath.Join(t.TempDir(), "none")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no type", []string{"watch"}, "vedette watch jobs,pods"},
		{"an unknown type", []string{"watch", "pdos", "--kubeconfig", srv.kubeconfig}, "did you mean pods?"},
		{"an unknown flag", []string{"watch", "pods", "--bogus"}, "vedette watch --help"},
		{"an unknown command", []string{"wtach"}, "unknown command"},
		{"an unknown format", []string{"watch", "pods", "-o", "xml", "--kubeconfig", srv.kubeconfig}, "jsonpath=TEMPLATE"},
		{"a template for a format without", []string{"watch", "pods", "-o", "json={}", "--kubeconfig", srv.kubeconfig}, "takes no template"},
		{"no template", []string{"watch", "pods", "-o", "jsonpath=", "--kubeconfig", srv.kubeconfig}, "needs a template"},
		{"a broken template", []string{"watch", "pods", "-o", "jsonpath={.a[", "--kubeconfig", srv.kubeconfig}, "{.a["},
		{"an unknown colour", []string{"watch", "pods", "--color", "red"}, "auto, always or never"},
		{"a broken selector", []string{"watch", "pods", "-l", "a in", "--kubeconfig", srv.kubeconfig}, "label selector"},
		{"a selector that the server does not know", []string{"watch", "pods", "--field-selector", "a=b", "--kubeconfig", srv.kubeconfig}, "use a field that the type supports"},
		{"no kubeconfig", []string{"watch", "pods", "--kubeconfig", none}, none},
		{"an unknown context", []string{"watch", "pods", "--context", "x", "--kubeconfig", srv.kubeconfig}, "it has c"},
		{"no server", []string{"watch", "pods", "--kubeconfig", away.kubeconfig}, "is the cluster running"},
		{"no rights", []string{"watch", "jobs,pods", "--kubeconfig", denied.kubeconfig}, "access denied (403)"},
		{"no such user", []string{"watch", "pods", "--kubeconfig", unknown.kubeconfig}, "log in again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.args...)
			code, said := p.end(), p.err.String()
			if code != 1 || !strings.Contains(said, c.want) || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "vedette: ") {
				t.Errorf("exit code %d, said %q; want one line with %q", code, said, c.want)
			}
			if out := p.out.String(); out != "" {
				t.Errorf("printed %q, want nothing", out)
			}
		})
	}
}

// TestWatchDenied checks that one run names every type that the user may not watch.
func TestWatchDenied(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Resource.Resource == "pods" || r.Resource.Resource == "services" {
			return errors.New("user u may not list " + r.Resource.Resource)
		}
		return nil
	}})
	p := start(t, "watch", "jobs,pods,services", "-A", "--kubeconfig", srv.kubeconfig)
	if code, said := p.end(), p.err.String(); code != 1 || strings.Count(said, "\n") != 2 || !strings.Contains(said, "list pods") || !strings.Contains(said, "list services") {
		t.Errorf("exit code %d, said %q; want a line for pods and one for services", code, said)
	}
}

// TestWatchOutage checks an outage of the server that returns with and without its history.
func TestWatchOutage(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	pod := newPod("ml", "x")
	srv.create(pod, newPod("ml", "doomed"))
	p := srv.watch("pods")
	p.out.holds(t, "ml/x")
	srv.Unavailable()
	p.err.holds(t, "cannot watch pods")
	srv.phase(pod, corev1.PodRunning, "")
	if err := srv.Available(); err != nil {
		t.Fatal(err)
	}
	p.out.holds(t, "Queued -> Running")
	p.err.holds(t, "nothing was missed")

	srv.Unavailable()
	p.err.until(t, "the second outage", func(said string) bool { return strings.Count(said, "cannot watch pods") == 2 })
	srv.phase(pod, corev1.PodSucceeded, "")
	if err := srv.Delete(newPod("ml", "doomed")); err != nil {
		t.Fatal(err)
	}
	srv.Compact()
	if err := srv.Available(); err != nil {
		t.Fatal(err)
	}
	p.out.holds(t, "Running -> Succeeded")
	p.out.holds(t, "found gone")
	p.err.holds(t, "did not reach back to the last change")

	srv.Unavailable()
	p.err.until(t, "the third outage", func(said string) bool { return strings.Count(said, "cannot watch pods") == 3 })
	p.interrupt() // also while the server is away
}

// TestWatchReaderGone checks that `vedette watch … | head` ends without an error.
func TestWatchReaderGone(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	srv.create(newPod("ml", "x"))
	out, errs := newOutput(), newOutput()
	out.err = syscall.EPIPE
	code := run(t.Context(), []string{"vedette", "watch", "pods", "--kubeconfig", srv.kubeconfig}, out, errs)
	if code != 0 || errs.String() != "" {
		t.Errorf("exit code %d, said %q", code, errs)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"--help"}, {"watch", "--help"}, {"demo", "--help"}} {
		p := start(t, args...)
		if code := p.end(); code != 0 || !strings.Contains(p.out.String(), "Examples:") {
			t.Errorf("%v: exit code %d, want 0 and examples:\n%v", args, code, p.out)
		}
	}
	p := start(t, "--version")
	if p.end() != 0 || !strings.HasPrefix(p.out.String(), "vedette version ") {
		t.Errorf("--version: printed %v; want the version and exit code 0", p.out)
	}
}
