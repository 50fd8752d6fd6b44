// Package examples tests the example programs against a server in the process.
// conformance/controller runs them against a real server.
package examples_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestShort: "watch pods, index by node, react with retry" is a complete program of
// at most 25 lines, and "consume events, each of them once" one of at most 40 lines.
func TestShort(t *testing.T) {
	for name, most := range map[string]int{"nodes": 25, "stream": 40} {
		text, err := os.ReadFile(name + "/main.go")
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		if lines > most {
			t.Errorf("%s has %d lines, want at most %d", name, lines, most)
		}
	}
}

// server is a cluster in the process, over TCP.
type server struct {
	*apitest.Server
	t          *testing.T
	kubeconfig string
}

func serve(t *testing.T) *server {
	srv, err := apitest.New(apitest.Config{Types: []apitest.Type{{
		Group: "example.com", Version: "v1", Kind: "TrainJob", Namespaced: true, Status: true,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["c"] = &clientcmdapi.Cluster{Server: url}
	cfg.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	cfg.CurrentContext = "c"
	s := &server{srv, t, filepath.Join(t.TempDir(), "kubeconfig")}
	if err := clientcmd.WriteToFile(*cfg, s.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) create(obj apitest.Object) {
	s.t.Helper()
	if _, err := s.Create(obj); err != nil {
		s.t.Fatal(err)
	}
}

// programs is the folder of the built examples.
var programs string

// build builds the examples once.
var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-o", programs+"/", "./nodes", "./podcontroller", "./jobs", "./trainjob", "./stream").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vedette-examples-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// command returns an example that has not started.
func command(ctx context.Context, t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	testinput.Uncached(t)
	if err := build(); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(ctx, filepath.Join(programs, name), args...)
}

// program is a running example.
type program struct {
	t   *testing.T
	cmd *exec.Cmd

	mu    sync.Mutex
	lines []string
}

// start runs an example until the end of the test.
func (s *server) start(name string, args ...string) *program {
	s.t.Helper()
	p := &program{t: s.t, cmd: command(context.WithoutCancel(s.t.Context()), s.t, name, args...)}
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+s.kubeconfig)
	r, w := io.Pipe()
	p.cmd.Stderr, p.cmd.Stdout = w, w
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		for scan := bufio.NewScanner(r); scan.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, scan.Text())
			p.mu.Unlock()
		}
	})
	s.t.Cleanup(func() {
		_ = oscompat.Terminate(p.cmd.Process)
		_ = p.cmd.Wait() // the signal itself ends the shortest example
		w.Close()
		reading.Wait()
		if s.t.Failed() {
			s.t.Logf("%s:\n%s", name, strings.Join(p.lines, "\n"))
		}
	})
	return p
}

// says waits until lines were printed that match, in this order.
func (p *program) says(patterns ...string) {
	p.t.Helper()
	patience.Until(p.t, "lines of the program", func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		left := patterns
		for _, line := range p.lines {
			if len(left) > 0 && regexp.MustCompile(left[0]).MatchString(line) {
				left = left[1:]
			}
		}
		if len(left) == 0 {
			return ""
		}
		return fmt.Sprintf("it does not say %q", left[0]) // the end of the test prints what it says
	})
}

func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       corev1.PodSpec{NodeName: node},
	}
}

func TestNodes(t *testing.T) {
	s := serve(t)
	s.create(pod("a", "node-1"))
	p := s.start("nodes")
	p.says("default/a has changed; pods on node-1: 1")
	s.create(pod("b", "node-1"))
	p.says("default/b has changed; pods on node-1: 2")
}

func TestPodController(t *testing.T) {
	s := serve(t)
	s.create(pod("a", "n"))
	p := s.start("podcontroller")
	p.says("default/a is one of 1 pods on n")
	s.create(pod("b", ""))
	p.says("default/b: it has no node yet; again in", "default/b: it has no node yet; again in")
	if _, err := apitest.Modify(s.Server, pod("b", ""), func(p *corev1.Pod) { p.Spec.NodeName = "n" }); err != nil {
		t.Fatal(err)
	}
	p.says("default/b is one of 2 pods on n")
	if err := s.Delete(pod("b", "")); err != nil {
		t.Fatal(err)
	}
	p.says("default/b is gone")
}

func TestJobs(t *testing.T) {
	s := serve(t)
	p := s.start("jobs")
	job := &batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"}}
	s.create(job)
	p.says("every: default/train Added, waiting") // the program is watching
	for _, change := range []func(*batchv1.Job){
		func(j *batchv1.Job) { j.Status.Active = 1 },
		func(j *batchv1.Job) { j.Status.Failed = 1 },
		func(j *batchv1.Job) { j.Status = batchv1.JobStatus{Active: 1} },
		func(j *batchv1.Job) { j.Status = batchv1.JobStatus{Succeeded: 1} },
	} {
		if _, err := apitest.Modify(s.Server, job, change); err != nil {
			t.Fatal(err)
		}
	}
	p.says("every: default/train Updated, running", "every: default/train Updated, failed",
		"every: default/train Updated, running", "every: default/train Updated, succeeded")
	p.says("latest: default/train is succeeded")
	if err := s.Delete(job); err != nil {
		t.Fatal(err)
	}
	p.says("every: default/train Deleted, succeeded")
	p.says("latest: default/train is gone")
}

func TestTrainJob(t *testing.T) {
	for _, replicas := range []string{"", "elect", "share"} {
		t.Run("replicas "+replicas, func(t *testing.T) {
			s := serve(t)
			job := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "TrainJob",
				"metadata": map[string]any{"namespace": "default", "name": "bert"},
				"spec":     map[string]any{"workers": int64(3)},
			}}
			s.create(job)
			s.start("trainjob", "-replicas", replicas, "-identity", "one", "-listen", "none")
			s.pods(3)
			if _, err := apitest.Modify(s.Server, job, func(u *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(u.Object, int64(1), "spec", "workers")
			}); err != nil {
				t.Fatal(err)
			}
			s.pods(1)
			if err := s.Delete(pod("bert-0", "")); err != nil { // the controller creates it again
				t.Fatal(err)
			}
			s.pods(1)
			if err := s.Delete(job); err != nil {
				t.Fatal(err)
			}
			s.pods(0)
		})
	}
}

// pods waits until the number of pods is n and the job's status has it.
func (s *server) pods(want int) {
	s.t.Helper()
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "TrainJob", "metadata": map[string]any{"namespace": "default", "name": "bert"},
	}}
	patience.Until(s.t, "the pods of the job", func() string {
		pods, err := s.List(pod("", ""), "default")
		if err != nil {
			s.t.Fatal(err)
		}
		got, err := s.Get(job)
		says, there := int64(-1), err == nil
		if there {
			says, _, _ = unstructured.NestedInt64(got.(*unstructured.Unstructured).Object, "status", "workers")
		}
		if len(pods) == want && (want == 0 && !there || says == int64(want)) {
			return ""
		}
		return fmt.Sprintf("%d pods, the job says %d, want %d", len(pods), says, want)
	})
}
