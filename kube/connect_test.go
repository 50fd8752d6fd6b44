package kube_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const kubeconfig = `apiVersion: v1
kind: Config
current-context: one
contexts:
- {name: one, context: {cluster: a, user: u, namespace: ml}}
- {name: two, context: {cluster: b, user: u}}
- {name: broken, context: {cluster: nowhere, user: u}}
clusters:
- {name: a, cluster: {server: "https://one.example:6443"}}
- {name: b, cluster: {server: "https://two.example:6443"}}
users:
- {name: u, user: {token: secret}}
`

// write writes text to a file, and hides the kubeconfig of the machine.
func write(t *testing.T, text string) string {
	t.Helper()
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConnect(t *testing.T) {
	path := write(t, kubeconfig)
	for _, c := range []struct {
		name            string
		cfg             kube.Config
		host, namespace string
	}{
		{"a file", kube.Config{Kubeconfig: path}, "one.example:6443", "ml"},
		{"another context", kube.Config{Kubeconfig: path, Context: "two"}, "two.example:6443", "default"},
		{"another namespace", kube.Config{Kubeconfig: path, Namespace: "other"}, "one.example:6443", "other"},
		{"an explicit configuration", kube.Config{REST: &rest.Config{Host: "http://127.0.0.1:1"}}, "127.0.0.1:1", "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster, err := kube.Connect(c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if cluster.Host() != c.host || cluster.Namespace() != c.namespace {
				t.Errorf("got %s, %s; want %s, %s", cluster.Host(), cluster.Namespace(), c.host, c.namespace)
			}
		})
	}
}

func TestConnectByEnvironment(t *testing.T) {
	one := write(t, strings.Replace(kubeconfig, "current-context: one", "current-context: two", 1))
	two := filepath.Join(filepath.Dir(one), "none")
	t.Setenv("KUBECONFIG", two+string(filepath.ListSeparator)+one)
	cluster, err := kube.Connect(kube.Config{})
	if err != nil || cluster.Host() != "two.example:6443" {
		t.Errorf("got %v and error %v, want host two.example:6443", cluster, err)
	}
}

func TestConnectLeavesTheConfigurationAlone(t *testing.T) {
	cfg := &rest.Config{Host: "http://127.0.0.1:1", Timeout: time.Minute, UserAgent: "mine"}
	if _, err := kube.Connect(kube.Config{REST: cfg}); err != nil {
		t.Fatal(err)
	}
	if cfg.Timeout != time.Minute || cfg.UserAgent != "mine" || cfg.QPS != 0 {
		t.Errorf("got %+v, want the caller's configuration unchanged", cfg)
	}
}

func TestConnectErrors(t *testing.T) {
	path := write(t, kubeconfig)
	for _, c := range []struct {
		name string
		cfg  kube.Config
		text string // replaces the kubeconfig
		want []string
	}{
		{"no file", kube.Config{Kubeconfig: path + "x"}, "", []string{path + "x", "check the path"}},
		{"no such context", kube.Config{Kubeconfig: path, Context: "three"}, "", []string{`"three"`, "broken, one, two"}},
		{"a context of nothing", kube.Config{Kubeconfig: path, Context: "broken"}, "", []string{`"broken"`, "another context"}},
		{"invalid YAML", kube.Config{}, "{{{", []string{"cannot be read", "another file"}},
		{"an empty file", kube.Config{}, "apiVersion: v1\nkind: Config\n", []string{"no contexts"}},
		{"no current context", kube.Config{}, strings.Replace(kubeconfig, "current-context: one", "", 1), []string{"no current context", "broken, one, two"}},
		{"an invalid address", kube.Config{REST: &rest.Config{Host: "http://a b"}}, "", []string{"address"}},
		{"a missing certificate", kube.Config{REST: &rest.Config{Host: "https://a", TLSClientConfig: rest.TLSClientConfig{CAFile: path + "x"}}}, "", []string{"certificates"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.text != "" {
				c.cfg.Kubeconfig = write(t, c.text)
			}
			_, err := kube.Connect(c.cfg)
			if !errcode.Is(err, errcode.Misconfigured) {
				t.Fatalf("got %v, want errcode.Misconfigured", err)
			}
			if strings.Contains(err.Error(), " --") {
				t.Errorf("got %v, want no flag of a program", err)
			}
			for _, want := range c.want {
				if text := kube.Explain(err); !strings.Contains(text, want) || strings.Contains(text, "\n") {
					t.Errorf("got %q, want it to contain %q", text, want)
				}
			}
		})
	}
}

func TestConnectInCluster(t *testing.T) {
	write(t, "")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	_, err := kube.Connect(kube.Config{})
	if err == nil || !strings.Contains(err.Error(), "KUBECONFIG") {
		t.Errorf("without kubeconfig and pod: got %v", err)
	}
}

func TestContexts(t *testing.T) {
	path := write(t, kubeconfig)
	got, err := kube.Contexts(kube.Config{Kubeconfig: path})
	if err != nil || strings.Join(got, " ") != "broken one two" {
		t.Errorf("got contexts %v and error %v, want broken, one and two", got, err)
	}
	if _, err := kube.Contexts(kube.Config{Kubeconfig: path + "-not"}); !errcode.Is(err, errcode.Misconfigured) {
		t.Errorf("missing file: got %v", err)
	}
	if got, err := kube.Contexts(kube.Config{}); err != nil || len(got) != 0 {
		t.Errorf("without any kubeconfig: got %v, %v", got, err)
	}
}
