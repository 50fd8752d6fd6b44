package killed_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// Variables of a child process.
const (
	urlVariable  = "VEDETTE_TEST_URL"
	pathVariable = "VEDETTE_TEST_PATH" // of the file of handled revisions; the snapshot file is beside it
)

func TestMain(m *testing.M) {
	if url := os.Getenv(urlVariable); url != "" {
		if err := consume(url, os.Getenv(pathVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// consume handles every revision of the pods of a server, until standard input ends: it
// appends the name of the revision to a file.
func consume(url, path string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cluster, err := kube.Connect(kube.Config{REST: &rest.Config{Host: url}})
	if err != nil {
		return err
	}
	defer cluster.Close()
	pods, err := informer.Watch[corev1.Pod](cluster, informer.Config{
		Logger:    slog.New(slog.DiscardHandler),
		WarmStart: informer.WarmStart{Path: path + ".snapshot", Every: 3 * time.Millisecond, AtLeastOnce: true},
	})
	if err != nil {
		return err
	}
	handled, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer handled.Close()
	queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[corev1.Pod]{})
	var work sync.WaitGroup
	defer work.Wait()
	for range 3 {
		work.Go(func() { handle(ctx, queue, handled) })
	}
	work.Go(func() { _ = pods.Run(ctx) })
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the test does
	}()
	return controller.Revisions(ctx, pods, queue, controller.RevisionsConfig[corev1.Pod]{})
}

// handle is a worker. Every fifth revision fails once.
func handle(ctx context.Context, queue *controller.RevisionQueue[corev1.Pod], handled io.Writer) {
	for {
		work, err := queue.Get(ctx)
		if err != nil {
			return
		}
		r := work.Item
		if r.Version%5 == 0 && work.Retries == 0 {
			_, _ = queue.Retry(ctx, r)
		} else if _, err := fmt.Fprintln(handled, nameOf(r)); err == nil {
			r.Acknowledge()
		}
		_ = queue.Done(r)
	}
}

// nameOf names a revision as the test does: by its UID, and its version or the deletion.
func nameOf(r controller.Revision[corev1.Pod]) string {
	if r.Kind == store.Deleted {
		return r.UID + "/deleted"
	}
	return fmt.Sprintf("%s/%v", r.UID, r.Version)
}

// history makes changes of pods, and has the names of all their revisions.
type history struct {
	t    *testing.T
	srv  *apitest.Server
	made []string
}

func (h *history) change(i int) {
	h.t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprint("pod-", i%4)}}
	found, err := h.srv.Get(pod)
	switch {
	case err != nil:
		found, err = h.srv.Create(pod)
	case i%11 == 0:
		h.made = append(h.made, string(found.GetUID())+"/deleted")
		if err := h.srv.Delete(pod); err != nil {
			h.t.Fatal(err)
		}
		return
	default:
		found, err = apitest.Modify(h.srv, pod, func(p *corev1.Pod) { p.Spec.NodeName = fmt.Sprint("node-", i) })
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.made = append(h.made, fmt.Sprintf("%s/%s", found.GetUID(), found.GetResourceVersion()))
}

// TestKilledRevisions kills a consumer of Revisions with SIGKILL again and again, while pods
// change and while it is down. Every revision is handled, without a second list.
func TestKilledRevisions(t *testing.T) {
	testinput.Uncached(t)
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	if _, err := srv.Create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}); err != nil {
		t.Fatal(err)
	}
	url, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "handled")
	random := testinput.Rand(t)
	h := &history{t: t, srv: srv}
	kills := testinput.Size(t, 12, 50)
	h.change(1)
	for i := range kills {
		kill := launch(t, url, path)
		if i == 0 {
			await(t, path, h.made, 1) // the guarantee begins with the first revision
		}
		for j := range 5 {
			h.change(15*i + j)
		}
		enough := len(h.made) - random.IntN(min(10, len(h.made)))
		await(t, path, h.made, enough)
		kill()
		for j := range 10 {
			h.change(15*i + 5 + j)
		}
	}
	kill := launch(t, url, path)
	await(t, path, h.made, len(h.made))
	kill()
	lists := 0
	for _, r := range srv.Requests() {
		if r.Resource.Resource == "pods" && (r.Verb == apitest.VerbList || r.Streaming()) {
			lists++
		}
	}
	if lists != 1 {
		t.Errorf("got %d lists of pods, want 1, of the first start", lists)
	}
	t.Logf("%d revisions were handled %d times with %d kills", len(h.made), len(read(path)), kills)
}

// await waits until a number of the revisions are handled.
func await(t *testing.T, path string, made []string, enough int) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("%d revisions are handled", enough), func() string {
		handled := map[string]bool{}
		for _, name := range read(path) {
			handled[name] = true
		}
		var missing []string
		for _, name := range made {
			if !handled[name] {
				missing = append(missing, name)
			}
		}
		if len(made)-len(missing) < enough {
			return fmt.Sprintf("%d of %d are not: %v", len(missing), len(made), missing[:min(len(missing), 5)])
		}
		return ""
	})
}

func read(path string) []string {
	text, _ := os.ReadFile(path) // may not exist yet
	return strings.Fields(string(text))
}

// launch starts a consumer.
func launch(t *testing.T, url, path string) (kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), urlVariable+"="+url, pathVariable+"="+path)
	cmd.Stderr = t.Output()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // ends with an error, because the process was killed
		_ = stdin.Close()
	}
}
