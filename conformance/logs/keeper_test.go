package logs_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/kubelet"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// keeping is a control plane without controllers, with nodes of the test, and a recorder
// that keeps logs.
type keeping struct {
	*testing.T
	plane  *controlplane.Cluster
	client kubernetes.Interface
	node   *kubelet.Kubelet
	url    string
	owner  metav1.OwnerReference

	mu   sync.Mutex
	runs []*lived
}

// lived is one run of a container, with the log that the test wrote.
type lived struct {
	pod     *corev1.Pod
	restart int
	ended   time.Time
	lines   []string // the last lines, in their order
}

// pods is the number of pods of each load of TestKeptLogs.
var pods = flag.Int("pods", 16, "number of pods of each load, a multiple of four")

// exact makes the tests check times. By default they only check that all logs are kept,
// because a busy machine may take any time.
var exact = flag.Bool("exact", false, "check how soon logs are kept, on a machine without other load")

const (
	keptIn = "ml"
	lines  = 5 // kept lines
	// tolerated is the maximum time from the end of a run to its log in the database. The test
	// logs the actual times; the goal is a second.
	tolerated = 10 * time.Second
)

func newKeeping(t *testing.T, kind string) *keeping {
	t.Helper()
	k := &keeping{T: t, node: kubelet.ForTest(t), url: dbtest.Empty(t, kind)}
	k.plane = controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	client, err := kubernetes.NewForConfig(k.plane.RESTConfig())
	k.client = client
	hung := hungKubelet(t)
	errs := []error{err}
	for name, port := range map[string]int{"node-0": k.node.Port(), "node-1": k.node.Port(), "hung": hung} {
		_, err := client.CoreV1().Nodes().Create(t.Context(), nodeAt(name, port), metav1.CreateOptions{})
		errs = append(errs, err)
	}
	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: keptIn}}, metav1.CreateOptions{})
	errs = append(errs, err)
	_, err = client.CoreV1().ServiceAccounts(keptIn).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	if err := errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	k.owner = k.job("train")
	return k
}

// nodeAt returns a node with a kubelet at a port.
func nodeAt(name string, port int) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}, {Type: corev1.NodeHostName, Address: "127.0.0.1"}}
	n.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port)
	return n
}

// hungKubelet accepts connections and never answers. It returns its port.
func hungKubelet(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	var conns []net.Conn
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
		for _, c := range conns {
			_ = c.Close()
		}
	})
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(l.Addr())
	}
	return addr.Port
}

// job creates a Job, which owns pods.
func (k *keeping) job(name string) metav1.OwnerReference {
	k.Helper()
	yes := true
	labels := map[string]string{"job-name": name}
	job, err := k.client.BatchV1().Jobs(keptIn).Create(k.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		k.Fatal(err)
	}
	return metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: name, UID: job.UID, Controller: &yes}
}

// record starts `vedette record`. kill sends SIGKILL.
func (k *keeping) record(program string, flags ...string) (kill func()) {
	k.Helper()
	log, err := os.Create(filepath.Join(k.TempDir(), "log"))
	if err != nil {
		k.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"record", "jobs,pods", "-A", "--kubeconfig", k.plane.Kubeconfig(), "--db", k.url, "--log-lines", fmt.Sprint(lines)}, flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		k.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // fails, because it was killed
		_ = log.Close()
		if said, err := os.ReadFile(log.Name()); k.Failed() && err == nil {
			k.Logf("the recorder printed:\n%s", said)
		}
	})
	k.Cleanup(kill)
	patience.Until(k.T, "the recorder runs", func() string {
		said, err := os.ReadFile(log.Name())
		if err != nil {
			return err.Error()
		}
		if !strings.Contains(string(said), "Ctrl-C ends it") {
			return "it logs " + string(said)
		}
		return ""
	})
	return kill
}

// status writes the status of a pod, as its kubelet would.
func (k *keeping) status(pod *corev1.Pod, change func(*corev1.PodStatus)) {
	change(&pod.Status)
	now, err := k.client.CoreV1().Pods(keptIn).UpdateStatus(context.Background(), pod, metav1.UpdateOptions{})
	if err != nil {
		k.Errorf("%s: %v", pod.Name, err)
		return
	}
	*pod = *now
}

// start creates a pod with one running container.
func (k *keeping) start(name, node string, owner metav1.OwnerReference) *lived {
	pod, err := k.client.CoreV1().Pods(keptIn).Create(context.Background(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{owner}},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		k.Errorf("%s: %v", name, err)
		return &lived{pod: &corev1.Pod{}}
	}
	k.check(k.node.Start(keptIn, name, "main"))
	k.status(pod, func(s *corev1.PodStatus) {
		s.Phase = corev1.PodRunning
		s.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", ContainerID: "x://" + name + "/0", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}}}
	})
	return &lived{pod: pod}
}

func (k *keeping) check(err error) {
	if err != nil {
		k.Error(err)
	}
}

// say writes lines to the log of a run.
func (k *keeping) say(l *lived, all ...string) {
	for _, line := range all {
		k.check(k.node.Write(keptIn, l.pod.Name, "main", line+"\n"))
		l.lines = append(l.lines, line)
	}
	l.lines = l.lines[max(0, len(l.lines)-lines):]
}

// end ends a run. With again, it returns the next run, which has begun.
func (k *keeping) end(l *lived, code int32, again bool) (next *lived) {
	l.ended = time.Now()
	k.mu.Lock()
	k.runs = append(k.runs, &lived{pod: l.pod.DeepCopy(), restart: l.restart, ended: l.ended, lines: slices.Clone(l.lines)})
	k.mu.Unlock()
	if again {
		k.check(k.node.Restart(keptIn, l.pod.Name, "main"))
	} else {
		k.check(k.node.End(keptIn, l.pod.Name, "main"))
	}
	k.status(l.pod, func(s *corev1.PodStatus) {
		c := &s.ContainerStatuses[0]
		over := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: "Error", StartedAt: c.State.Running.StartedAt, FinishedAt: metav1.NewTime(l.ended), ContainerID: c.ContainerID,
		}}
		if !again {
			c.State, s.Phase = over, corev1.PodSucceeded
			if code != 0 {
				s.Phase = corev1.PodFailed
			}
			return
		}
		c.RestartCount++
		c.LastTerminationState, c.ContainerID = over, fmt.Sprintf("x://%s/%d", l.pod.Name, c.RestartCount)
		c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	})
	return &lived{pod: l.pod, restart: l.restart + 1}
}

// remove deletes a pod. With a grace of 0 it is removed at once, as by a kubelet in the
// end.
func (k *keeping) remove(l *lived, grace int64) {
	k.check(k.client.CoreV1().Pods(keptIn).Delete(context.Background(), l.pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &grace}))
	if grace == 0 {
		k.check(k.node.Remove(keptIn, l.pod.Name))
		return
	}
	pod, err := k.client.CoreV1().Pods(keptIn).Get(context.Background(), l.pod.Name, metav1.GetOptions{})
	k.check(err)
	if err == nil {
		l.pod = pod
	}
}

// brokenNode makes a node answer every request with an error.
var brokenNode = kubelet.Fault{Times: -1, Status: 500, Message: "the node is lost"}
