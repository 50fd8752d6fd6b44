package kube

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetCondition sets the condition of a type among conditions, which belong to the
// status of obj, and reports whether that changed anything. Its observedGeneration
// is the generation of obj, unless want has one. Its lastTransitionTime changes
// only where its status does, to that of want or else to now. Nothing is sent.
//
// Errors: *IllegalError for a condition that no server takes.
func SetCondition(obj metav1.Object, conditions *[]metav1.Condition, want metav1.Condition) (changed bool, err error) {
	switch {
	case isNil(obj) || conditions == nil:
		return false, &IllegalError{Problem: "the object or its conditions are nil"}
	case want.Type == "" || want.Reason == "":
		return false, &IllegalError{Problem: fmt.Sprintf("condition %q has no type or no reason", want.Type), Remedy: "state both, the reason in one word"}
	case want.Status != metav1.ConditionTrue && want.Status != metav1.ConditionFalse && want.Status != metav1.ConditionUnknown:
		return false, &IllegalError{Problem: fmt.Sprintf("condition %s can not be %q", want.Type, want.Status), Remedy: "it is True, False or Unknown"}
	}
	if want.ObservedGeneration == 0 {
		want.ObservedGeneration = obj.GetGeneration()
	}
	if want.LastTransitionTime.IsZero() {
		want.LastTransitionTime = metav1.NewTime(time.Now().Truncate(time.Second))
	}
	for i := range *conditions {
		have := &(*conditions)[i]
		if have.Type != want.Type {
			continue
		}
		if have.Status == want.Status {
			want.LastTransitionTime = have.LastTransitionTime
		}
		changed = *have != want
		*have = want
		return changed, nil
	}
	*conditions = append(*conditions, want)
	return true, nil
}

// FindCondition returns the condition of a type; ok is false where there is none.
func FindCondition(conditions []metav1.Condition, conditionType string) (c metav1.Condition, ok bool) {
	for _, c := range conditions {
		if c.Type == conditionType {
			return c, true
		}
	}
	return c, false
}
