package migrating_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer"
	"github.com/vedette-io/vedette/compat/clientgo/informers"
	"github.com/vedette-io/vedette/compat/clientgo/tools/cache"
	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// build builds the programs, and returns their folder.
func build(t *testing.T) string {
	t.Helper()
	testinput.Uncached(t)
	dir := t.TempDir()
	for name := range scripts {
		for _, engine := range []string{"clientgo", "vedette"} {
			folder := filepath.Join(dir, name)
			if err := gobuild.Into(t.Context(), folder, "-ldflags=-s -w", "./"+filepath.Join("examples/migrating", name, engine)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestSameOutput compares the output of the programs with client-go and with Vedette.
func TestSameOutput(t *testing.T) {
	dir := build(t)
	plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	clients := connect(t, plane)
	t.Run("accelerated", func(t *testing.T) { accelerated(t, plane, clients) })
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outputs := map[string][]string{}
			for _, engine := range []string{"clientgo", "vedette"} {
				p := place{clients, name + "-" + engine}
				outputs[engine] = play(t, p, scripts[name], filepath.Join(dir, name, engine), plane.Kubeconfig())
			}
			if diff := cmp.Diff(outputs["clientgo"], outputs["vedette"]); diff != "" {
				t.Errorf("output with client-go (-), and with Vedette (+):\n%s", diff)
			}
			if last := outputs["clientgo"][len(outputs["clientgo"])-1]; last != scripts[name].ends {
				t.Errorf("the last line is %q, want %q", last, scripts[name].ends)
			}
		})
	}
}

func connect(t *testing.T, plane *controlplane.Cluster) *kubernetes.Clientset {
	config := plane.RESTConfig()
	config.QPS = -1
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	clients, err := kubernetes.NewForConfigAndClient(config, client)
	if err != nil {
		t.Fatal(err)
	}
	return clients
}

// accelerated checks that informers constructed as in the programs run on our engine: the
// output would be the same on client-go's.
func accelerated(t *testing.T, plane *controlplane.Cluster, clients *kubernetes.Clientset) {
	objects, err := dynamic.NewForConfigAndClient(plane.RESTConfig(), clients.CoreV1().RESTClient().(*rest.RESTClient).Client)
	if err != nil {
		t.Fatal(err)
	}
	typed := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace("default"))
	untyped := dynamicinformer.NewFilteredDynamicSharedInformerFactory(objects, 0, "default", nil)
	made := []cache.SharedIndexInformer{
		typed.Core().V1().Pods().Informer(), typed.Core().V1().ConfigMaps().Informer(),
		untyped.ForResource(appsv1.SchemeGroupVersion.WithResource("deployments")).Informer(),
	}
	typed.Start(t.Context().Done())
	untyped.Start(t.Context().Done())
	t.Cleanup(typed.Shutdown)
	t.Cleanup(untyped.Shutdown)
	for i, inf := range made {
		if !cache.WaitForCacheSync(t.Context().Done(), inf.HasSynced) {
			t.Fatal("the informer does not sync")
		}
		if h, ok := clientgo.HealthOf(inf); !ok || !h.Accelerated {
			t.Errorf("informer %d: %v, %s", i, ok, h.Reason)
		}
	}
}

// play runs one program through a script, and returns what it printed.
func play(t *testing.T, p place, s script, program, kubeconfig string) (printed []string) {
	t.Helper()
	ctx := patience.Context(t, "the end of "+filepath.Base(program))
	if _, err := p.clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := all(s.before...)(ctx, p); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program, append([]string{"-namespace", p.namespace}, s.args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	printed, err = follow(ctx, out, p, s.scenes)
	if err = errors.Join(err, cmd.Wait(), context.Cause(ctx)); err != nil {
		t.Fatalf("%s: %v; it printed\n%s\nand\n%s", filepath.Base(program), err, strings.Join(printed, "\n"), complaints.String())
	}
	return printed
}

// follow reads all lines, and plays each scene after its line.
func follow(ctx context.Context, out io.Reader, p place, scenes []scene) (printed []string, err error) {
	for scan := bufio.NewScanner(out); scan.Scan(); {
		printed = append(printed, scan.Text())
		if len(scenes) > 0 && strings.HasPrefix(scan.Text(), scenes[0].says) {
			err = errors.Join(err, scenes[0].do(ctx, p))
			scenes = scenes[1:]
		}
	}
	if len(scenes) > 0 {
		err = errors.Join(err, fmt.Errorf("no line begins with %q", scenes[0].says))
	}
	return printed, err
}
