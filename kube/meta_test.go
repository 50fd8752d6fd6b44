package kube_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
)

func owned(namespace string, owners ...metav1.OwnerReference) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "p", OwnerReferences: owners}}
}

func TestSetController(t *testing.T) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "j", UID: "u"}}
	friend := metav1.OwnerReference{Kind: "Friend", Name: "f", UID: "f"}
	p := owned("ml", friend)
	for range 2 {
		if err := kube.SetController(p, job); err != nil {
			t.Fatal(err)
		}
		ref, ok := kube.ControllerOf(p)
		if !ok || ref.APIVersion != "batch/v1" || ref.Kind != "Job" || ref.UID != "u" || len(p.OwnerReferences) != 2 || p.OwnerReferences[0] != friend || !*ref.BlockOwnerDeletion {
			t.Errorf("got owners %+v, want the friend and the controlling Job u", p.OwnerReferences)
		}
	}
	if err := kube.SetController(owned(""), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "n"}}); err != nil {
		t.Error(err)
	}
	if _, ok := kube.ControllerOf(owned("ml", friend)); ok {
		t.Error("an owner that is not a controller is returned as the controller")
	}
	custom := trainJob("x")
	custom.UID = "x"
	for want, err := range map[string]error{
		"is nil":                     kube.SetController(nil, job),
		"or its owner is nil":        kube.SetController(p, (*batchv1.Job)(nil)),
		"has no UID":                 kube.SetController(p, &batchv1.Job{}),
		"cannot be determined":       kube.SetController(p, custom),
		"in namespace \"ml\" cannot": kube.SetController(owned("other"), job),
		"already has the controller": kube.SetController(p, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "k", UID: "v"}}),
		"own itself":                 kube.SetController(job, job),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, ok := kube.ControllerOf((*corev1.Pod)(nil)); ok || len(p.OwnerReferences) != 2 {
		t.Error("a failed call changed the object")
	}
}

func TestFinalizers(t *testing.T) {
	p := owned("ml")
	shared := []string{"a", "b"}
	p.Finalizers = shared
	if !kube.AddFinalizer(p, "c") || kube.AddFinalizer(p, "c") || kube.AddFinalizer(p, "") || !kube.HasFinalizer(p, "c") {
		t.Errorf("got the finalizers %q, want c added once", p.Finalizers)
	}
	if !kube.RemoveFinalizer(p, "a") || kube.RemoveFinalizer(p, "a") || !slices.Equal(p.Finalizers, []string{"b", "c"}) || shared[0] != "a" {
		t.Errorf("got finalizers %q, shared %q; want a removed once, and only from the copy", p.Finalizers, shared)
	}
	if p.Finalizers = shared; !kube.RemoveFinalizer(p, "a") || shared[0] != "a" || shared[1] != "b" {
		t.Errorf("the caller's slice was changed to %v", shared)
	}
	if none := (*corev1.Pod)(nil); kube.AddFinalizer(none, "a") || kube.RemoveFinalizer(none, "a") || kube.HasFinalizer(nil, "a") {
		t.Error("got true for a nil object")
	}
}

func TestSetCondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job := trainJob("x")
		job.Generation = 3
		set := func(status metav1.ConditionStatus, reason string) bool {
			t.Helper()
			changed, err := kube.SetCondition(job, &job.Status.Conditions, metav1.Condition{Type: "Ready", Status: status, Reason: reason})
			if err != nil {
				t.Fatal(err)
			}
			return changed
		}
		began := metav1.Now()
		if !set(metav1.ConditionFalse, "Waiting") {
			t.Error("got no change for the first condition")
		}
		<-time.After(time.Hour)
		if set(metav1.ConditionFalse, "Waiting") {
			t.Error("got a change for the same condition")
		}
		job.Generation = 4
		if !set(metav1.ConditionFalse, "StillWaiting") {
			t.Error("got no change for another reason")
		}
		c, ok := kube.FindCondition(job.Status.Conditions, "Ready")
		if !ok || !c.LastTransitionTime.Equal(&began) || c.ObservedGeneration != 4 || c.Reason != "StillWaiting" {
			t.Errorf("got %+v, want the time of the change kept, generation 4 and reason StillWaiting", c)
		}
		if set(metav1.ConditionTrue, "Done"); len(job.Status.Conditions) != 1 || job.Status.Conditions[0].LastTransitionTime.Sub(began.Time) != time.Hour {
			t.Errorf("got conditions %+v, want one, changed an hour later", job.Status.Conditions)
		}
		if _, ok := kube.FindCondition(job.Status.Conditions, "Other"); ok {
			t.Error("found a condition that was not set")
		}
		for _, c := range []metav1.Condition{{}, {Type: "A", Reason: "B"}, {Type: "A", Status: "True"}, {Reason: "B", Status: "True"}, {Type: "A", Reason: "B", Status: "Yes"}} {
			if changed, err := kube.SetCondition(job, &job.Status.Conditions, c); err == nil || changed {
				t.Errorf("got no error for %+v", c)
			}
		}
		if _, err := kube.SetCondition(job, nil, metav1.Condition{Type: "A", Reason: "B", Status: "True"}); err == nil {
			t.Error("got no error for nil conditions")
		}
	})
}
