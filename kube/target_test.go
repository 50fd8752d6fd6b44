package kube_test

import (
	"fmt"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	v1alpha1 "github.com/vedette-io/vedette/kube/testdata/v1alpha1"
)

var volcano = schema.GroupVersion{Group: "batch.volcano.sh", Version: "v1alpha1"}

// of returns a function that returns the target of a Go type.
func of[T any](cfg kube.TypeConfig) func() (kube.Target, error) {
	return func() (kube.Target, error) { return kube.TargetOf[T](cfg) }
}

func TestTargetOf(t *testing.T) {
	custom := runtime.NewScheme()
	custom.AddKnownTypeWithName(trainJobs.GroupVersionKind(), &Registered{})
	for _, c := range []struct {
		of   func() (kube.Target, error)
		want string
	}{
		{of[corev1.Pod](kube.TypeConfig{}), "Pod.v1."},
		{of[corev1.Pod](kube.TypeConfig{Resource: "po"}), "Pod.v1."},
		{of[batchv1.Job](kube.TypeConfig{}), "Job.v1.batch"},
		{of[batchv1.Job](kube.TypeConfig{Scheme: runtime.NewScheme()}), "Job.v1.batch"},
		{of[rbacv1.Role](kube.TypeConfig{}), "Role.v1.rbac.authorization.k8s.io"},
		{of[autoscalingv1.HorizontalPodAutoscaler](kube.TypeConfig{Resource: "horizontalpodautoscalers"}), "HorizontalPodAutoscaler.v1.autoscaling"},
		{of[Registered](kube.TypeConfig{Scheme: custom}), "TrainJob.v1.example.com"},
		{of[Job](kube.TypeConfig{}), "Job"},
		{of[Job](kube.TypeConfig{GroupVersion: volcano}), "Job.v1alpha1.batch.volcano.sh"},
		{of[Job](kube.TypeConfig{Resource: "jobs.batch.volcano.sh"}), "jobs.batch.volcano.sh"},
		{of[Job](kube.TypeConfig{Resource: "vcjob", GroupVersion: volcano}), "vcjob.v1alpha1.batch.volcano.sh"},
		{of[v1alpha1.Job](kube.TypeConfig{}), "Job.v1alpha1"},
		{of[v1alpha1.Job](kube.TypeConfig{Resource: "jobs.batch.volcano.sh"}), "jobs.v1alpha1.batch.volcano.sh"},
		{of[unstructured.Unstructured](kube.TypeConfig{Resource: "jobs", GroupVersion: volcano}), "jobs.v1alpha1.batch.volcano.sh"},
		{of[metav1.PartialObjectMetadata](kube.TypeConfig{Resource: "pods"}), "pods"},
	} {
		if got, err := c.of(); err != nil || got.String() != c.want {
			t.Errorf("got %v, %v, want %s", got, err, c.want)
		}
	}
}

// TestNoTarget checks that a Go type that is not an API type, or that does not agree with
// the configuration, is rejected without a request.
func TestNoTarget(t *testing.T) {
	for _, c := range []struct {
		of   func() (kube.Target, error)
		want string
	}{
		{of[corev1.PodList](kube.TypeConfig{}), "v1.PodList is a list of objects; use v1.Pod"},
		{of[unstructured.UnstructuredList](kube.TypeConfig{Resource: "pods"}), "use unstructured.Unstructured"},
		{of[metav1.PartialObjectMetadataList](kube.TypeConfig{Resource: "pods"}), "use v1.PartialObjectMetadata"},
		{of[corev1.PodSpec](kube.TypeConfig{}), "v1.PodSpec is not the struct of an API type"},
		{of[corev1.PodSpec](kube.TypeConfig{Resource: "pods"}), "v1.PodSpec is not the struct of an API type"},
		{of[*corev1.Pod](kube.TypeConfig{}), "*v1.Pod is a pointer; use v1.Pod"},
		{of[**corev1.Pod](kube.TypeConfig{}), "is not the struct"},
		{of[int](kube.TypeConfig{}), "int is not the struct"},
		{of[any](kube.TypeConfig{}), "is not the struct"},
		{of[metav1.Object](kube.TypeConfig{}), "is not the struct"},
		{of[struct{}](kube.TypeConfig{}), "is not the struct"},
		{of[metav1.ObjectMeta](kube.TypeConfig{}), "is not the struct"},
		{of[Generic[int]](kube.TypeConfig{}), "not the name of a kind"},
		{of[unstructured.Unstructured](kube.TypeConfig{}), "name it in Resource"},
		{of[unstructured.Unstructured](kube.TypeConfig{Resource: "a/b"}), "is not the name of a type"},
		{of[unstructured.Unstructured](kube.TypeConfig{Resource: ".."}), "is not the name of a type"},
		{of[unstructured.Unstructured](kube.TypeConfig{Resource: "jobs.batch", GroupVersion: volcano}), "not in the GroupVersion"},
		{of[corev1.Pod](kube.TypeConfig{Resource: "jobs.batch"}), `the Resource "jobs.batch" does not name v1.Pod, which is v1 Pod`},
		{of[corev1.Pod](kube.TypeConfig{GroupVersion: volcano}), "v1.Pod is not of the GroupVersion"},
		{of[autoscalingv1.HorizontalPodAutoscaler](kube.TypeConfig{Resource: "horizontalpodautoscalers.v2.autoscaling"}), "which is autoscaling/v1 HorizontalPodAutoscaler"},
		{of[Job](kube.TypeConfig{Resource: "jobs.batch", GroupVersion: volcano}), "not in the GroupVersion"},
	} {
		_, err := c.of()
		if !errcode.Is(err, errcode.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestTargetBindsTheRequest checks that requests use the group and version of the Go
// type, whatever other types the server has, and that an ambiguous type is an error with
// the choices.
func TestTargetBindsTheRequest(t *testing.T) {
	alpha := apitest.Type{Group: "batch.volcano.sh", Version: "v1alpha1", Kind: "Job", Namespaced: true, ShortNames: []string{"vcjob"}}
	beta := alpha
	beta.Version = "v1beta1"
	for _, c := range []struct {
		name  string
		types []apitest.Type
		of    func() (kube.Target, error)
		want  string
	}{
		{"built in", []apitest.Type{alpha}, of[batchv1.Job](kube.TypeConfig{}), "/apis/batch/v1/jobs"},
		{"built in, with a name", nil, of[autoscalingv1.HorizontalPodAutoscaler](kube.TypeConfig{Resource: "horizontalpodautoscalers"}), "/apis/autoscaling/v1/horizontalpodautoscalers"},
		{"kind alone, only built in", nil, of[Job](kube.TypeConfig{}), "only the built-in jobs.v1.batch"},
		{"name alone, only built in", nil, of[Job](kube.TypeConfig{Resource: "jobs"}), "only the built-in jobs.v1.batch"},
		{"kind alone, two groups", []apitest.Type{alpha}, of[Job](kube.TypeConfig{}), "jobs.v1.batch, jobs.v1alpha1.batch.volcano.sh; set GroupVersion"},
		{"group version", []apitest.Type{alpha, beta}, of[Job](kube.TypeConfig{GroupVersion: volcano}), "/apis/batch.volcano.sh/v1alpha1/jobs"},
		{"name with the group", []apitest.Type{alpha}, of[Job](kube.TypeConfig{Resource: "jobs.batch.volcano.sh"}), "/apis/batch.volcano.sh/v1alpha1/jobs"},
		{"name with the group, two versions", []apitest.Type{alpha, beta}, of[Job](kube.TypeConfig{Resource: "jobs.batch.volcano.sh"}), "jobs.v1beta1.batch.volcano.sh, jobs.v1alpha1.batch.volcano.sh; set"},
		{"name with the version", []apitest.Type{alpha, beta}, of[Job](kube.TypeConfig{Resource: "jobs.v1alpha1.batch.volcano.sh"}), "/apis/batch.volcano.sh/v1alpha1/jobs"},
		{"version of the package", []apitest.Type{alpha, beta}, of[v1alpha1.Job](kube.TypeConfig{Resource: "jobs.batch.volcano.sh"}), "/apis/batch.volcano.sh/v1alpha1/jobs"},
		{"version of the package is not served", []apitest.Type{beta}, of[v1alpha1.Job](kube.TypeConfig{Resource: "jobs.batch.volcano.sh"}), "not in version v1alpha1"},
		{"another version by its name", []apitest.Type{beta}, of[v1alpha1.Job](kube.TypeConfig{Resource: "jobs.v1beta1.batch.volcano.sh"}), "/apis/batch.volcano.sh/v1beta1/jobs"},
		{"group version is not served", []apitest.Type{beta}, of[Job](kube.TypeConfig{GroupVersion: volcano}), `no resource type "Job.v1alpha1.batch.volcano.sh"`},
		{"another resource of the group", []apitest.Type{trainJobs}, of[Registered](kube.TypeConfig{Resource: "others", GroupVersion: schema.GroupVersion{Group: "example.com", Version: "v1"}}), `no resource type "others.v1.example.com"`},
		{"a part of a built-in", nil, of[Job](kube.TypeConfig{Resource: "jobs.v1.batch"}), "/apis/batch/v1/jobs"},
		{"a part of a built-in of the core group", nil, of[Job](kube.TypeConfig{Resource: "pods"}), "/api/v1/pods"},
		{"as kubectl", []apitest.Type{alpha}, of[unstructured.Unstructured](kube.TypeConfig{Resource: "jobs"}), "/apis/batch/v1/jobs"},
		{"as kubectl, short", []apitest.Type{alpha}, of[unstructured.Unstructured](kube.TypeConfig{Resource: "vcjob"}), "/apis/batch.volcano.sh/v1alpha1/jobs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			srv, cluster := serve(t, apitest.Config{Types: c.types})
			target, err := c.of()
			if err != nil {
				t.Fatal(err)
			}
			stream, err := cluster.Source(target, kube.Selection{Namespace: "ml"}).List(t.Context(), metav1.ListOptions{})
			if err == nil {
				stream.Body.Close()
			}
			got := fmt.Sprint(err)
			for _, r := range srv.Requests() {
				if r.Verb == apitest.VerbList {
					got = strings.ReplaceAll(r.Path, "/namespaces/ml", "")
				}
			}
			if got != c.want && (strings.HasPrefix(c.want, "/") || !strings.Contains(got, c.want)) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
