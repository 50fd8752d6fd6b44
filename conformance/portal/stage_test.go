package portal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/kubelet"
	"github.com/vedette-io/vedette/conformance/wait"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/portal/api"
)

const namespace = "default"

// built are the folders of the built programs.
var built []string

// program builds vedette, and fixture the program with the sample data, once for all
// tests.
var (
	program = sync.OnceValues(func() (string, error) { return buildOf("vedette", "./cmd/vedette") })
	fixture = sync.OnceValues(func() (string, error) { return buildOf("fixture", "./portal/ui/fixture") })
)

func buildOf(name, folder string) (string, error) {
	to, err := os.MkdirTemp("", "vedette-portal-")
	if err != nil {
		return "", err
	}
	built = append(built, to)
	path := filepath.Join(to, name)
	cmd := exec.Command("go", "build", "-o", path, folder)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// stage is a control plane with nodes that have logs, a recorder, and a portal.
type stage struct {
	t      *testing.T
	plane  *controlplane.Cluster
	node   *kubelet.Kubelet
	client kubernetes.Interface
	db     string
	base   string // the address of the portal
	listen string
	inside bool // the recorder serves the portal
}

func newStage(t *testing.T, opts controlplane.Options) *stage {
	t.Helper()
	return newStageOn(t, dbtest.Empty(t, "sqlite"), opts, false)
}

// newStageOn is newStage with a database. inside makes the recorder serve the portal.
func newStageOn(t *testing.T, database string, opts controlplane.Options, inside bool) *stage {
	t.Helper()
	s := newPlane(t, database, opts, inside)
	s.record("jobs,pods")
	return s
}

// newPlane is a stage without a recorder.
func newPlane(t *testing.T, database string, opts controlplane.Options, inside bool) *stage {
	t.Helper()
	s := &stage{t: t, node: kubelet.ForTest(t), db: database, inside: inside}
	opts.KubeletPort = s.node.Port()
	s.plane = controlplane.ForTest(t, opts)
	client, err := kubernetes.NewForConfig(s.plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	s.listen = freeAddress(t)
	s.base = "http://" + s.listen
	return s
}

// record starts the recorder of some types.
func (s *stage) record(types string) {
	s.t.Helper()
	args := []string{"record", types, "-A", "--keep-logs", "jobs"}
	if s.inside {
		args = append(args, "--listen", s.listen)
	}
	s.start(args...)
}

// freeAddress returns an unused address.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts the program with the database and the cluster. The returned function ends it as a
// service manager does.
func (s *stage) start(args ...string) (end func()) {
	s.t.Helper()
	path, err := program()
	if err != nil {
		s.t.Fatal(err)
	}
	return start(s.t, path, append(args, "--db", s.db, "--kubeconfig", s.plane.Kubeconfig())...)
}

// start starts a program. The returned function ends it, and checks how it ends.
func start(t *testing.T, path string, args ...string) (end func()) {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		_ = log.Close()
	})
	t.Cleanup(func() {
		end()
		if t.Failed() {
			said, _ := os.ReadFile(log.Name())
			t.Logf("the end of the output of %s:\n%s", args[0], said[max(0, len(said)-4000):])
		}
	})
	wait.Until(t, within, args[0]+" begins", func() string {
		said, err := os.ReadFile(log.Name())
		if err != nil || !strings.Contains(string(said), "Ctrl-C ends it") {
			return fmt.Sprintf("%v %s", err, said)
		}
		return ""
	})
	return end
}

// portal starts the portal, and waits until it has read the history.
func (s *stage) portal() (end func()) {
	s.t.Helper()
	end = s.start("portal", "--listen", s.listen)
	ready(s.t, s.base)
	return end
}

func ready(t *testing.T, base string) {
	t.Helper()
	wait.Until(t, within, "the portal answers", func() string {
		_, err := read[api.Session](t, base+"/api/v1/session")
		if err == nil {
			_, err = read[api.JobList](t, base+"/api/v1/jobs?limit=1")
		}
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

// read requests an answer of the API.
func read[T any](t *testing.T, url string) (v T, err error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return v, err
	}
	r.Close = true
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return v, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return v, json.NewDecoder(resp.Body).Decode(&v)
}

// recorded waits until a number of jobs of the portal match a filter.
func (s *stage) recorded(filter string, want int) {
	s.t.Helper()
	wait.Until(s.t, within, fmt.Sprintf("%d jobs match %s", want, filter), func() string {
		list, err := read[api.JobList](s.t, s.base+"/api/v1/jobs?limit=1&"+filter)
		if err != nil || list.Matching.N != want {
			return fmt.Sprintf("%d match, %v", list.Matching.N, err)
		}
		return ""
	})
}

// quick are annotations with which kwok starts a pod at once, and keeps it running for an
// hour.
var quick = map[string]string{
	"pod-create.stage.kwok.x-k8s.io/delay": "50ms", "pod-create.stage.kwok.x-k8s.io/jitter-delay": "60ms",
	"pod-ready.stage.kwok.x-k8s.io/delay": "50ms", "pod-ready.stage.kwok.x-k8s.io/jitter-delay": "60ms",
	"pod-complete.stage.kwok.x-k8s.io/delay": "1h", "pod-complete.stage.kwok.x-k8s.io/jitter-delay": "2h",
}

// running waits until a pod of a job runs, and returns its name.
func (s *stage) running(job string) (name string) {
	s.t.Helper()
	wait.Until(s.t, within, "a pod of "+job+" runs", func() string {
		all, err := s.client.CoreV1().Pods(namespace).List(s.t.Context(), metav1.ListOptions{LabelSelector: "job-name=" + job})
		if err != nil {
			return err.Error()
		}
		for i := range all.Items {
			if all.Items[i].Status.Phase == corev1.PodRunning {
				name = all.Items[i].Name
				return ""
			}
		}
		return fmt.Sprintf("%d pods, and none runs", len(all.Items))
	})
	return name
}

// say writes lines of a pod.
func (s *stage) say(pod string, lines ...string) {
	s.t.Helper()
	if err := s.node.Write(namespace, pod, "main", strings.Join(lines, "\n")+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// end ends a pod after one more log line, on its node and then in the cluster.
func (s *stage) end(pod string, exit int32, reason, message string) {
	s.t.Helper()
	if err := errors.Join(s.node.Write(namespace, pod, "main", "the end\n"), s.node.End(namespace, pod, "main")); err != nil {
		s.t.Fatal(err)
	}
	phase := corev1.PodSucceeded
	if exit != 0 {
		phase = corev1.PodFailed
	}
	patch, err := json.Marshal(map[string]any{"status": corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{
		Name: "main", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: reason, Message: message, StartedAt: metav1.Now(), FinishedAt: metav1.Now(), ContainerID: "kwok://1"}},
	}}}})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.client.CoreV1().Pods(namespace).Patch(s.t.Context(), pod, types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		s.t.Fatal(err)
	}
}
