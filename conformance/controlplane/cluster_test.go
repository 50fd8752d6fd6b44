package controlplane_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// childVariable marks this test binary as the child process to kill.
const childVariable = "VEDETTE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner())
}

// child starts a control plane, prints its processes, and waits.
func child() {
	ctx := context.Background()
	bins, err := controlplane.Build(ctx, controlplane.Version(), os.Stderr)
	if err != nil {
		panic(err)
	}
	c, err := controlplane.Start(ctx, bins, controlplane.Options{})
	if err != nil {
		panic(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(c.Pids())
	select {}
}

func client(t *testing.T, c *controlplane.Cluster) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestJobRunsToComplete(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Nodes: 2})
	jobs := client(t, c).BatchV1().Jobs("default")
	_, err := jobs.Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "train"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: "train"}},
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the job is complete", func() string {
		job, err := jobs.Get(t.Context(), "train", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		for _, cond := range job.Status.Conditions {
			if cond.Type == batchv1.JobComplete && cond.Status == corev1.ConditionTrue {
				return ""
			}
		}
		return fmt.Sprintf("%+v", job.Status)
	})
}

// TestVersionIsReallyGone follows the steps in the comment of Compact.
func TestVersionIsReallyGone(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	maps := client(t, c).CoreV1().ConfigMaps("default")
	first, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.KillAPIServer()
	if err := c.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, err := client(t, c).CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{ResourceVersion: first.ResourceVersion})
	if err == nil {
		defer w.Stop()
		ev := <-w.ResultChan()
		if ev.Type != watch.Error {
			t.Fatalf("the watch continues from version %s: %+v", first.ResourceVersion, ev)
		}
		err = apierrors.FromObject(ev.Object)
	}
	if !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		t.Fatalf("got %v, want 410", err)
	}
}

// TestNothingOutlivesTheParent kills the process that started a control plane.
func TestNothingOutlivesTheParent(t *testing.T) {
	testinput.Uncached(t)
	if _, err := controlplane.Build(t.Context(), controlplane.Version(), os.Stderr); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1", "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pids map[string]int
	if err := json.Unmarshal([]byte(line), &pids); err != nil || len(pids) != 5 {
		t.Fatalf("the child printed %q: %v", strings.TrimSpace(line), err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	patience.Until(t, "all processes end", func() string {
		for name, pid := range pids {
			// A zombie that its new parent has not reaped counts as ended.
			stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
			if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ") {
				delete(pids, name)
			}
		}
		if len(pids) > 0 {
			return fmt.Sprintf("still running: %v", pids)
		}
		return ""
	})
}
