package template_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/template"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// named is a template with a name, whose title is its source.
func named(name, from string) string {
	return "name: " + name + "\ntype: pods\ntitle: " + from + "\nobject: {apiVersion: v1, kind: Pod}\n"
}

// TestConfigMaps: entries are read in a fixed order. Too many entries are refused as a
// whole. Callers can recognize the error of a server's refusal.
func TestConfigMaps(t *testing.T) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	put := func(name string, data map[string]string) {
		m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name, Labels: map[string]string{template.ConfigMapLabel: "true"}}, Data: data}
		if _, err := srv.Create(m); err != nil {
			t.Fatal(err)
		}
	}
	put("b", map[string]string{"x.yaml": named("x", "b/x"), "readme.md": "x"})
	put("a", map[string]string{"z.yml": named("x", "a/z"), "y.yaml": named("x", "a/y"), "bad.yaml": "name: y"})
	var set template.Set
	if err := set.AddConfigMaps(t.Context(), cluster, "ml"); err != nil {
		t.Fatal(err)
	}
	x, err := set.Get("x")
	if err != nil || x.Title != "b/x" || x.Source != "configmap/ml/b/x.yaml" {
		t.Errorf("got %v and error %v, want template b/x of configmap/ml/b/x.yaml", x, err)
	}
	if _, err := set.Get("y"); err == nil || !strings.Contains(err.Error(), `the template "y" is broken: configmap/ml/a/bad.yaml:1: `) {
		t.Errorf("Get: got error %v, want one with %q", err, `the template "y" is broken: configmap/ml/a/bad.yaml:1: `)
	}
	many := map[string]string{}
	for i := range 500 {
		many[fmt.Sprintf("%d.yaml", i)] = named("many", "c")
	}
	put("c", many)
	set = template.Set{}
	if err := set.AddConfigMaps(t.Context(), cluster, "ml"); err == nil || !strings.Contains(err.Error(), "there are more than 500") || len(set.All()) > 0 {
		t.Errorf("got error %v and %d templates, want that there are more than 500, and none", err, len(set.All()))
	}
	refused := apierrors.NewForbidden(corev1.Resource("configmaps"), "", nil).Status()
	if _, err := srv.Inject(apitest.Fault{Match: apitest.Match{Resource: "configmaps"}, Action: apitest.Respond(refused)}); err != nil {
		t.Fatal(err)
	}
	if err := set.AddConfigMaps(t.Context(), cluster, "ml"); !apierrors.IsForbidden(err) {
		t.Errorf("%v is not a refusal", err)
	}
}

// TestFolder: only template files are read, a broken template has its name, and an
// unreadable file is reported.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": named("x", "a"), "b.yml": named("x", "b"), "c.yaml.bak": "x", ".d.yaml": "x", "e.txt": "x", "f.yaml": "name: \"y\" # broken\nx: [", "g.yaml": "{",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "h.yaml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "i.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "j.yaml")); err != nil {
		t.Fatal(err)
	}
	var set template.Set
	if err := set.AddFolder(dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range set.All() {
		got = append(got, fmt.Sprintf("%s %v %s", e.Name, e.Err == nil, filepath.Base(e.From)))
	}
	if want := "g false g.yaml, i false i.yaml, j false j.yaml, x true b.yml, y false f.yaml"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	if err := set.AddFolder(filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "the folder with templates cannot be read") {
		t.Errorf("AddFolder: got error %v, want one with %q", err, "the folder with templates cannot be read")
	}
}
