package logkeeper_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/logs/logkeeper"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a store in memory that merges like the database.
type memory struct {
	mu      sync.Mutex
	logs    map[string]*stored
	puts    int
	err     error // of all calls
	refused func(joblog.Log) bool
}

// stored is a log with its lines.
type stored struct {
	joblog.Log
	lines []joblog.Line
	at    time.Time // of the last Put
}

func newMemory() *memory { return &memory{logs: map[string]*stored{}} }

func (m *memory) Put(_ context.Context, log joblog.Log, lines []joblog.Line) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts++
	if m.err != nil {
		return m.err
	}
	if m.refused != nil && m.refused(log) {
		return errors.New("refused")
	}
	id := fmt.Sprintf("%s/%s/%d", log.Pod, log.Container, log.Restart)
	s := m.logs[id]
	if s == nil {
		s = &stored{Log: log}
		m.logs[id] = s
	}
	if log.Complete || !s.Complete {
		log.Complete = log.Complete || s.Complete
		log.Lost = cmp.Or(log.Lost, s.Lost)
		s.Log = log
	}
	for _, line := range lines {
		if !slices.Contains(s.lines, line) {
			s.lines = append(s.lines, line)
		}
	}
	slices.SortStableFunc(s.lines, func(x, y joblog.Line) int { return x.Time.Compare(y.Time) })
	s.at = time.Now()
	return nil
}

func (m *memory) Of(_ context.Context, of joblog.Selection) (all []joblog.Log, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.logs {
		if slices.Contains(of.UIDs, s.PodUID) {
			all = append(all, s.Log)
		}
	}
	return all, m.err
}

// fail makes all calls fail with an error; nil ends that.
func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// get returns a log: "pod/container/restart".
func (m *memory) get(id string) (s stored, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs[id] == nil {
		return s, false
	}
	s = *m.logs[id]
	s.lines = slices.Clone(s.lines)
	return s, true
}

// until waits until a log meets a condition.
func (m *memory) until(t *testing.T, id string, ok func(stored) bool) stored {
	t.Helper()
	var s stored
	patience.Until(t, "the log "+id, func() string {
		var found bool
		if s, found = m.get(id); found && ok(s) {
			return ""
		}
		return fmt.Sprintf("found %v: %+v", found, s)
	})
	return s
}

// complete waits until a log is complete, and returns it with its text.
func (m *memory) complete(t *testing.T, id string) (stored, string) {
	t.Helper()
	s := m.until(t, id, func(s stored) bool { return s.Complete })
	return s, textOf(s.lines)
}

func isLost(s stored) bool { return s.Lost != "" }

func textOf(lines []joblog.Line) string {
	var text []string
	for _, line := range lines {
		text = append(text, line.Text)
	}
	return strings.Join(text, "|")
}

// cluster is a server with a keeper.
type cluster struct {
	*testing.T
	*apitest.Server
	kube  *kube.Cluster
	store *memory
	log   *logged
	stop  func()
	*logkeeper.Keeper
}

// logged is the log of a keeper.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve starts a server.
func serve(t *testing.T, cfg apitest.Config) *cluster {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	c := &cluster{T: t, Server: srv, store: newMemory(), log: &logged{}}
	c.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	if c.kube, err = kube.Connect(kube.Config{REST: srv.RESTConfig()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kube.Close)
	return c
}

// keep starts a keeper of some types and namespaces, and waits until it knows the pods.
// stop ends it.
func (c *cluster) keep(change func(*logkeeper.Config), words ...string) {
	c.Helper()
	c.start(change, words...)
	c.eventually("the pods are known", func() bool { return c.Stats().Synced })
}

// start is keep without the wait.
func (c *cluster) start(change func(*logkeeper.Config), words ...string) {
	c.Helper()
	selection, err := logkeeper.ParseSelection(words)
	if err != nil {
		c.Fatal(err)
	}
	cfg := logkeeper.Config{Cluster: c.kube, Store: c.store, Keep: selection, Logger: slog.New(slog.NewTextHandler(c.log, nil))}
	if change != nil {
		change(&cfg)
	}
	k, err := logkeeper.New(cfg)
	if err != nil {
		c.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- k.Run(ctx) }()
	c.Keeper = k
	c.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			c.Error(err)
		}
	})
	c.Cleanup(c.stop)
}

func (c *cluster) create(obj apitest.Object) apitest.Object {
	c.Helper()
	made, err := c.Create(obj)
	if err != nil {
		c.Fatal(err)
	}
	return made
}

// newPod returns a pod of a Job with running containers.
func newPod(name string, containers ...string) *corev1.Pod {
	yes := true
	p := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "batch/v1", Kind: "Job", Name: "train", UID: "uid-train", Controller: &yes},
		}},
		Spec:   corev1.PodSpec{NodeName: "node-0", RestartPolicy: corev1.RestartPolicyNever},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, c := range containers {
		p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: c, Image: "busybox"})
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c, ContainerID: "id://" + name + c + "0", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now().Rfc3339Copy()}},
		})
	}
	return p
}

func (c *cluster) say(pod, container, text string) {
	c.Helper()
	if err := c.WriteLog("ml", pod, container, text); err != nil {
		c.Fatal(err)
	}
}

// modify changes a pod.
func (c *cluster) modify(name string, change func(*corev1.Pod)) {
	c.Helper()
	if _, err := apitest.Modify(c.Server, newPod(name), change); err != nil {
		c.Fatal(err)
	}
}

// status returns the status of a container.
func status(p *corev1.Pod, container string) *corev1.ContainerStatus {
	for i := range p.Status.ContainerStatuses {
		if s := &p.Status.ContainerStatuses[i]; s.Name == container {
			return s
		}
	}
	return nil
}

// end ends the run of a container.
func (c *cluster) end(pod, container string, code int32) {
	c.Helper()
	c.modify(pod, func(p *corev1.Pod) {
		s := status(p, container)
		s.State = ended(s, code)
	})
}

func ended(s *corev1.ContainerStatus, code int32) corev1.ContainerState {
	t := &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Completed", FinishedAt: metav1.Now().Rfc3339Copy(), ContainerID: s.ContainerID}
	if code != 0 {
		t.Reason = "Error"
	}
	if s.State.Running != nil {
		t.StartedAt = s.State.Running.StartedAt
	}
	return corev1.ContainerState{Terminated: t}
}

// restart ends the run of a container and begins the next one.
func (c *cluster) restart(pod, container string) {
	c.Helper()
	c.modify(pod, func(p *corev1.Pod) {
		s := status(p, container)
		if s.State.Terminated == nil {
			s.State = ended(s, 1)
		}
		s.LastTerminationState = s.State
		s.RestartCount++
		s.ContainerID = fmt.Sprintf("id://%s%s%d", pod, container, s.RestartCount)
		s.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now().Rfc3339Copy()}}
	})
}

// asked counts the requests for logs that a condition selects.
func (c *cluster) asked(chosen func(apitest.Request) bool) (n int) {
	for _, r := range c.Requests() {
		if r.Subresource == "log" && (chosen == nil || chosen(r)) {
			n++
		}
	}
	return n
}

// eventually waits until a condition holds. A failure shows the counters of the keeper.
func (c *cluster) eventually(what string, holds func() bool) {
	c.Helper()
	patience.Until(c.T, what, func() string {
		if holds() {
			return ""
		}
		return fmt.Sprintf("%+v", c.Stats())
	})
}

// refuses returns a function that refuses the logs of a pod.
func refuses(pod string) func(joblog.Log) bool {
	return func(l joblog.Log) bool { return l.Pod == pod }
}
