package history

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/labels"
	operator "k8s.io/apimachinery/pkg/selection"

	"github.com/vedette-io/vedette/platform/internal/model"
)

// ParseLabels parses a label selector as kubectl -l does: app=train, tier!=test, team in (a,b),
// team notin (a,b), gpu, !legacy, separated by commas. No text is nil, which selects all objects.
// It rejects comparisons of numbers, which the history cannot make, so that a selector that it
// accepts means the same in the history and in a cluster.
func ParseLabels(text string) (labels.Selector, error) {
	if text == "" {
		return nil, nil
	}
	selector, err := labels.Parse(text)
	if err == nil {
		_, err = labelConditions(selector)
	}
	if err != nil {
		return nil, fmt.Errorf("the label selector %.200q: %w; use app=train, tier!=test, team in (a,b), gpu or !legacy, separated by commas", text, err)
	}
	return selector, nil
}

// labelConditions returns the conditions of a selector on objects.
func labelConditions(selector labels.Selector) (all []model.Condition, err error) {
	if selector == nil {
		return nil, nil
	}
	requirements, selectable := selector.Requirements()
	if !selectable {
		return nil, errors.New("it selects nothing")
	}
	for _, r := range requirements {
		switch values := r.ValuesUnsorted(); r.Operator() {
		case operator.Equals, operator.DoubleEquals, operator.In:
			all = append(all, model.Labeled(r.Key(), values...))
		case operator.NotEquals, operator.NotIn:
			all = append(all, model.Unlabeled(r.Key(), values...))
		case operator.Exists:
			all = append(all, model.Labeled(r.Key()))
		case operator.DoesNotExist:
			all = append(all, model.Unlabeled(r.Key()))
		default:
			return nil, fmt.Errorf("labels cannot be compared as numbers with %q", r.Operator())
		}
	}
	return all, nil
}
