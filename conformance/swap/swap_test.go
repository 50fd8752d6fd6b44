package swap

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/swap"
)

// controllers are the programs in testdata.
var controllers = []struct {
	name, label string
	clientGo    string   // the version in its go.mod
	created     string   // its output when an object is created
	changed     string   // its output when the object changes
	informers   []string // the types of its informers
}{
	{"plain", "count", "v0.36.3", "counted a 2", "counted a 1", []string{"*v1.ConfigMap", "*v1.Secret"}},
	{"reconciler", "mirror", "v0.37.2", "created a 2", "updated a 1", []string{"*v1.ConfigMap", "*v1.Secret"}},
}

// TestSwap builds each program with and without the engine, and runs it on client-go's
// informers, on client-go's in the swapped binary, and on the engine in both modes.
func TestSwap(t *testing.T) {
	cluster := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, Nodes: -1})
	client, err := kubernetes.NewForConfig(cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range controllers {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", c.name))); err != nil {
				t.Fatal(err)
			}
			stock := filepath.Join(t.TempDir(), "stock")
			build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", stock, ".")
			build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			swapped := buildSwapped(t, dir, c.clientGo)
			want := play(t, cluster, client, c.label, c.created, c.changed, stock, "")
			for _, mode := range []string{"off", "packed", "live"} {
				got := play(t, cluster, client, c.label, c.created, c.changed, swapped, mode)
				if !slices.Equal(got.lines, want.lines) {
					t.Errorf("VEDETTE_SWAP=%s: the program printed\n%q\nwithout the swap\n%q", mode, got.lines, want.lines)
				}
				for _, objects := range c.informers {
					line := "vedette: an informer is accelerated objects=" + objects
					if strings.Contains(got.log, line) == (mode == "off") {
						t.Errorf("VEDETTE_SWAP=%s: the log about %s is wrong:\n%s", mode, objects, got.log)
					}
				}
				if strings.Contains(got.log, "not accelerated") {
					t.Errorf("VEDETTE_SWAP=%s: an informer is not accelerated:\n%s", mode, got.log)
				}
			}
		})
	}
}

// buildSwapped swaps the engine into the module in dir, and returns the binary. No file
// of the module may change.
func buildSwapped(t *testing.T, dir, version string) string {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	before := sums(t, dir)
	result, err := swap.Build(t.Context(), swap.Options{
		Dir: dir, Patterns: []string{"./..."}, BuildFlags: []string{"-trimpath"}, Vedette: "../..", Cache: t.TempDir(), Output: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := sums(t, dir); after != before {
		t.Errorf("the files of the module changed from\n%sto\n%s", before, after)
	}
	if len(result.Binaries) != 1 || result.ClientGo != version {
		t.Fatalf("built %+v", result)
	}
	return result.Binaries[0].Path
}

// sums returns the names and contents of all files below a folder.
func sums(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// outcome is the result of a program.
type outcome struct {
	lines []string
	log   string
}

// play runs a program in its own namespace, with an object that exists before the program
// starts, changes, and is deleted.
func play(t *testing.T, cluster *controlplane.Cluster, client kubernetes.Interface, label, created, changed, binary, mode string) outcome {
	t.Helper()
	ctx := t.Context()
	ns, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "swap-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	maps := client.CoreV1().ConfigMaps(ns.Name)
	obj, err := maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{label: "yes"}}, Data: map[string]string{"x": "1", "y": "2"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Secrets(ns.Name).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	p := start(t, binary, cluster.Kubeconfig(), ns.Name, mode)
	for _, step := range []struct {
		do   func(context.Context) error
		line string
	}{
		{func(context.Context) error { return nil }, created},
		{func(ctx context.Context) error {
			_, err := maps.Patch(ctx, obj.Name, "application/merge-patch+json", []byte(`{"data":{"y":null}}`), metav1.PatchOptions{})
			return err
		}, changed},
		{func(ctx context.Context) error { return maps.Delete(ctx, obj.Name, metav1.DeleteOptions{}) }, "gone a"},
	} {
		err := step.do(ctx)
		if err == nil {
			err = p.await(step.line)
		}
		if err != nil {
			_, log, _ := p.stop()
			t.Fatalf("VEDETTE_SWAP=%s: %v\n%s", mode, err, log)
		}
	}
	lines, log, err := p.stop()
	if err != nil {
		t.Errorf("VEDETTE_SWAP=%s: the program ended with %v\n%s", mode, err, log)
	}
	slices.Sort(lines) // the informers sync in any order
	return outcome{lines, log}
}
