// Package controllers_test compares controllers written with Vedette and with
// controller-runtime: the same test runs against both, and counts their lines.
package controllers_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// dialects are the folders of the two programs of a controller.
var dialects = []string{"vedette", "controllerruntime"}

// programs is the folder of the built programs.
var programs string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vedette-controllers-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	programs = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build builds the programs once.
var build = sync.OnceValue(func() error {
	for _, controller := range []string{"jobttl", "nslabels", "podquota"} {
		for _, dialect := range dialects {
			out, err := exec.Command("go", "build", "-o", filepath.Join(programs, controller+"-"+dialect), "./"+controller+"/"+dialect).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
		}
	}
	return nil
})

// stage is a cluster in the process and a running program.
type stage struct {
	*apitest.Server
	t       *testing.T
	cluster *kube.Cluster
	pid     int // of the program
}

// each runs a test against both programs of a controller.
func each(t *testing.T, controller string, args []string, test func(s *stage)) {
	testinput.Uncached(t)
	if err := build(); err != nil {
		t.Fatal(err)
	}
	for _, dialect := range dialects {
		t.Run(dialect, func(t *testing.T) {
			srv := apitest.Start(t)
			cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			own := []string{"-kubeconfig=" + kubeconfig(t, srv), "-listen=127.0.0.1:0"}
			if dialect == "controllerruntime" {
				own = []string{own[0], "-metrics=127.0.0.1:0", "-probes=127.0.0.1:0", "-namespace=default"}
			}
			pid := start(t, controller+"-"+dialect, append(own, args...))
			test(&stage{srv, t, cluster, pid})
		})
	}
}

func kubeconfig(t *testing.T, srv *apitest.Server) string {
	t.Helper()
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["c"] = &clientcmdapi.Cluster{Server: url}
	cfg.Contexts["c"] = &clientcmdapi.Context{Cluster: "c"}
	cfg.CurrentContext = "c"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// start runs a program until the end of the test. A signal must end it without an error.
func start(t *testing.T, name string, args []string) (pid int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, name), args...)
	var (
		mu  sync.Mutex
		log bytes.Buffer
	)
	cmd.Stderr = writer(func(text []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(text)
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		err := cmd.Wait()
		mu.Lock()
		defer mu.Unlock()
		if err != nil || t.Failed() {
			t.Errorf("%s: %v\n%s", name, err, log.String())
		}
	})
	return cmd.Process.Pid
}

type writer func([]byte) (int, error)

func (w writer) Write(text []byte) (int, error) { return w(text) }

func (s *stage) create(objects ...apitest.Object) {
	s.t.Helper()
	for _, obj := range objects {
		if _, err := s.Create(obj); err != nil {
			s.t.Fatal(err)
		}
	}
}

// follow returns a running informer, to wait for the effects of the program.
func follow[T any](s *stage) *informer.Informer[T] {
	s.t.Helper()
	inf, err := informer.Watch[T](s.cluster, informer.Config{})
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := inf.Run(ctx); err != nil {
			s.t.Error(err)
		}
	})
	s.t.Cleanup(func() { cancel(); work.Wait() })
	if err := inf.WaitForSync(patience.Context(s.t, "the informer of the test is synced")); err != nil {
		s.t.Fatal(err)
	}
	return inf
}

// until waits until a condition holds after an event.
func until[T any](s *stage, what string, inf *informer.Informer[T], holds func(informer.Snapshot[T]) bool) {
	s.t.Helper()
	if holds(inf.Snapshot()) {
		return
	}
	ctx := patience.Context(s.t, what)
	for range inf.Events(ctx) {
		if holds(inf.Snapshot()) {
			return
		}
	}
	h, _ := inf.Health()
	s.t.Fatalf("%v; the informer has %d objects, last fault %v", context.Cause(ctx), inf.Snapshot().Records().Len(), h.LastErr)
}

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }

func key(name string) wire.Key { return wire.Key{Namespace: "default", Name: name} }

// TestJobTTL: Jobs that ended long ago are deleted, by the annotation or the default; others
// stay.
func TestJobTTL(t *testing.T) {
	each(t, "jobttl", []string{"-ttl=1h"}, func(s *stage) {
		ended := func(name, ttl string, ago time.Duration, condition batchv1.JobConditionType) {
			job := &batchv1.Job{TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}, ObjectMeta: meta(name)}
			if ttl != "" {
				job.Annotations = map[string]string{"example.com/ttl": ttl}
			}
			s.create(job)
			if condition == "" {
				return
			}
			_, err := apitest.Modify(s.Server, job, func(job *batchv1.Job) {
				job.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(time.Now().Add(-ago))}}
			})
			if err != nil {
				s.t.Fatal(err)
			}
		}
		ended("old", "", 2*time.Hour, batchv1.JobComplete)
		ended("brief", "1s", 0, batchv1.JobFailed)
		ended("recent", "", time.Minute, batchv1.JobComplete)
		ended("kept", "24h", 2*time.Hour, batchv1.JobComplete)
		ended("wrong", "soon", 2*time.Hour, batchv1.JobComplete)
		ended("running", "", 0, "")
		jobs := follow[batchv1.Job](s)
		until(s, "two Jobs are deleted", jobs, func(now informer.Snapshot[batchv1.Job]) bool { return now.Records().Len() == 4 })
		for _, name := range []string{"recent", "kept", "wrong", "running"} {
			if _, ok, err := jobs.Snapshot().Get(key(name)); err != nil || !ok {
				s.t.Errorf("the Job %s does not exist any more (%v)", name, err)
			}
		}
	})
}

// TestNamespaceLabels: a Deployment and its ReplicaSet follow the labels of the Namespace, and
// keep their own.
func TestNamespaceLabels(t *testing.T) {
	each(t, "nslabels", nil, func(s *stage) {
		namespace := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "ml", Labels: map[string]string{"team": "a", "other": "x"}}}
		deployment := &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "web", Labels: map[string]string{"app": "web"}}}
		s.create(namespace)
		stored, err := s.Create(deployment)
		if err != nil {
			s.t.Fatal(err)
		}
		set := &appsv1.ReplicaSet{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"}, ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "web-1"}}
		set.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: stored.GetUID(), Controller: new(true)}}
		s.create(set)
		deployments, sets := follow[appsv1.Deployment](s), follow[appsv1.ReplicaSet](s)
		check := func(what, team string) {
			until(s, what, deployments, func(now informer.Snapshot[appsv1.Deployment]) bool {
				d, ok, err := now.Get(wire.Key{Namespace: "ml", Name: "web"})
				return err == nil && ok && d.Labels["team"] == team && d.Labels["app"] == "web" && d.Labels["other"] == ""
			})
			until(s, what, sets, func(now informer.Snapshot[appsv1.ReplicaSet]) bool {
				r, ok, err := now.Get(wire.Key{Namespace: "ml", Name: "web-1"})
				return err == nil && ok && r.Labels["team"] == team
			})
		}
		check("the label is copied", "a")
		for _, team := range []string{"b", ""} {
			_, err := apitest.Modify(s.Server, namespace, func(n *corev1.Namespace) {
				n.Labels = map[string]string{"other": "x"}
				if team != "" {
					n.Labels["team"] = team
				}
			})
			if err != nil {
				s.t.Fatal(err)
			}
			check(fmt.Sprintf("the label follows to %q", team), team)
		}
	})
}

// TestPodQuota: the Pods of a team beyond its limit get an Event, others do not.
func TestPodQuota(t *testing.T) {
	each(t, "podquota", []string{"-limit=1"}, func(s *stage) {
		pod := func(name, team string) *corev1.Pod {
			p := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: meta(name)}
			p.Labels = map[string]string{"team": team}
			return p
		}
		s.create(pod("a-0", "a"))
		if _, err := apitest.Modify(s.Server, pod("a-0", "a"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }); err != nil {
			s.t.Fatal(err)
		}
		s.create(pod("a-1", "a"), pod("a-2", "a"), pod("a-3", "a"), pod("b-1", "b"))
		events := follow[eventsv1.Event](s)
		until(s, "two Pods have Events", events, func(now informer.Snapshot[eventsv1.Event]) bool {
			about := map[string]bool{}
			for e, err := range now.All() {
				if err != nil {
					s.t.Fatal(err)
				}
				if e.Reason == "QuotaExceeded" {
					about[e.Regarding.Name] = true
				}
			}
			if about["a-0"] || about["a-1"] || about["b-1"] {
				s.t.Fatalf("Events about %v, want only a-2 and a-3", about)
			}
			return about["a-2"] && about["a-3"]
		})
	})
}

// TestLines: Vedette's controllers are shorter in total by a third, and each by at least a
// tenth; their main functions have at most 25 lines. Blank lines and comments do not count.
func TestLines(t *testing.T) {
	total := map[string]int{}
	for _, controller := range []string{"jobttl", "nslabels", "podquota"} {
		lines := map[string]int{}
		for _, dialect := range dialects {
			text, err := os.ReadFile(filepath.Join(controller, dialect, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			lines[dialect] = count(string(text))
			total[dialect] += lines[dialect]
			_, body, _ := strings.Cut(string(text), "func main() {\n")
			body, _, _ = strings.Cut(body, "\n}\n")
			if n := count(body); dialect == "vedette" && n > 25 {
				t.Errorf("%s: the main function has %d lines, want at most 25", controller, n)
			}
		}
		t.Logf("%s: %d lines with Vedette, %d with controller-runtime", controller, lines["vedette"], lines["controllerruntime"])
		if 10*lines["vedette"] > 9*lines["controllerruntime"] {
			t.Errorf("%s: not shorter by a tenth", controller)
		}
	}
	if 3*total["vedette"] > 2*total["controllerruntime"] {
		t.Errorf("in total: %d lines with Vedette and %d with controller-runtime: not shorter by a third", total["vedette"], total["controllerruntime"])
	}
}

func count(text string) (n int) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}
