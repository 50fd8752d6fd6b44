package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
)

// showOptions are the flags of show.
type showOptions struct {
	readOptions
	at, output string
}

func newShow(c completions) *cobra.Command {
	var o showOptions
	cmd := &cobra.Command{
		Use:   "show TYPE/NAME",
		Short: "Show an object at a revision or at a time",
		Long: "Show an object at its last revision, at a version, or at a time. The output lacks the fields that are not recorded:\n" +
			"managedFields, the data of Secrets, and redacted fields.",
		Example: "  # The last revision, also of a deleted object\n" +
			"  vedette show job/train-7 -n ml --db sqlite:history.db\n\n" +
			"  # Two hours ago; at a version that `vedette history -o wide` shows\n" +
			"  vedette show job/train-7 -n ml --at 2h\n" +
			"  vedette show job/train-7 -n ml --at 48213 -o json | jq .status",
		Args: oneObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	c.add(cmd, func() *source.Flags { return &o.source }, suggestObjects)
	o.addUID(cmd)
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "", "version or time: 2h, 3d (ago), 15:04, 2026-03-01T15:04:05Z (default: the last revision)")
	f.StringVarP(&o.output, "output", "o", "yaml", "format: yaml, json, name or jsonpath=TEMPLATE")
	return cmd
}

func (o *showOptions) run(ctx context.Context, args []string, con *console.Console) error {
	format, err := listing.ParseFormat(o.output, "yaml", "json", "name", "jsonpath=TEMPLATE")
	if err != nil {
		return err
	}
	h, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	objects, err := o.objects(ctx, h, args)
	if err == nil {
		err = source.OneCluster(objects)
	}
	if err != nil {
		return err
	}
	r, err := h.RevisionAt(ctx, objects, o.at, time.Now())
	if err != nil {
		return err
	}
	fields, err := decodeRevision(ctx, h, r)
	if err != nil {
		return err
	}
	if r.Deleted {
		con.Say("%s %s/%s was deleted at %s; this is its last revision", r.Type, r.Namespace, r.Name, units.Local(r.Object.Gone))
	}
	var text string
	write := con.Document
	switch format.Kind {
	case "", "yaml":
		text, err = objectyaml.Marshal(fields)
	case "json":
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetIndent("", "    ")
		enc.SetEscapeHTML(false)
		err = enc.Encode(fields)
		text = printable.JSON(out.String())
	case "name":
		text, write = printable.Line(source.NameOf(r.Object))+"\n", con.Print
	case "jsonpath":
		text, err = listing.PrintPath(format.Path, fields)
		write = con.Print
	}
	if err != nil {
		return err
	}
	return write(text)
}

// decodeRevision returns the object at a revision, with its version.
func decodeRevision(ctx context.Context, h source.Reader, r source.RevisionAt) (map[string]any, error) {
	body, _, err := h.Body(ctx, r.ID, r.Revision.Version)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // keeps the digits of numbers
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("%s %s/%s at version %v: %w", r.Type, r.Namespace, r.Name, r.Revision.Version, err)
	}
	if metadata, ok := fields["metadata"].(map[string]any); ok {
		metadata["resourceVersion"] = r.Revision.Version.String()
	}
	return fields, nil
}
