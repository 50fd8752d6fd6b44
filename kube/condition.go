package kube

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/errcode"
)

// SetCondition adds or replaces the condition of want's type in conditions, which belong
// to the status of obj, and reports whether conditions changed. observedGeneration is the
// generation of obj unless want has one. lastTransitionTime changes only if the status of
// the condition changes: to that of want, or else to now. SetCondition sends nothing.
//
// Errors: errcode.Invalid for a condition that no server accepts.
func SetCondition(obj metav1.Object, conditions *[]metav1.Condition, want metav1.Condition) (changed bool, err error) {
	switch {
	case isNil(obj) || conditions == nil:
		return false, &errcode.Error{Code: errcode.Invalid, Problem: "the object or its conditions are nil"}
	case want.Type == "" || want.Reason == "":
		return false, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("condition %q has no type or no reason", want.Type), Remedy: "state both, the reason in one word"}
	case want.Status != metav1.ConditionTrue && want.Status != metav1.ConditionFalse && want.Status != metav1.ConditionUnknown:
		return false, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the status of condition %s cannot be %q", want.Type, want.Status), Remedy: "use True, False or Unknown"}
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

// FindCondition returns the condition of a type. ok is false if there is no such
// condition.
func FindCondition(conditions []metav1.Condition, conditionType string) (c metav1.Condition, ok bool) {
	for _, c := range conditions {
		if c.Type == conditionType {
			return c, true
		}
	}
	return c, false
}
