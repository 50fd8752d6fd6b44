package readapi

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

// TestMapped: a body that is not available is a problem of the request, not a fault of the
// portal.
func TestMapped(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		kind   string
	}{
		{jobview.ErrSecret, http.StatusForbidden, api.ProblemDenied},
		{jobview.ErrLarge, http.StatusUnprocessableEntity, api.ProblemTooLarge},
	} {
		var p *api.Problem
		if err := mapped(fmt.Errorf("write version 7 as YAML: %w", c.err)); !errors.As(err, &p) || p.Status != c.status || p.Type != c.kind {
			t.Errorf("%v: got %v, want status %d and type %s", c.err, err, c.status, c.kind)
		}
	}
}
