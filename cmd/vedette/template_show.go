package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/table"
	"github.com/vedette-io/vedette/platform/submit/template"
)

func newTemplateShow() *cobra.Command {
	var o templateSource
	var output string
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show the parameters of a template",
		Long:    "With -o yaml, it prints the file of the template, from which you can make your own. With -o json, it prints the parameters\nfor a form.",
		Example: "  vedette template show pytorch\n\n  # Begin a template of your own\n  vedette template show pytorch -o yaml > templates/finetune.yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("name one template; `vedette template ls` lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.ask(cmd); err != nil {
				return err
			}
			return o.show(cmd.Context(), args[0], output, console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	settings.AddConfig(cmd)
	o.addFlags(cmd)
	o.server.AddFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "format: yaml, json (default: a table)")
	return cmd
}

// shownTemplate is the machine-readable form of a template.
type shownTemplate struct {
	*template.Template
	Parameters []template.Parameter `json:"parameters"`
}

func (o *templateSource) show(ctx context.Context, name, output string, con *console.Console) error {
	if _, err := listing.ParseFormat(output, "yaml", "json"); err != nil {
		return err
	}
	set, err := o.read(ctx, con)
	if err != nil {
		return err
	}
	t, err := set.Get(name)
	if err != nil {
		return err
	}
	switch output {
	case "yaml":
		return con.Document(t.Text())
	case "json":
		text, err := json.MarshalIndent(shownTemplate{t, t.Parameters()}, "", "    ")
		if err != nil {
			return err
		}
		return con.Document(string(text) + "\n")
	}
	return con.Print(describeTemplate(t))
}

// describeTemplate returns a page about a template.
func describeTemplate(t *template.Template) string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name+":", printable.Line(value))
		}
	}
	field("Name", t.Name)
	field("Title", t.Title)
	field("Type", t.Type)
	field("From", t.Source)
	field("Description", t.Description)
	rows := [][]string{{"PARAMETER", "TYPE", "DEFAULT", "RANGE", "HELP"}}
	for _, p := range t.Parameters() {
		rows = append(rows, []string{p.Name, string(p.Type), defaultText(p), rangeText(p), helpText(p)})
	}
	b.WriteString("\n" + table.Lay(rows...))
	fmt.Fprintf(&b, "\nSubmit with: vedette submit --template %s", printable.Line(t.Name))
	for _, name := range required(t) {
		fmt.Fprintf(&b, " --set %s=…", printable.Line(name))
	}
	b.WriteByte('\n')
	return b.String()
}

// defaultText describes the default of a parameter.
func defaultText(p template.Parameter) string {
	switch v := p.Default.(type) {
	case nil:
		if p.Required {
			return "(required)"
		}
		return "-"
	case []string:
		return strings.Join(v, " ")
	case map[string]string:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, name+"="+v[name])
		}
		return strings.Join(all, " ")
	default:
		return fmt.Sprint(v)
	}
}

// rangeText describes the allowed values of a parameter.
func rangeText(p template.Parameter) string {
	switch {
	case len(p.Choices) > 0:
		return strings.Join(p.Choices, " ")
	case p.Pattern != "" || p.Min == nil && p.Max == nil:
		return "-"
	case p.Max == nil:
		return fmt.Sprintf("from %v", p.Min)
	case p.Min == nil:
		return fmt.Sprintf("to %v", p.Max)
	}
	return fmt.Sprintf("%v to %v", p.Min, p.Max)
}

func helpText(p template.Parameter) string {
	text := p.Help
	if text == "" {
		text = p.Title
	}
	if p.Unit != "" {
		text += " (" + p.Unit + ")"
	}
	return text
}
