package apitest_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/apitest"
)

// logged returns a pod with two containers, an init container and a node.
func logged() *corev1.Pod {
	p := pod("p")
	p.Spec.NodeName = "node-0"
	p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "side", Image: "busybox"})
	p.Spec.InitContainers = []corev1.Container{{Name: "setup", Image: "busybox"}}
	return p
}

// become sets the status of the container "main".
func become(t *testing.T, srv *apitest.Server, status corev1.ContainerStatus) {
	t.Helper()
	status.Name = "main"
	_, err := apitest.Modify(srv, logged(), func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{status} })
	if err != nil {
		t.Fatal(err)
	}
}

var (
	isRunning = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	isOver    = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}
)

func waitingFor(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
}

// logOf returns the whole log of the pod, or the error.
func logOf(ctx context.Context, client *kubernetes.Clientset, o corev1.PodLogOptions) (string, error) {
	body, err := client.CoreV1().Pods("default").GetLogs("p", &o).Stream(ctx)
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

func say(t *testing.T, srv *apitest.Server, text string) {
	t.Helper()
	if err := srv.WriteLog("default", "p", "main", text); err != nil {
		t.Fatal(err)
	}
}

func TestLogOptions(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, client := background(t), clientset(t, srv.RESTConfig())
	create(t, srv, logged())
	become(t, srv, corev1.ContainerStatus{State: isRunning})
	at := time.Date(2026, 11, 22, 10, 0, 0, 500, time.UTC)
	for i, text := range []string{"one\n", "two\n", "three\n", "fo", "ur\nfive"} {
		if err := srv.WriteLogAt(at.Add(time.Duration(i)*time.Second), "default", "p", "main", text); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		o    corev1.PodLogOptions
		want string
	}{
		"all":        {corev1.PodLogOptions{}, "one\ntwo\nthree\nfour\nfive"},
		"tail":       {corev1.PodLogOptions{TailLines: ptr.To(int64(2))}, "four\nfive"},
		"no lines":   {corev1.PodLogOptions{TailLines: ptr.To(int64(0))}, ""},
		"bytes":      {corev1.PodLogOptions{LimitBytes: ptr.To(int64(5))}, "one\nt"},
		"timestamps": {corev1.PodLogOptions{Timestamps: true, TailLines: ptr.To(int64(1))}, "2026-11-22T10:00:04.000000500Z five"},
		"since":      {corev1.PodLogOptions{SinceTime: ptr.To(metav1.NewTime(at.Add(3 * time.Second)))}, "four\nfive"},
		"seconds":    {corev1.PodLogOptions{SinceSeconds: ptr.To(int64(60))}, ""},
		"whole seconds": { // a server drops the fraction, so that the previous line is included
			corev1.PodLogOptions{SinceTime: ptr.To(metav1.NewTime(at.Add(3*time.Second + 900*time.Millisecond)))}, "four\nfive",
		},
	} {
		test.o.Container = "main"
		if got, err := logOf(ctx, client, test.o); err != nil || got != test.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
	}
}

func TestLogErrors(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, client := background(t), clientset(t, srv.RESTConfig())
	create(t, srv, logged())
	code := func(status corev1.ContainerStatus, o corev1.PodLogOptions, want int32, words string) {
		t.Helper()
		become(t, srv, status)
		_, err := logOf(ctx, client, o)
		var refused apierrors.APIStatus
		if !errors.As(err, &refused) || refused.Status().Code != want || !strings.Contains(refused.Status().Message, words) {
			t.Errorf("%v; want %d with %q", err, want, words)
		}
	}
	main := corev1.PodLogOptions{Container: "main"}
	before := corev1.PodLogOptions{Container: "main", Previous: true}
	running := corev1.ContainerStatus{State: isRunning}
	code(running, corev1.PodLogOptions{}, 400, "a container name must be specified for pod p, choose one of: [main side] or one of the init containers: [setup]")
	code(running, corev1.PodLogOptions{Container: "other"}, 400, "container other is not valid for pod p")
	code(running, before, 400, `previous terminated container "main" in pod "p" not found`)
	code(running, corev1.PodLogOptions{Container: "side"}, 400, `container "side" in pod "p" is not available`)
	code(corev1.ContainerStatus{State: waitingFor("ContainerCreating")}, main, 400, `container "main" in pod "p" is waiting to start: ContainerCreating`)
	code(corev1.ContainerStatus{State: waitingFor("ErrImagePull")}, main, 400, `is waiting to start: image can't be pulled`)
	code(corev1.ContainerStatus{State: waitingFor("ImagePullBackOff")}, main, 400, `is waiting to start: trying and failing to pull image`)
	code(running, corev1.PodLogOptions{Container: "main", TailLines: ptr.To(int64(-1))}, 422, "tailLines")
	code(running, corev1.PodLogOptions{Container: "main", SinceSeconds: ptr.To(int64(0))}, 422, "sinceSeconds")
	if err := srv.Delete(logged()); err != nil {
		t.Fatal(err)
	}
	if _, err := logOf(ctx, client, main); !apierrors.IsNotFound(err) {
		t.Errorf("log of a pod that no longer exists: %v", err)
	}
	if err := srv.WriteLog("default", "p", "main", "text"); !apierrors.IsNotFound(err) {
		t.Errorf("write to a pod that no longer exists: %v", err)
	}
	fresh := logged()
	fresh.Spec.NodeName = ""
	create(t, srv, fresh)
	if text, err := logOf(ctx, client, main); err != nil || text != "" {
		t.Errorf("log of a pod without a node: %q, %v", text, err)
	}
}

func TestLogOfRuns(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, client := background(t), clientset(t, srv.RESTConfig())
	create(t, srv, logged())
	check := func(previous bool, want string) {
		t.Helper()
		if got, err := logOf(ctx, client, corev1.PodLogOptions{Container: "main", Previous: previous}); err != nil || got != want {
			t.Errorf("previous %v: %q, %v; want %q", previous, got, err, want)
		}
	}
	say(t, srv, "first\n")
	check(false, "first\n")
	become(t, srv, corev1.ContainerStatus{State: waitingFor("CrashLoopBackOff"), LastTerminationState: isOver})
	check(false, "first\n") // as a node does
	check(true, "first\n")
	become(t, srv, corev1.ContainerStatus{State: isRunning, LastTerminationState: isOver, RestartCount: 1})
	say(t, srv, "second\n")
	check(false, "second\n")
	check(true, "first\n")
	if err := srv.RotateLog("default", "p", "main"); err != nil {
		t.Fatal(err)
	}
	say(t, srv, "third\n")
	check(false, "third\n")
}

// tailLog opens a stream and returns a reader of it.
func tailLog(t *testing.T, client *kubernetes.Clientset) *bufio.Reader {
	t.Helper()
	body, err := client.CoreV1().Pods("default").GetLogs("p", &corev1.PodLogOptions{Container: "main", Follow: true}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = body.Close() })
	return bufio.NewReader(body)
}

func TestLogIsFollowed(t *testing.T) {
	srv := start(t, apitest.Config{})
	client := clientset(t, srv.RESTConfig())
	create(t, srv, logged())
	become(t, srv, corev1.ContainerStatus{State: isRunning})
	say(t, srv, "one\n")
	log := tailLog(t, client)
	read := func(want string) {
		t.Helper()
		if got, err := log.ReadString('\n'); got != want || err != nil {
			t.Fatalf("%q, %v; want %q", got, err, want)
		}
	}
	read("one\n")
	say(t, srv, "two\n")
	read("two\n")
	if err := srv.RotateLog("default", "p", "main"); err != nil {
		t.Fatal(err)
	}
	say(t, srv, "three\n")
	read("three\n")
	say(t, srv, "four\nno end")
	become(t, srv, corev1.ContainerStatus{State: isOver})
	read("four\n")
	if rest, err := io.ReadAll(log); string(rest) != "no end" || err != nil {
		t.Errorf("rest of the log: got %q and error %v, want no end", rest, err)
	}
}

func TestFollowedLogIsCut(t *testing.T) {
	srv := start(t, apitest.Config{})
	client := clientset(t, srv.RESTConfig())
	create(t, srv, logged())
	become(t, srv, corev1.ContainerStatus{State: isRunning})
	say(t, srv, "one\n")
	for how, clean := range map[apitest.CutKind]bool{apitest.CutClean: true, apitest.CutReset: false} {
		log := tailLog(t, client)
		if _, err := log.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		srv.CutLogs(how)
		if _, err := io.ReadAll(log); (err == nil) != clean {
			t.Errorf("cut %v: got error %v, want a clean end: %t", how, err, clean)
		}
	}
	log := tailLog(t, client)
	if _, err := log.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	say(t, srv, "two\n")
	if err := srv.Delete(logged()); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(log); string(rest) != "two\n" || err != nil {
		t.Errorf("after the deletion: %q, %v", rest, err)
	}
}

func TestLogVerbs(t *testing.T) {
	var asked []apitest.Request
	srv := start(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if r.Subresource == "log" {
			asked = append(asked, r)
			return errors.New("no")
		}
		return nil
	}})
	create(t, srv, logged())
	client := clientset(t, srv.RESTConfig())
	if _, err := logOf(background(t), client, corev1.PodLogOptions{Container: "main"}); !apierrors.IsForbidden(err) || len(asked) != 1 {
		t.Errorf("%v after %d questions", err, len(asked))
	}
	open := start(t, apitest.Config{})
	create(t, open, logged())
	client = clientset(t, open.RESTConfig())
	err := client.CoreV1().RESTClient().Put().Namespace("default").Resource("pods").Name("p").SubResource("log").Body([]byte("{}")).Do(background(t)).Error()
	var refused apierrors.APIStatus
	if !errors.As(err, &refused) || refused.Status().Code != http.StatusMethodNotAllowed {
		t.Errorf("put: got %v, want status 405", err)
	}
}
