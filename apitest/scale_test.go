package apitest_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
)

func TestScale(t *testing.T) {
	for name, shape := range map[string]func(*rest.Config) *rest.Config{
		"json": func(cfg *rest.Config) *rest.Config { return cfg }, "protobuf": protobuf,
	} {
		t.Run(name, func(t *testing.T) {
			srv := start(t, apitest.Config{})
			ctx, client := background(t), clientset(t, shape(srv.RESTConfig()))
			web := &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
				Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
				Status:     appsv1.DeploymentStatus{Replicas: 2},
			}
			create(t, srv, web)
			deployments := client.AppsV1().Deployments("default")
			scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
			if err != nil || scale.Spec.Replicas != 1 || scale.Status.Replicas != 2 || scale.Status.Selector != "app=web" || scale.ResourceVersion != "2" {
				t.Fatalf("scale: got %+v and error %v, want 1 replica wanted, 2 running, app=web, version 2", scale, err)
			}
			stale := scale.DeepCopy()
			scale.Spec.Replicas = 3
			scale, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
			if err != nil || scale.Spec.Replicas != 3 || scale.ResourceVersion != "3" {
				t.Fatalf("update of the scale: got %+v and error %v, want 3 replicas, version 3", scale, err)
			}
			if _, err = deployments.UpdateScale(ctx, "web", stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				t.Errorf("a stale scale: got %v, want a conflict", err)
			}
			scale.Spec.Replicas = -1
			if _, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
				t.Errorf("negative replicas: got %v, want it invalid", err)
			}
			for _, kind := range []types.PatchType{types.MergePatchType, types.StrategicMergePatchType} {
				_, err = deployments.Patch(ctx, "web", kind, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{DryRun: []string{"All"}}, "scale")
				if err != nil {
					t.Errorf("patch %s of the scale, dry run: got %v, want no error", kind, err)
				}
			}
			got, err := deployments.Get(ctx, "web", metav1.GetOptions{})
			if err != nil || *got.Spec.Replicas != 3 || got.Generation != 2 || srv.Version() != 3 {
				t.Errorf("after a dry run: got %v and error %v, want 3 replicas, generation 2, version 3", got, err)
			}
		})
	}
}

// TestScale_OnlyWhereThereIsOne: objects without a scale, and objects that do not exist, cannot be scaled.
func TestScale_OnlyWhereThereIsOne(t *testing.T) {
	srv := start(t, apitest.Config{})
	ctx, client := background(t), clientset(t, srv.RESTConfig())
	create(t, srv, pod("p"), &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rc"}, Spec: corev1.ReplicationControllerSpec{Selector: map[string]string{"a": "b"}},
	})
	if err := client.CoreV1().RESTClient().Get().Namespace("default").Resource("pods").Name("p").SubResource("scale").Do(ctx).Error(); !apierrors.IsNotFound(err) {
		t.Errorf("a pod was scaled: %v", err)
	}
	if _, err := client.AppsV1().Deployments("default").GetScale(ctx, "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("scale of an object that does not exist: %v", err)
	}
	scale, err := client.CoreV1().ReplicationControllers("default").GetScale(ctx, "rc", metav1.GetOptions{})
	if err != nil || scale.Status.Selector != "a=b" {
		t.Errorf("scale of a controller: got %+v and error %v, want selector a=b", scale, err)
	}
	_, lists, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	scales := 0
	for _, list := range lists {
		for _, r := range list.APIResources {
			if strings.HasSuffix(r.Name, "/scale") && r.Kind == "Scale" && r.Group == "autoscaling" {
				scales++
			}
		}
	}
	if scales != 4 {
		t.Errorf("discovery has %d scales", scales)
	}
}
