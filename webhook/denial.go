package webhook

import (
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Denial is an error that denies a request. Other errors mean that the webhook has failed.
type Denial struct {
	// Status is sent to the client of the API server. Its message is what kubectl prints.
	Status metav1.Status
}

// Error returns the message.
func (d *Denial) Error() string { return d.Status.Message }

// Deny returns an error that denies the request with status 403 and a message for the
// client, formatted as by fmt.Sprintf.
func Deny(format string, args ...any) error {
	return &Denial{metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Message: fmt.Sprintf(format, args...),
	}}
}

// DenyStatus returns an error that denies the request with a status, such as that of
// errors.NewInvalid of k8s.io/apimachinery.
func DenyStatus(status metav1.Status) error {
	status.Status = metav1.StatusFailure
	if status.Code < 400 {
		status.Code = http.StatusForbidden
	}
	if status.Message == "" {
		status.Message = "denied by a webhook"
	}
	return &Denial{status}
}

// denial returns the status of an error that denies a request, and nil for an error that
// does not. In an error that joins several, all of them must be denials.
func denial(err error) *metav1.Status {
	var fields field.ErrorList
	var denials []*Denial
	if !collect(err, &fields, &denials) {
		return nil
	}
	if len(fields) == 0 && len(denials) == 1 {
		status := denials[0].Status
		status.Message = err.Error() // with the text of errors around it
		return &status
	}
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
	var messages []error
	if len(fields) > 0 {
		status.Code, status.Reason, status.Details = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, &metav1.StatusDetails{}
	}
	for _, f := range fields {
		messages = append(messages, f)
		status.Details.Causes = append(status.Details.Causes, metav1.StatusCause{
			Type: metav1.CauseType(f.Type), Message: f.ErrorBody(), Field: f.Field,
		})
	}
	for _, d := range denials {
		messages = append(messages, d)
	}
	status.Message = utilerrors.NewAggregate(messages).Error()
	return &status
}

// collect adds the denials in the tree of an error. It returns false if the tree has
// another error.
func collect(err error, fields *field.ErrorList, denials *[]*Denial) bool {
	switch err := err.(type) {
	case nil:
		return false
	case *Denial:
		*denials = append(*denials, err)
		return true
	case *field.Error:
		*fields = append(*fields, err)
		return true
	case interface{ Unwrap() []error }:
		return collectAll(err.Unwrap(), fields, denials)
	case utilerrors.Aggregate:
		return collectAll(err.Errors(), fields, denials)
	}
	return collect(errors.Unwrap(err), fields, denials)
}

func collectAll(errs []error, fields *field.ErrorList, denials *[]*Denial) bool {
	for _, err := range errs {
		if !collect(err, fields, denials) {
			return false
		}
	}
	return len(errs) > 0
}
