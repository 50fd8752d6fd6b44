package deploy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	authv1 "k8s.io/api/authentication/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
)

// stage is an API server with the manifests, and the program.
type stage struct {
	plane   *controlplane.Cluster
	client  kubernetes.Interface
	program string
	config  string   // the file of the ConfigMap, with another database
	env     []string // environment of the program, with its identity
	db      string
	kinds   map[string]*unstructured.Unstructured // objects of the manifests
}

// TestBase: an API server accepts all manifests, and the recorder's Pod is restricted. A
// recorder with their rights and their settings, except the database, records. If a verb
// is missing, doctor names it.
func TestBase(t *testing.T) {
	s := newStage(t, ".", "StatefulSet")
	if out, err := s.run(t, "doctor"); err != nil || strings.Contains(out, "failed") {
		t.Fatalf("doctor: %v\n%s", err, out)
	}
	s.records(t)
	out, err := s.run(t, "doctor")
	if err != nil || !strings.Contains(out, "the server has all later changes") || strings.Contains(out, "failed") {
		t.Errorf("doctor, after recording: %v\n%s", err, out)
	}
	s.revoke(t, "jobs", "watch")
	patience.Until(t, "doctor reports the missing right", func() string {
		out, err := s.run(t, "doctor")
		if err == nil || !strings.Contains(out, "may not watch jobs.batch in all namespaces") || strings.Contains(out, "may not list") {
			return fmt.Sprintf("%v\n%s", err, out)
		}
		return ""
	})
}

// TestShared: an API server accepts the manifests of recorders that share the work, and a recorder with
// their rights and settings joins and records.
func TestShared(t *testing.T) {
	s := newStage(t, "shared", "Deployment")
	for _, kind := range []string{"HorizontalPodAutoscaler", "PodDisruptionBudget"} {
		if s.kinds[kind] == nil {
			t.Errorf("there is no %s", kind)
		}
	}
	if s.kinds["StatefulSet"] != nil {
		t.Error("the StatefulSet of the base is there too")
	}
	s.records(t)
	out, err := s.run(t, "shards")
	if err != nil || !strings.Contains(out, "vedette-0") || strings.Count(out, "pods") < 4 {
		t.Errorf("shards: %v\n%s", err, out)
	}
}

func newStage(t *testing.T, folder, workload string) *stage {
	t.Helper()
	s := &stage{plane: controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly}), program: gobuild.Program(t, gobuild.Vedette)}
	client, err := dynamic.NewForConfig(s.plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	if s.client, err = kubernetes.NewForConfig(s.plane.RESTConfig()); err != nil {
		t.Fatal(err)
	}
	kinds := applyAll(t, client, folder, workload)
	s.kinds = kinds
	dir := t.TempDir()
	s.config, s.db = filepath.Join(dir, "vedette.yaml"), filepath.Join(dir, "history.db")
	text := kinds["ConfigMap"].Object["data"].(map[string]any)["vedette.yaml"].(string)
	for _, change := range [][2]string{{`(?m)^db: .*$`, "db: sqlite:" + s.db}, {`(?m)^listen: .*$`, "listen: 127.0.0.1:0"}, {`(?m)^spill: .*$`, "spill: spill"}} {
		line := regexp.MustCompile(change[0])
		if n := len(line.FindAllString(text, -1)); n != 1 {
			t.Fatalf("vedette.yaml has %d lines like %s, want one", n, change[0])
		}
		text = line.ReplaceAllLiteralString(text, change[1])
	}
	if err := os.WriteFile(s.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "VEDETTE_NAME=vedette-0", "KUBECONFIG="+s.kubeconfig(t, dir))
	return s
}

// kubeconfig returns the path of a kubeconfig for the ServiceAccount.
func (s *stage) kubeconfig(t *testing.T, dir string) string {
	t.Helper()
	token, err := s.client.CoreV1().ServiceAccounts("vedette").CreateToken(t.Context(), "vedette", &authv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	of := s.plane.RESTConfig()
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["it"] = &clientcmdapi.Cluster{Server: of.Host, CertificateAuthority: of.CAFile}
	cfg.AuthInfos["it"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	cfg.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	cfg.CurrentContext = "it"
	path := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a command of the program to its end.
func (s *stage) run(t *testing.T, name string, args ...string) (said string, err error) {
	t.Helper()
	ctx := patience.Context(t, "the end of "+name)
	cmd := exec.CommandContext(ctx, s.program, append([]string{name, "--config", s.config}, args...)...)
	cmd.Env = s.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var served = regexp.MustCompile(`health and metrics at (http://\S+)`)

// records runs a recorder, and checks that it becomes ready and records a Job.
func (s *stage) records(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	log, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(s.program, "record", "--config", s.config)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := func() string { text, _ := os.ReadFile(path); return string(text) }
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Errorf("the recorder: %v\n%s", err, said())
		}
		t.Logf("peak memory: %d KiB", cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	})
	patience.Until(t, "the recorder is ready", func() string {
		at := served.FindStringSubmatch(said())
		if at == nil {
			return said()
		}
		resp, err := http.Get(at[1] + "/readyz")
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
			return string(body)
		}
		return ""
	})
	pod := corev1.PodTemplateSpec{Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "train"}}}}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "train"}, Spec: batchv1.JobSpec{Template: pod}}
	if _, err := s.client.BatchV1().Jobs("default").Create(t.Context(), job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the Job is in the history", func() string {
		out, err := s.run(t, "history", "jobs.batch/train", "-n", "default")
		if err != nil || !strings.Contains(out, "train") {
			return fmt.Sprintf("%v\n%s", err, out)
		}
		return ""
	})
}

// revoke removes a verb for a resource from the ClusterRole.
func (s *stage) revoke(t *testing.T, resource, verb string) {
	t.Helper()
	roles := s.client.RbacV1().ClusterRoles()
	role, err := roles.Get(t.Context(), "vedette-recorder", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var rules []rbacv1.PolicyRule
	taken := false
	for _, rule := range role.Rules {
		if len(rule.Resources) == 1 && rule.Resources[0] == resource {
			var verbs []string
			for _, v := range rule.Verbs {
				if v != verb {
					verbs = append(verbs, v)
				}
			}
			taken = len(verbs) < len(rule.Verbs)
			rule.Verbs = verbs
		}
		rules = append(rules, rule)
	}
	if role.Rules = rules; !taken {
		text, _ := json.Marshal(rules)
		t.Fatalf("no rule allows %s of %s: %s", verb, resource, text)
	}
	if _, err := roles.Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
