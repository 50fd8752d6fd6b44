package main

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/internal/gotool"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/internal/scaffold"
)

const newExample = `  # A controller of a custom resource of your own, in the folder trainer
  vedette new controller trainer --for example.com/v1/TrainJob

  # A controller of a built-in type
  vedette new controller cleaner --for batch/v1/Job --module github.com/you/cleaner

  # Then
  cd trainer && make test && make run`

const newLong = `The module has a main function, a reconcile function with a test, an image, and manifests with the rights that the program
uses. The files are yours: nothing generates them again.`

func newNew() *cobra.Command {
	cmd := &cobra.Command{
		Use: "new", Short: "Write a new Go module with a controller", Example: newExample, Long: newLong, Args: cobra.NoArgs,
	}
	cmd.AddCommand(newNewController())
	return cmd
}

func newNewController() *cobra.Command {
	var (
		o             scaffold.Options
		forType       string
		clusterScoped bool
		noTidy        bool
	)
	cmd := &cobra.Command{
		Use:     "controller NAME --for GROUP/VERSION/KIND",
		Short:   "Write a new Go module with a controller",
		Long:    newLong,
		Example: newExample,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			con := console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			o.Name = args[0]
			o.Dir, o.Version = cmp.Or(o.Dir, o.Name), version()
			if o.Type, err = scaffold.ParseType(forType, clusterScoped); err != nil {
				return err
			}
			project, err := scaffold.New(o)
			if err != nil {
				return err
			}
			if err := project.Write(); err != nil {
				return err
			}
			if !noTidy {
				con.Say("downloading the modules that it needs …")
				if err := project.Tidy(cmd.Context()); err != nil {
					return tidyFailed(con, o.Dir, err)
				}
			}
			dir := printable.Line(o.Dir)
			return con.Print("Wrote a controller of " + o.Type.Resource() + " to " + dir + ". Next:\n\n  cd " + dir + "\n  make test\n")
		},
	}
	cmd.Flags().StringVar(&forType, "for", "", "type of the objects: group/version/kind, or v1/Pod for the core group (required)")
	cmd.Flags().StringVar(&o.Module, "module", "", "path of the Go module (default example.com/NAME)")
	cmd.Flags().StringVar(&o.Dir, "dir", "", "folder of the module (default NAME)")
	cmd.Flags().StringVar(&o.Vedette, "vedette", "", "folder of the source of Vedette (default: the release of this program)")
	cmd.Flags().BoolVar(&clusterScoped, "cluster-scoped", false, "the custom resource belongs to no namespace")
	cmd.Flags().BoolVar(&noTidy, "no-tidy", false, "do not run go mod tidy")
	_ = cmd.MarkFlagRequired("for")
	return cmd
}

// tidyFailed shows the output of go mod tidy. The files exist by then.
func tidyFailed(con *console.Console, dir string, err error) error {
	var failed *gotool.Error
	if errors.As(err, &failed) {
		for line := range strings.Lines(failed.Output) {
			con.Say("%s", strings.TrimSuffix(line, "\n"))
		}
	}
	return errors.Join(errors.New("the files are in "+dir+", but go.mod is not complete: run go mod tidy there"), err)
}
