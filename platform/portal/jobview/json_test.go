package jobview_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/jobview"
)

// TestJSON: bodies keep the digits of their numbers, and the data of Secrets is hidden, also within
// other objects.
func TestJSON(t *testing.T) {
	text, err := jobview.JSON([]byte(`{"kind":"Job","n":12345678901234567890,"spec":{"embedded":{"apiVersion":"v1","kind":"Secret","data":{"a":"hunter2"}}}}`))
	if err != nil || !strings.Contains(string(text), "12345678901234567890") || strings.Contains(string(text), "hunter2") {
		t.Errorf("got %s and error %v, want the number unchanged and the secret hidden", text, err)
	}
	if _, err := jobview.JSON([]byte(`{"apiVersion":"v1","kind":"Secret","data":{"a":"hunter2"}}`)); !errors.Is(err, jobview.ErrSecret) {
		t.Errorf("a Secret: got %v, want ErrSecret", err)
	}
	if _, err := jobview.JSON([]byte(`[]`)); err == nil {
		t.Error("a list is accepted as an object")
	}
}
