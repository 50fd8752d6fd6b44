package submit_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit/manifest"
	"github.com/vedette-io/vedette/wire"
)

// testRights: a user who may not submit gets an error with the role that grants the
// right. After an administrator has created the role, the same command works.
func testRights(t *testing.T, s *stage) {
	admin := s.connect(t, s.plane.RESTConfig())
	for _, user := range []string{"wei@example.com", "system:serviceaccount:ci:runner", "\u202eeve: \"- {x"} {
		config := s.kubeconfig(t, user)
		text := strings.Replace(jobText, "name: train-7", "generateName: train-", 1)
		code, out, errs := s.run(t, config, text, "submit", "-f", "-")
		if code != 1 || out != "" || strings.ContainsAny(errs, "\x1b\u202e") || !strings.Contains(errs, "may not create jobs.batch in the namespace team-rights; ask for this role") {
			t.Errorf("%q: exit code %d\n%s%s", user, code, out, errs)
		}
		code, role, errs := s.run(t, config, text, "submit", "-f", "-", "-o", "yaml")
		if code != 1 {
			t.Errorf("%q: exit code %d\n%s%s", user, code, role, errs)
		}
		all, err := manifest.Parse(t.Context(), "role", []byte(role))
		if err != nil || len(all) != 2 {
			t.Fatalf("%v in\n%s", err, role)
		}
		for _, m := range all {
			create(t, admin, m.Object)
		}
		code, out, errs = s.run(t, config, text, "submit", "-f", "-", "-o", "name")
		if code != 0 || !strings.HasPrefix(out, "job.batch/train-") {
			t.Errorf("%q, with the role: exit code %d\n%s%s", user, code, out, errs)
		}
		name := strings.TrimPrefix(strings.TrimSpace(out), "job.batch/")
		j, err := s.client.BatchV1().Jobs(s.namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil || j.Annotations[job.SubmitterAnnotation] != user {
			t.Errorf("%v: submitter %q, want %q", err, j.Annotations[job.SubmitterAnnotation], user)
		}
		for _, m := range all {
			remove(t, admin, m.Object)
		}
	}
}

// client returns a client for the type of an object.
func client(t *testing.T, cluster *kube.Cluster, object *unstructured.Unstructured) *kube.Client[unstructured.Unstructured] {
	t.Helper()
	gvk := object.GroupVersionKind()
	c, err := kube.For[unstructured.Unstructured](cluster, kube.ClientConfig{Resource: gvk.Kind + "." + gvk.Version + "." + gvk.Group})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func create(t *testing.T, cluster *kube.Cluster, object *unstructured.Unstructured) {
	t.Helper()
	if _, err := client(t, cluster, object).Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, cluster *kube.Cluster, object *unstructured.Unstructured) {
	t.Helper()
	if err := client(t, cluster, object).Delete(t.Context(), wire.Key{Namespace: object.GetNamespace(), Name: object.GetName()}, kube.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
