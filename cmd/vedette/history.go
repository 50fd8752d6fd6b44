package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record"
)

// historyOptions are the flags of history.
type historyOptions struct {
	db, namespace, cluster string
}

func newHistory() *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "history TYPE/NAME",
		Short: "Show every state that an object was in, also of one that is deleted",
		Long:  "Show every state that an object was in, how long, and why. The database is asked, and not the cluster: objects that\nare deleted have a history too.",
		Example: "  vedette history jobs.batch/train-7 -n ml --db sqlite:history.db\n" +
			"  vedette history pods/train-7-0 -n ml",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || strings.Count(args[0], "/") != 1 {
				return errors.New("name one object, such as `vedette history jobs.batch/train-7 -n ml` (see `vedette history --help`)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	addDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace of the object")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of the cluster, if several are in the database")
	return cmd
}

// nameOf reads TYPE/NAME: "jobs.batch/train-7", "pods/a".
func (o *historyOptions) nameOf(text string) record.Name {
	kind, name, _ := strings.Cut(text, "/")
	resource, group, _ := strings.Cut(kind, ".")
	return record.Name{Resource: resource, Group: group, Namespace: o.namespace, Name: name, Cluster: o.cluster}
}

func (o *historyOptions) run(ctx context.Context, what string, con *console) error {
	d, err := openDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer d.Close()
	objects, err := d.Objects(ctx, o.nameOf(what))
	if err != nil {
		return err
	}
	for _, obj := range objects {
		all, err := d.Transitions(ctx, obj.ID)
		if err != nil {
			return err
		}
		if err := con.print(timeline(obj, all, time.Now())); err != nil {
			return err
		}
	}
	return nil
}

// timeline is the history of one object as a table.
func timeline(obj record.Object, all []record.Transition, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s  uid %s", obj.Namespace, obj.Name, obj.UID)
	if obj.Owner != "" {
		fmt.Fprintf(&b, "  of %s", obj.Owner)
	}
	b.WriteString("\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SINCE\tSTATE\tFOR\tREASON\tMESSAGE\tVERSION\tSOURCE")
	for i, tr := range all {
		lasted := tr.Lasted
		if i == len(all)-1 {
			if lasted = now.Sub(tr.Happened); !obj.Gone.IsZero() {
				lasted = 0
			}
		}
		state := tr.To
		if state == "" {
			state = tr.ToRaw
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%v\t%s\n", tr.Happened.Local().Format("2006-01-02 15:04:05.000"), state, length(lasted), tr.Reason, oneLine(tr.Message), tr.Version, tr.Source)
	}
	_ = t.Flush() // it can not fail
	return b.String()
}

// length is a duration in two units at most.
func length(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
