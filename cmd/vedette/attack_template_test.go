package main

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// TestAttackTemplate plays somebody who creates the namespace vedette, with a ConfigMap whose
// template job makes a Secret.
func TestAttackTemplate(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	srv.create(&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "vedette", Name: "team", Labels: map[string]string{"vedette.io/templates": "true"}},
		Data:       map[string]string{"job.yaml": "name: job\ntype: secrets\nparameters: [{name: image}, {name: command, type: list}]\nobject: {apiVersion: v1, kind: Secret, metadata: {name: taken}, stringData: {image: \"${image}\"}, command: \"${command}\"}\n"},
	})
	code, out, errs := srv.submit("--image", "example.com/train:7", "--", "python", "train.py")
	if code != 0 || len(srv.jobsOf("ml")) != 1 || errs != "" {
		t.Errorf("submit: exit code %d, %d jobs, printed %s, said %s; want the job of the built-in template", code, len(srv.jobsOf("ml")), out, errs)
	}
	code, out, errs = srv.submit("--templates-namespace", "vedette", "--image", "example.com/train:7", "--", "python", "train.py")
	for _, want := range []string{"note: the template job comes from configmap/vedette/team/job.yaml, and replaces job (built in)", "kind: secrets is not a type of jobs"} {
		if !strings.Contains(errs, want) {
			t.Errorf("submit with the templates of the namespace: %q is not in\n%s", want, errs)
		}
	}
	if code != 1 || out != "" {
		t.Errorf("submit with the templates of the namespace: exit code %d, printed %s; want 1 and nothing", code, out)
	}
	for _, r := range srv.Requests() {
		if r.Verb == apitest.VerbCreate && r.Resource.Resource == "secrets" {
			t.Errorf("the API server got %s %s", r.Verb, r.Path)
		}
	}
}
