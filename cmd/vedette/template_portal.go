package main

import (
	"context"
	"errors"
	"net/url"

	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// portalTemplates returns the templates of a portal.
//
// Errors: *api.Problem; the portal does not answer.
func portalTemplates(ctx context.Context, c *client.Client) (*template.Set, error) {
	list, err := c.Templates(ctx, url.Values{"text": {"true"}})
	if err != nil {
		return nil, err
	}
	set := new(template.Set)
	for _, t := range list.Templates {
		made, err := template.Parse(t.Source, []byte(t.Text))
		set.AddEntry(template.Entry{Name: t.Name, From: t.From, Template: made, Err: err, Hides: t.Replaces})
	}
	for _, b := range list.Broken {
		mistakes := make([]error, len(b.Mistakes))
		for i, text := range b.Mistakes {
			mistakes[i] = errors.New(text)
		}
		set.AddEntry(template.Entry{Name: b.Name, From: b.From, Hides: b.Replaces, Err: errors.Join(mistakes...)})
	}
	return set, nil
}
