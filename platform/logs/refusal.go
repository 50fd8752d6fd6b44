package logs

import (
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
)

// maxWords is the maximum length of a text of a server or a node in a note.
const maxWords = 300

// outcome is the consequence of an error for reading.
type outcome uint8

const (
	again outcome = iota // the error may be temporary
	final                // this log cannot be read, but others can
	fatal                // no log can be read
)

// outcomeOf classifies an error of a request for a log.
func outcomeOf(err error) outcome {
	switch {
	case errcode.Is(err, errcode.Invalid), apierrors.IsUnauthorized(err), apierrors.IsForbidden(err):
		return fatal
	case apierrors.IsBadRequest(err), apierrors.IsNotFound(err), apierrors.IsInvalid(err):
		return final
	}
	return again
}

// words returns the text of the server or the node, as a part of a sentence.
func words(err error) string {
	text := err.Error()
	var status apierrors.APIStatus
	var request *kube.RequestError
	switch {
	case errors.As(err, &status):
		text = status.Status().Message
	case errors.As(err, &request) && request.Err != nil:
		text = request.Err.Error()
	}
	return short(text)
}

// short truncates a text for a note.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + "…"
	}
	return text
}

// clock formats a time for a note.
func clock(t time.Time) string { return t.Local().Format("15:04:05") }
