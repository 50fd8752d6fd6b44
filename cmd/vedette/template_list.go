package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
)

// templateDoc is the machine-readable form of a template in a list.
type templateDoc struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	From        string `json:"from"`
	Replaces    string `json:"replaces"`
	Needs       string `json:"needs"`
	Error       string `json:"error"`
}

var templateColumns = listing.Columns{Always: []string{"NAME", "TYPE", "NEEDS", "FROM"}, Wide: []string{"REPLACES", "DESCRIPTION"}}

func newTemplateList() *cobra.Command {
	var o templateSource
	var output listing.Flags
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List the templates of jobs, and where each comes from",
		Long: "A template in a ConfigMap replaces a built-in one of the same name, and a template in the folder replaces both. The exit\n" +
			"code is 1 if a template is broken. Fields of json, yaml, csv and ndjson: name, type, title, description, from, replaces,\n" +
			"needs, error.",
		Example: "  vedette template ls\n\n  # With templates of your own\n  vedette template ls --templates ./templates -o wide\n\n  # Those of a portal\n  vedette template ls --server https://vedette.example.com",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.ask(cmd); err != nil {
				return err
			}
			return o.list(cmd.Context(), output, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddConfig(cmd)
	o.addFlags(cmd)
	o.server.AddFlags(cmd)
	output.AddFlags(cmd)
	return cmd
}

func (o *templateSource) list(ctx context.Context, output listing.Flags, con *console.Console) error {
	printer, err := listing.NewPrinter(con, output, templateColumns)
	if err != nil {
		return err
	}
	set, err := o.read(ctx, con)
	if err != nil {
		return err
	}
	var broken []error
	for _, e := range set.All() {
		doc := templateDoc{Name: e.Name, From: e.From, Replaces: strings.Join(e.Hides, ", ")}
		if e.Err != nil {
			broken = append(broken, e.Err)
			doc.Error = e.Err.Error()
			doc.Needs = "(broken)"
		} else {
			doc.Type, doc.Title, doc.Description, doc.Needs = e.Template.Type, e.Template.Title, e.Template.Description, strings.Join(required(e.Template), ", ")
		}
		if err := printer.Add(listing.Item{
			Cells: []string{doc.Name, cmp.Or(doc.Type, "-"), cmp.Or(doc.Needs, "-"), doc.From, cmp.Or(doc.Replaces, "-"), cmp.Or(doc.Description, "-")},
			Name:  "template/" + doc.Name, Doc: doc,
		}); err != nil {
			return err
		}
	}
	return errors.Join(append([]error{printer.End()}, broken...)...)
}
