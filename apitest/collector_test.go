package apitest_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/vedette-io/vedette/apitest"
)

// family is a Deployment with a ReplicaSet, which has a Pod, and a ConfigMap that also has another owner.
type family struct {
	*testing.T
	srv    *apitest.Server
	client kubernetes.Interface
}

func newFamily(t *testing.T, cfg apitest.Config) *family {
	srv := start(t, cfg)
	client, err := kubernetes.NewForConfig(srv.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	f := &family{t, srv, client}
	top := f.create(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "top"}})
	middle := f.create(&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "middle", OwnerReferences: f.owners("apps/v1", "Deployment", top)}})
	f.create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "bottom", OwnerReferences: f.owners("apps/v1", "ReplicaSet", middle)}})
	other := f.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "other"}})
	shared := append(f.owners("apps/v1", "Deployment", top), f.owners("v1", "Secret", other)...)
	shared[1].Controller = nil
	f.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "shared", OwnerReferences: shared}})
	return f
}

func (f *family) create(obj apitest.Object) apitest.Object {
	f.Helper()
	made, err := f.srv.Create(obj)
	if err != nil {
		f.Fatal(err)
	}
	return made
}

func (f *family) owners(apiVersion, kind string, owner apitest.Object) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}}
}

// left returns the names of the objects that exist.
func (f *family) left() (names []string) {
	f.Helper()
	for _, kind := range []apitest.Object{&appsv1.Deployment{}, &appsv1.ReplicaSet{}, &corev1.Pod{}, &corev1.ConfigMap{}} {
		objects, err := f.srv.List(kind, "ml")
		if err != nil {
			f.Fatal(err)
		}
		for _, obj := range objects {
			names = append(names, obj.GetName())
		}
	}
	return names
}

func (f *family) want(what string, names ...string) {
	f.Helper()
	if got := f.left(); !slices.Equal(got, names) {
		f.Errorf("%s: got %q, want %q", what, got, names)
	}
}

func (f *family) deleteTop(policy metav1.DeletionPropagation) {
	f.Helper()
	if err := f.client.AppsV1().Deployments("ml").Delete(f.Context(), "top", metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		f.Error(err)
	}
}

// TestGarbageCollection: dependents go with their last owner, by the policy of the deletion.
func TestGarbageCollection(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		f := newFamily(t, apitest.Config{GarbageCollection: apitest.GarbageGoes})
		f.deleteTop(policy)
		f.want(string(policy), "shared")
		shared, err := f.srv.Get(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "shared"}})
		if err != nil || len(shared.GetOwnerReferences()) != 1 || shared.GetOwnerReferences()[0].Name != "other" {
			t.Errorf("%s: got %v and error %v, want the other owner alone", policy, shared, err)
		}
	}
	f := newFamily(t, apitest.Config{GarbageCollection: apitest.GarbageGoes})
	f.deleteTop(metav1.DeletePropagationOrphan)
	f.want("Orphan", "middle", "bottom", "shared")
	f = newFamily(t, apitest.Config{})
	f.deleteTop(metav1.DeletePropagationForeground)
	f.want("without a collector", "middle", "bottom", "shared")
}

// TestForegroundWaits: an owner that is deleted in the foreground stays until a dependent with a finalizer is gone.
func TestForegroundWaits(t *testing.T) {
	f := newFamily(t, apitest.Config{GarbageCollection: apitest.GarbageGoes})
	middle := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "middle"}}
	hold := func(finalizers ...string) {
		if _, err := apitest.Modify(f.srv, middle, func(r *appsv1.ReplicaSet) { r.Finalizers = finalizers }); err != nil {
			t.Fatal(err)
		}
	}
	hold("example.com/hold")
	f.deleteTop(metav1.DeletePropagationForeground)
	f.want("while the dependent waits", "top", "middle", "bottom", "shared")
	top, err := f.client.AppsV1().Deployments("ml").Get(t.Context(), "top", metav1.GetOptions{})
	if err != nil || top.DeletionTimestamp == nil || !slices.Equal(top.Finalizers, []string{metav1.FinalizerDeleteDependents}) {
		t.Errorf("got %v and error %v, want an owner that waits", top, err)
	}
	hold()
	f.want("after the dependent", "shared")
}

// TestLateDependent: an object that is created for an owner that is gone does not stay.
func TestLateDependent(t *testing.T) {
	f := newFamily(t, apitest.Config{GarbageCollection: apitest.GarbageGoes})
	gone := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "gone", UID: "gone"}}
	late := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "late", OwnerReferences: f.owners("apps/v1", "Deployment", gone)}}
	if _, err := f.client.CoreV1().ConfigMaps("ml").Create(t.Context(), late, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.client.CoreV1().ConfigMaps("ml").Get(t.Context(), "late", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("got error %v, want NotFound", err)
	}
}
