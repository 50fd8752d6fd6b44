package writeapi

import (
	"context"
	"strings"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

type endSessionsInput struct{ Body api.EndSessionsRequest }

// endSessions ends all sessions of a person, for an operator.
func endSessions(ctx context.Context, w *writer, in *endSessionsInput) (*api.Act, error) {
	person := strings.TrimSpace(in.Body.Person)
	err := w.audited(ctx, api.AuditEntry{Act: "end sessions", Object: person}, func() (string, error) {
		switch err := w.operates(ctx); {
		case err != nil:
			return "", err
		case w.cfg.EndSessions == nil:
			return "", web.Conflict("Nobody signs in to this portal, so there are no sessions.")
		case person == "":
			return "", web.Invalid("Name a person.", api.FieldProblem{Field: "person", Message: "is missing"})
		}
		return "", w.cfg.DB.Explain(w.cfg.EndSessions(ctx, person))
	})
	if err != nil {
		return nil, err
	}
	return &api.Act{Done: "All sessions of " + person + " have ended. Revoke tokens where they were issued.", Count: 1}, nil
}
