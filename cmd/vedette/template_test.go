package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// smallTemplate is a template with a name and a label for its origin.
func smallTemplate(name, from string) string {
	return "name: " + name + "\ntype: jobs.batch\ndescription: from " + from + "\nparameters: [{name: image, required: true}]\n" +
		"object: {apiVersion: batch/v1, kind: Job, metadata: {generateName: x-}, spec: {template: {spec: {containers: [{name: a, image: \"${image}\"}]}}}}\n"
}

func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ran runs the program to its end.
func ran(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	p := start(t, args...)
	code = p.end()
	return p.out.String(), p.err.String(), code
}

// TestTemplateList checks that templates of ConfigMaps and of a folder replace built-in ones, and that
// a broken template is reported and hides no other.
func TestTemplateList(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	labeled := metav1.ObjectMeta{Namespace: "vedette", Name: "team", Labels: map[string]string{"vedette.io/templates": "true"}}
	srv.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "vedette"}},
		&corev1.ConfigMap{ObjectMeta: labeled, Data: map[string]string{
			"job.yaml": smallTemplate("job", "map"), "tune.yaml": smallTemplate("tune", "map"), "notes.txt": "no template", "evil.yaml": "name: evil\n\x1b[2J",
		}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "vedette", Name: "other"}, Data: map[string]string{"other.yaml": smallTemplate("other", "map")}})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "tune.yaml"), smallTemplate("tune", "folder"))
	writeFile(t, filepath.Join(dir, "broken.yml"), "name: ray\ntype: rayjobs.ray.io\nparameter: []\nobject: {}\n")
	writeFile(t, filepath.Join(dir, ".tune.yaml.swp"), "x")

	out, errs, code := ran(t, "template", "ls", "--kubeconfig", srv.kubeconfig, "--templates-namespace", "vedette", "--templates", dir, "-o", "csv")
	if code != 1 {
		t.Errorf("exit code %d with a broken template", code)
	}
	for _, want := range []string{
		"\njob,jobs.batch,,from map,configmap/vedette/team/job.yaml,built in,image,\n",
		"\ntune,jobs.batch,,from folder," + dir + "/tune.yaml,configmap/vedette/team/tune.yaml,image,\n",
		"\npytorch,pytorchjobs.kubeflow.org,", "\nray,,,," + dir + "/broken.yml,built in,(broken),", "\nevil,,,,configmap/vedette/team/evil.yaml,",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\nother,") || strings.Count(out, "\ntune,") != 1 || strings.Count(out, "\njob,") != 1 {
		t.Errorf("ConfigMaps without the label count, or a template is there twice:\n%s", out)
	}
	if !strings.Contains(errs, dir+`/broken.yml:3: a template has no field "parameter"`) || !strings.Contains(errs, "evil.yaml") {
		t.Errorf("mistakes are not reported: %s", errs)
	}
	if strings.ContainsAny(errs, "\x1b") {
		t.Errorf("got control characters, want none: %q", errs)
	}
	if _, errs, code := ran(t, "template", "show", "ray", "--kubeconfig", srv.kubeconfig, "--templates", dir); code != 1 || !strings.Contains(errs, `the template "ray" is broken`) {
		t.Errorf("a broken template gives way to a built-in one: %d %s", code, errs)
	}
}

func TestTemplateShow(t *testing.T) {
	t.Parallel()
	alone := []string{"--templates-namespace", ""}
	show := func(args ...string) (string, string, int) {
		return ran(t, append(append([]string{"template", "show"}, args...), alone...)...)
	}
	out, errs, code := show("pytorch")
	if code != 0 || !strings.Contains(out, "\ngpus            integer   1               0 to 1024   GPUs of each Pod\n") || !strings.Contains(out, "--template pytorch --set image=…") {
		t.Errorf("template show: exit code %d, said %s, printed\n%s\nwant 0, the table and an example", code, errs, out)
	}
	text, _, _ := show("pytorch", "-o", "yaml")
	path := writeFile(t, filepath.Join(t.TempDir(), "own.yaml"), text)
	if _, errs, code := ran(t, "template", "check", path); code != 0 || !strings.Contains(errs, "It made no job: set image") {
		t.Errorf("what show prints is no template: %d %s", code, errs)
	}
	if out, _, _ := show("ray", "-o", "json"); !strings.Contains(out, `"name": "command",`) || !strings.Contains(out, `"required": true`) {
		t.Errorf("template show -o json: got %s, want the required parameter command", out)
	}
	if _, errs, code := show("pytorhc"); code != 1 || !strings.Contains(errs, `there is no template "pytorhc"; there are job, jobset, pytorch, ray, trainjob, volcano`) {
		t.Errorf("template show of a misspelled name: exit code %d, said %s; want 1 and the names", code, errs)
	}
}

func TestTemplateCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := writeFile(t, filepath.Join(dir, "good.yaml"), smallTemplate("good", "x"))
	bad := writeFile(t, filepath.Join(dir, "bad.yaml"), "name: Bad\ntype: jobs.batch\nobject: {}\nchecks: [{check: gpu > 1}]\n")
	out, errs, code := ran(t, "template", "check", good, bad, "--set", "image=a: {b", "-o", "yaml")
	if code != 1 || !strings.Contains(out, "image: 'a: {b'\n") {
		t.Errorf("template check: exit code %d, said %s, printed\n%s\nwant 1 and the manifest of the good one", code, errs, out)
	}
	for _, want := range []string{
		bad + `:1: the name "Bad" must have`, bad + ":4: message is missing", bad + ":4: in \"gpu > 1\", at column 1: undeclared reference to 'gpu'",
		bad + ":3: the object's apiVersion is missing", "good.yaml: template good has no mistakes",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("%q is not in\n%s", want, errs)
		}
	}
	if _, errs, code := ran(t, "template", "check", good, "--set", "imag=x"); code != 1 || !strings.Contains(errs, `there is no parameter "imag"; there are image`) {
		t.Errorf("template check with a misspelled parameter: exit code %d, said %s; want 1 and the parameters", code, errs)
	}
	if _, errs, code := ran(t, "template", "check", "/dev/zero"); code != 1 || !strings.Contains(errs, "a template is a file of at most") {
		t.Errorf("template check of /dev/zero: exit code %d, said %s; want 1 and the limit", code, errs)
	}
}
