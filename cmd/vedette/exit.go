package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// errExit is an error with an exit code.
type errExit struct {
	error
	code int
}

func (e errExit) Unwrap() error { return e.error }

// exitCode gives an error an exit code other than 1. Without an error, the program ends with
// that code and prints nothing.
func exitCode(code int, err error) error {
	if err == nil {
		err = errors.New("")
	}
	return errExit{err, code}
}

// codeOfErrors sets the exit code for errors of a command that have none. It is for commands
// in which 1 has another meaning.
func codeOfErrors(cmd *cobra.Command, code int) *cobra.Command {
	with := func(err error) error {
		var e errExit
		if err == nil || errors.As(err, &e) {
			return err
		}
		return exitCode(code, err)
	}
	args, before, run := cmd.Args, cmd.PreRunE, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, a []string) error { return with(args(cmd, a)) }
	cmd.PreRunE = func(cmd *cobra.Command, a []string) error { return with(before(cmd, a)) }
	cmd.RunE = func(cmd *cobra.Command, a []string) error { return with(run(cmd, a)) }
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return with(fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath()))
	})
	return cmd
}
