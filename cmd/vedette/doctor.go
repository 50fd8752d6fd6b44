package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/internal/table"
)

// verdict is the outcome of a check.
type verdict string

const (
	fine    verdict = "ok"
	warning verdict = "warning"
	failed  verdict = "failed"
)

// check is the result of one check.
type check struct {
	Verdict verdict `json:"status"`
	// Check names what was checked, and Of where: a cluster, or the database.
	Check string `json:"check"`
	Of    string `json:"of,omitempty"`
	// Found is what the check found. Remedy is what to do about it.
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// maxSkew is how far clocks may differ before times in the history mislead. An API server
// reports its clock in whole seconds.
const maxSkew = 2 * time.Second

// findings collects the results of checks.
type findings struct {
	of  string
	all []check
}

func (f *findings) note(v verdict, name, found, remedy string) {
	f.all = append(f.all, check{v, name, f.of, oneLine(found), remedy})
}

func (f *findings) ok(name, format string, args ...any) {
	f.note(fine, name, fmt.Sprintf(format, args...), "")
}

// fails adds an error. The error itself says what to do.
func (f *findings) fails(name string, err error) { f.note(failed, name, explain(err), "") }

// clock compares a clock with the local one. uncertain bounds the error of at.
func (f *findings) clock(at time.Time, uncertain time.Duration) {
	skew := time.Until(at).Round(time.Millisecond)
	switch {
	case skew.Abs() <= maxSkew+uncertain:
		f.ok("clock", "agrees with the local clock to %v", max(skew.Abs(), uncertain).Round(time.Millisecond))
	case skew > 0:
		f.note(warning, "clock", fmt.Sprintf("is %v ahead of the local clock", skew), skewRemedy)
	default:
		f.note(warning, "clock", fmt.Sprintf("is %v behind the local clock", -skew), skewRemedy)
	}
}

const skewRemedy = "synchronize both with NTP: times and durations in the history are wrong by as much"

func newDoctor() *cobra.Command {
	var o recordOptions
	var output string
	cmd := &cobra.Command{
		Use:   "doctor [TYPE[,TYPE…]]",
		Short: "Check whether `vedette record` can work, and say what to do if not",
		Long: "The checks use the settings of `vedette record`: the file of --config, the rules, the rights in each cluster, versions\n" +
			"and clocks, the database and its schema, and whether each server still has the changes after the resume point. With\n" +
			"--notify they include channels (to which no message is sent), people, waiting messages and dead letters.\n" +
			"Nothing is changed. The exit code is 1 if a check has failed.",
		Example: "  # Check what a recorder of jobs and pods needs\n" +
			"  vedette doctor jobs,pods -A --db sqlite:history.db\n\n" +
			"  # Check the settings of a file, for a program\n" +
			"  vedette doctor --config vedette.yaml -o json",
		Args: oneAtMost("name the types to record, such as `vedette doctor jobs,pods`, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "" && output != "json" {
				return fmt.Errorf("unknown output format %q; use json", output)
			}
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			con.progress("checking …")
			all := o.examine(cmd.Context(), args, writes)
			con.clear()
			if err := show(all, output, con); err != nil {
				return err
			}
			return verdictOf(all)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "format: json (default: one line per check)")
	return cmd
}

// show prints the results of checks.
func show(all []check, output string, con *console) error {
	if output == "json" {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		return con.document(string(text) + "\n")
	}
	var rows [][]string
	for _, c := range all {
		found := c.Found
		if c.Remedy != "" {
			found += "; " + c.Remedy
		}
		rows = append(rows, []string{string(c.Verdict), c.Of, c.Check, found})
	}
	return con.print(table.Lay(rows...))
}

// verdictOf returns an error if a check has failed.
func verdictOf(all []check) error {
	n := 0
	for _, c := range all {
		if c.Verdict == failed {
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
		return errors.New("one check has failed")
	}
	return fmt.Errorf("%d checks have failed", n)
}

// touch says whether a check may write to the database. It rolls back what it writes.
type touch uint8

const (
	reads touch = iota
	writes
)

// examine runs all checks.
func (o *recordOptions) examine(ctx context.Context, args []string, how touch) []check {
	f := &findings{of: "vedette"}
	f.ok("version", "%s", version())
	if o.settled.path != "" {
		f.ok("configuration", "%s (%s)", o.settled.path, o.settled.origin("config"))
	}
	_, r, err := o.config()
	switch {
	case err != nil:
		f.fails("rules and redaction", err)
	case r != nil:
		f.ok("rules", "%s: %s", o.watch.rules, strings.Join(r.Types(), ", "))
	}
	d := o.examineDatabase(ctx, how, f)
	if d != nil {
		defer d.Close()
	}
	if o.notify.path != "" {
		clusters := clustersOf(o.settled)
		examineNotify(ctx, o.notify.path, clusters, d, f)
		closeAll(clusters)
	}
	f.of = "clusters"
	all, err := o.clusters(args)
	if errors.Is(err, errNoTypes) && o.notify.path != "" {
		f.ok("configuration", "no types are named: only notifications were checked")
		return f.all
	}
	if err != nil {
		f.fails("configuration", err)
		return f.all
	}
	clusters, err := connect(all, o.watch.connect.Namespace)
	if err != nil {
		for _, err := range flat(err) {
			f.fails("kubeconfig", err)
		}
		return f.all
	}
	defer closeAll(clusters)
	for _, c := range clusters {
		f.of = c.name
		o.examineCluster(ctx, c, d, f)
	}
	return f.all
}
