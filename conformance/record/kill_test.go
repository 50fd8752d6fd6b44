package record_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/wire"
)

var kills = flag.Int("kills", 8, "how often recorders are killed")

func TestMain(m *testing.M) {
	cleanup := goleak.Cleanup(func(code int) {
		dbtest.Stop()
		os.Exit(code)
	})
	goleak.VerifyTestMain(m, controlplane.IgnoreSpawner(), cleanup, goleak.IgnoreTopFunction("os/exec.(*Cmd).watchCtx.func1"))
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vedette")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/vedette")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build vedette: %v\n%s", err, out)
	}
	return path
}

// witness notes every revision that a raw watch shows.
type witness struct {
	mu   sync.Mutex
	seen map[string]bool // "uid version deleted"
}

func (w *witness) follow(ctx context.Context, t *testing.T, pods *kube.Client[corev1.Pod]) {
	for ev, err := range pods.Watch(ctx, kube.Where{}, 0) {
		if err != nil {
			if ctx.Err() == nil {
				t.Errorf("the witness: %v", err)
			}
			return
		}
		w.mu.Lock()
		w.seen[line(string(ev.Object.UID), ev.Version, ev.Type == wire.Deleted)] = true
		w.mu.Unlock()
	}
}

func line(uid string, version wire.Version, deleted bool) string {
	return fmt.Sprint(uid, " ", uint64(version), " ", deleted)
}

func (w *witness) all() (lines []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l := range w.seen {
		lines = append(lines, l)
	}
	slices.Sort(lines)
	return lines
}

// load creates, changes and deletes pods until ctx is done.
func load(ctx context.Context, pods *kube.Client[corev1.Pod], who int) {
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-tick.C
		key := wire.Key{Namespace: "default", Name: fmt.Sprintf("train-%d-%d", who, rand.IntN(20))}
		switch rand.IntN(6) {
		case 0:
			_ = pods.Delete(ctx, key, kube.DeleteOptions{Grace: new(time.Duration)}) // it may not be there
		case 1, 2:
			_, _ = pods.Create(ctx, &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
				Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train"}}},
			}) // it may be there
		default:
			_, _ = pods.Status().Mutate(ctx, key, func(p *corev1.Pod) error {
				p.Status.Phase = []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed}[rand.IntN(4)]
				return nil
			})
		}
	}
}

// TestKilled: two recorders write into one database, and are killed again and again
// while pods come, change and go. In the end every revision that a raw watch has
// seen is there, once, and nothing else.
func TestKilled(t *testing.T) {
	program := build(t)
	dbtest.Each(t, func(t *testing.T, url string) {
		plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
		cluster, err := kube.Connect(kube.Config{REST: plane.RESTConfig()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cluster.Close)
		pods, err := kube.For[corev1.Pod](cluster, kube.ClientConfig{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		loading, quiet := context.WithCancel(ctx)
		w := &witness{seen: map[string]bool{}}
		var watching, loads sync.WaitGroup
		defer watching.Wait()
		defer cancel()
		watching.Go(func() { w.follow(ctx, t, pods) })

		run := func(name string) *exec.Cmd {
			cmd := exec.Command(program, "record", "pods", "-A", "--db", url, "--name", name)
			cmd.Env = append(os.Environ(), "KUBECONFIG="+plane.Kubeconfig())
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		d, err := record.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		recorders := []*exec.Cmd{run("one"), run("two")}
		covered(t, d) // what happens before the first list is nobody's
		for who := range 3 {
			loads.Go(func() { load(loading, pods, who) })
		}
		for n := range *kills {
			<-time.After(time.Duration(500+rand.IntN(1500)) * time.Millisecond)
			i := n % 2
			_ = recorders[i].Process.Kill()
			_ = recorders[i].Wait()
			recorders[i] = run([]string{"one", "two"}[i])
		}
		quiet()
		loads.Wait()
		compare(t, d, w)
		for _, r := range recorders {
			_ = r.Process.Signal(os.Interrupt)
			if err := r.Wait(); err != nil && err.Error() != "signal: interrupt" { // it had only just begun
				t.Errorf("a recorder: %v", err)
			}
		}
	})
}

// covered waits until a recorder has its first list.
func covered(t *testing.T, d *record.Database) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for n := 0; n == 0; {
		if err := d.SQL().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM coverage").Scan(&n); err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("no recorder has a first list")
		}
	}
}

// compare waits until the database has what the witness has.
func compare(t *testing.T, d *record.Database, w *witness) {
	t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for {
		got, want := recorded(t, d), w.all()
		if slices.Equal(got, want) {
			t.Logf("%d revisions, each once", len(got))
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			missing := slices.DeleteFunc(slices.Clone(want), func(l string) bool { return slices.Contains(got, l) })
			more := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return slices.Contains(want, l) })
			t.Fatalf("%d revisions of %d\nmissing: %q\nmore: %q", len(got), len(want), missing, more)
		}
	}
}

func recorded(t *testing.T, d *record.Database) (lines []string) {
	t.Helper()
	rows, err := d.SQL().QueryContext(t.Context(), "SELECT o.uid, r.version, r.deleted FROM revisions r JOIN objects o ON o.id = r.object_id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var uid string
		var version int64
		var deleted int
		if err := rows.Scan(&uid, &version, &deleted); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line(uid, wire.Version(version), deleted == 1))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}
