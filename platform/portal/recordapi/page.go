package recordapi

import (
	"errors"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// IDInput identifies an object.
type IDInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The ID of the object in the database"`
}

// PageInput selects a page.
type PageInput struct {
	Limit int    `query:"limit" minimum:"0" maximum:"1000" doc:"How many, 100 by default"`
	After string `query:"after" maxLength:"2048" doc:"The cursor of the page before"`
	Order string `query:"order" enum:"newest,oldest" default:"newest" doc:"Which come first"`
}

func (in *PageInput) paging() history.Paging {
	p := history.Paging{After: history.Cursor(in.After), Limit: in.Limit}
	if in.Order == "oldest" {
		p.Order = history.OldestFirst
	}
	return p
}

// each converts a list. The list of the API is never null.
func each[A, B any](all []A, of func(*A) B) []B {
	out := make([]B, len(all))
	for i := range all {
		out[i] = of(&all[i])
	}
	return out
}

// mapped returns the problem of an error of the history.
func mapped(err error) error {
	switch {
	case errors.Is(err, history.ErrNoBody):
		return web.Gone("Retention has removed the content of this revision. Its state and its times remain.")
	case errors.Is(err, history.ErrUnknown):
		return web.Unknown("There is no such object or revision.")
	case errors.Is(err, history.ErrCursor):
		return web.Invalid("The cursor is not one of this list. Begin again without it.", api.FieldProblem{Field: "after", Message: "not a cursor of this list"})
	case errors.Is(err, jobview.ErrSecret):
		return web.Denied("The data of Secrets is not shown.", "")
	}
	return err
}
