package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes. exitMeanings describes them; docs/submitting.md has the same table.
const (
	exitSuccess    = 0
	exitFailure    = 1
	exitImpossible = 2
	exitTimeout    = 3
	exitEarlier    = 4
	exitInterrupt  = 130
)

// Exit codes of diff, as in kubectl diff.
const (
	exitDiffers    = 1
	exitDiffFailed = 2
)

// exitMeaning is the meaning of an exit code for some commands.
type exitMeaning struct {
	code     int
	commands string // separated by ", "
	text     string
}

// exitMeanings are all exit codes of the program.
var exitMeanings = []exitMeaning{
	{exitSuccess, "all", "The command did what it was asked to do. A command that runs until it is ended, such as `watch`, was ended."},
	{exitFailure, "all but diff", "An error. Nothing is known about the end of a job."},
	{exitImpossible, "wait, submit, retry", "The object, or one of the jobs, ended in another state."},
	{exitTimeout, "wait, submit, retry", "The time of `--timeout` is over."},
	{exitEarlier, "submit, retry", "The job of `--key` had ended before the command began, so there was no run. `--any` counts it."},
	{exitInterrupt, "wait, submit, retry, cancel, release", "Interrupted by Ctrl-C or SIGTERM. A job that was created continues."},
	{exitSuccess, "diff", "The revisions are the same."},
	{exitDiffers, "diff", "The revisions differ."},
	{exitDiffFailed, "diff", "An error. A program in KUBECTL_EXTERNAL_DIFF may have a higher code."},
}

// exitHelp lists the exit codes of a command for its help.
func exitHelp(command string) string {
	var text strings.Builder
	text.WriteString("Exit codes:")
	for _, m := range exitMeanings {
		if slices.Contains(strings.Split(m.commands, ", "), command) || command != "diff" && strings.HasPrefix(m.commands, "all") {
			fmt.Fprintf(&text, "\n  %-3d  %s", m.code, m.text)
		}
	}
	return text.String()
}

// errExit is an error with an exit code.
type errExit struct {
	error
	code int
}

func (e errExit) Unwrap() error { return e.error }

// exitCode gives an error an exit code other than exitFailure. Without an error, the program
// ends with that code and prints nothing.
func exitCode(code int, err error) error {
	if err == nil {
		err = errors.New("")
	}
	return errExit{err, code}
}

// codeOfErrors sets the exit code for errors of a command that have none. It is for diff, in
// which 1 has another meaning.
func codeOfErrors(cmd *cobra.Command, code int) *cobra.Command {
	with := func(_ context.Context, err error) error { return exitCode(code, err) }
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return exitCode(code, fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath()))
	})
	return withCode(cmd, with)
}

// finishes marks a command that has not succeeded if it was interrupted. Other commands run
// until they are interrupted.
func finishes(cmd *cobra.Command) *cobra.Command {
	return withCode(cmd, func(ctx context.Context, err error) error {
		if ctx.Err() == nil {
			return err
		}
		return exitCode(exitInterrupt, err)
	})
}

// withCode passes the errors of a command that have no exit code through a function.
func withCode(cmd *cobra.Command, with func(context.Context, error) error) *cobra.Command {
	wrap := func(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
		if run == nil {
			return nil
		}
		return func(cmd *cobra.Command, args []string) error {
			err := run(cmd, args)
			if err == nil || errors.As(err, new(errExit)) {
				return err
			}
			return with(cmd.Context(), err)
		}
	}
	cmd.Args, cmd.PreRunE, cmd.RunE = wrap(cmd.Args), wrap(cmd.PreRunE), wrap(cmd.RunE)
	return cmd
}
