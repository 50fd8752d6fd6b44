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

// verdict is how a check went.
type verdict string

const (
	fine    verdict = "ok"
	warning verdict = "warning"
	failed  verdict = "failed"
)

// check is one thing that was looked at.
type check struct {
	Verdict verdict `json:"status"`
	// Check is what was looked at, and Of where: a cluster, the database.
	Check string `json:"check"`
	Of    string `json:"of,omitempty"`
	// Found is what was seen, and Remedy what to do about it.
	Found  string `json:"found"`
	Remedy string `json:"remedy,omitempty"`
}

// maxSkew is how far clocks may be apart before times in the history say something
// wrong. The clock of an API server is known to the second.
const maxSkew = 2 * time.Second

// findings collects checks.
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

// fails notes an error, which says itself what to do.
func (f *findings) fails(name string, err error) { f.note(failed, name, explain(err), "") }

// clock compares a clock with ours. uncertain is how well it is known.
func (f *findings) clock(at time.Time, uncertain time.Duration) {
	skew := time.Until(at).Round(time.Millisecond)
	switch {
	case skew.Abs() <= maxSkew+uncertain:
		f.ok("clock", "agrees with ours to %v", max(skew.Abs(), uncertain).Round(time.Millisecond))
	case skew > 0:
		f.note(warning, "clock", fmt.Sprintf("is %v before ours", skew), "set both by NTP: times and durations in the history are wrong by this")
	default:
		f.note(warning, "clock", fmt.Sprintf("is %v behind ours", -skew), "set both by NTP: times and durations in the history are wrong by this")
	}
}

func newDoctor() *cobra.Command {
	var o recordOptions
	var output string
	cmd := &cobra.Command{
		Use:   "doctor [TYPE[,TYPE…]]",
		Short: "Find out whether `vedette record` can work, and what to do if not",
		Long: "Look at all that `vedette record` needs, with the same settings: the file of --config, the rules, the rights in each\n" +
			"cluster, versions and clocks, the database and its schema, and whether the servers still have what came after the\n" +
			"point from which a recorder would resume. Nothing is changed. The exit code is 1 if something has failed.",
		Example: "  vedette doctor jobs,pods -A --db sqlite:history.db\n\n" +
			"  vedette doctor --config vedette.yaml -o json",
		Args: oneAtMost("name the types that are to be recorded, such as `vedette doctor jobs,pods`, or a file with --config"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if output != "" && output != "json" {
				return fmt.Errorf("there is no output format %q here; there is json", output)
			}
			con := newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never")
			con.progress("looking …")
			all := o.examine(cmd.Context(), args, writes)
			con.clear()
			if err := show(all, output, con); err != nil {
				return err
			}
			return verdictOf(all)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "format: json (default: a line for each check)")
	return cmd
}

// show prints checks.
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

// verdictOf returns an error if something has failed.
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

// touch says whether the database may be written to, which is taken back.
type touch uint8

const (
	reads touch = iota
	writes
)

// examine looks at everything.
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
	f.of = "clusters"
	all, err := o.clusters(args)
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
