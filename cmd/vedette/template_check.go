package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// templateCheckOptions are the flags of template check.
type templateCheckOptions struct {
	sets   []string
	output string
}

func newTemplateCheck() *cobra.Command {
	var o templateCheckOptions
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Check templates without a cluster, and show the jobs that they make",
		Long: "It reports all mistakes at once, with their lines, and the exit code is 1 if there is one. A template whose parameters all\n" +
			"have values makes its job, too. The server checks that job with `vedette submit --templates FOLDER --template NAME --dry-run`.",
		Example: "  vedette template check templates/*.yaml\n\n" +
			"  # The job that a template makes\n" +
			"  vedette template check finetune.yaml --set image=example.com/train:7 -o yaml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("name the files of templates")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			if _, err := listing.ParseFormat(o.output, "yaml"); err != nil {
				return err
			}
			var errs []error
			for _, path := range args {
				errs = append(errs, o.check(path, con))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "value of a parameter as NAME=VALUE")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "format of the job: yaml (default: the job is not shown)")
	return cmd
}

func (o *templateCheckOptions) check(path string, con *console.Console) error {
	t, err := template.Load(path)
	if err != nil {
		return err
	}
	values, err := t.Values(o.sets)
	if err != nil {
		return err
	}
	var missing []string
	for _, name := range required(t) {
		if values[name] == nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		con.Say("%s: template %s has no mistakes. It made no job: set %s", path, t.Name, strings.Join(missing, ", "))
		return nil
	}
	m, err := t.Render(values)
	if err != nil {
		return err
	}
	con.Say("%s: template %s has no mistakes, and made a job of type %s", path, t.Name, t.Type)
	if o.output == "" {
		return nil
	}
	text, err := objectyaml.Marshal(m.Object.Object)
	if err != nil {
		return err
	}
	return con.Document("---\n" + text)
}
