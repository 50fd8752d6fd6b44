// Package scaffold runs the projects of `vedette new controller` on a real API server.
package scaffold

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	authv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/scaffold"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

const object = `
apiVersion: example.com/v1
kind: TrainJob
metadata: {name: one, namespace: default}
spec: {anything: goes}
---
apiVersion: batch/v1
kind: Job
metadata: {name: one, namespace: default}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: train}]}}}
`

// TestProject: a project of a custom resource and one of a built-in type build, pass their
// tests, and do their work with no more than the rights in their manifests.
func TestProject(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, Nodes: -1})
	cluster, err := kube.Connect(kube.Config{REST: plane.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	for name, of := range map[string]string{"trainer": "example.com/v1/TrainJob", "cleaner": "batch/v1/Job"} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, name, of)
			command(t, dir, "make", "test")
			program := filepath.Join(t.TempDir(), name)
			command(t, dir, "go", "build", "-o", program, ".")
			install(t, cluster, dir)
			p := start(t, program, "-elect", "-listen=none", "-kubeconfig="+identity(t, plane, name))
			all, err := manifest.Parse(t.Context(), "object.yaml", []byte(object))
			if err != nil {
				t.Fatal(err)
			}
			if name == "cleaner" {
				all = all[1:]
			} else {
				all = all[:1]
			}
			created, err := manifest.Create(t.Context(), cluster, all...)
			if err != nil {
				t.Fatal(err)
			}
			patience.Until(t, "the object is reconciled", func() string { return reconciled(t.Context(), cluster, p, created[0]) })
			p.stop(t)
		})
	}
}

// write writes a project that uses this source.
func write(t *testing.T, name, of string) (dir string) {
	t.Helper()
	typ, err := scaffold.ParseType(of, false)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), name)
	p, err := scaffold.New(scaffold.Options{Name: name, Type: typ, Dir: dir, Vedette: "../.."})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(); err != nil {
		t.Fatal(err)
	}
	if err := p.Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	testinput.Uncached(t)
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// install applies all manifests of a project, twice: the second time changes nothing.
func install(t *testing.T, cluster *kube.Cluster, dir string) {
	t.Helper()
	var versions []string
	for range 2 {
		for _, name := range []string{"crd.yaml", "rights.yaml", "deployment.yaml"} {
			text, err := os.ReadFile(filepath.Join(dir, "deploy", name))
			if os.IsNotExist(err) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			all, err := manifest.Parse(t.Context(), name, text)
			if err != nil {
				t.Fatal(err)
			}
			written, err := manifest.Apply(t.Context(), cluster, "author", kube.ReportConflicts, all...)
			if err != nil || len(written) != len(all) {
				t.Fatalf("%s: applied %d of %d objects: %v", name, len(written), len(all), err)
			}
			for _, obj := range written {
				if obj.GetKind() != "CustomResourceDefinition" { // its status changes by itself
					versions = append(versions, obj.GetKind()+" "+obj.GetResourceVersion())
				}
			}
		}
	}
	for i, n := 0, len(versions)/2; i < n; i++ {
		if versions[i] != versions[n+i] {
			t.Errorf("the second Apply has changed %s to %s", versions[i], versions[n+i])
		}
	}
}

// identity returns a kubeconfig with a token of the project's ServiceAccount.
func identity(t *testing.T, plane *controlplane.Cluster, name string) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.CoreV1().ServiceAccounts(name).CreateToken(t.Context(), name, &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["it"] = &clientcmdapi.Cluster{Server: plane.RESTConfig().Host, CertificateAuthority: plane.RESTConfig().CAFile}
	cfg.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	cfg.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it", Namespace: name}
	cfg.CurrentContext = "it"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// reconciled returns what is still missing.
func reconciled(ctx context.Context, cluster *kube.Cluster, p *program, obj *unstructured.Unstructured) string {
	if obj.GetKind() == "Job" {
		if !strings.Contains(p.said(), "reconciled") {
			return "the log has no reconcile:\n" + p.said()
		}
		return ""
	}
	client, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: "trainjobs.example.com"})
	if err != nil {
		return err.Error()
	}
	got, err := client.Get(ctx, kube.KeyOf(obj))
	if err != nil {
		return err.Error()
	}
	if n, _, err := unstructured.NestedInt64(got.Object, "status", "observedGeneration"); n != 1 {
		return fmt.Sprintf("%v %v\n%s", got.Object["status"], err, p.said())
	}
	return ""
}

// program is a running project.
type program struct {
	cmd *exec.Cmd
	mu  sync.Mutex
	log bytes.Buffer
}

func start(t *testing.T, path string, args ...string) *program {
	t.Helper()
	p := &program{cmd: exec.Command(path, args...)}
	p.cmd.Stdout, p.cmd.Stderr = p, p
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Write adds to the log.
func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.Write(text)
}

func (p *program) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}

// stop ends the program by a signal; it must end without an error, and must not have been
// denied anything.
func (p *program) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := p.cmd.Wait(); err != nil || strings.Contains(p.said(), "forbidden") {
		t.Errorf("the program: %v\n%s", err, p.said())
	}
}
