package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/watchview"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// messageFlags show messages in a watch, from a database.
type messageFlags struct {
	show   bool
	db     string
	notify notifyFlags
}

func (o *messageFlags) addFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.show, "messages", false, "print also the messages about these objects that people get, from the database of --db")
	settings.AddDatabase(cmd, &o.db)
	o.notify.addFlags(cmd)
	cmd.Flags().Lookup("notify").Usage = "file of notifications, which says how often messages are tried (default: VEDETTE_NOTIFY; without it, that of the defaults)"
}

// shownMessages are the messages of a watch, nil if it shows none.
type shownMessages struct{ *deliveryview.Printer }

// open opens the database of the messages.
//
// Errors: no database is named; the output format is for programs.
func (o *messageFlags) open(ctx context.Context, f *watchview.Format, con *console.Console) (shownMessages, error) {
	if !o.show {
		return shownMessages{}, nil
	}
	if !f.ForPeople() {
		return shownMessages{}, errors.New("--messages needs lines for people: leave out -o, or use -o wide")
	}
	var retry delivery.Policy
	if o.notify.path != "" {
		file, err := o.notify.load(con, config.Options{WithoutSecrets: true})
		if err != nil {
			return shownMessages{}, err
		}
		retry.Backoff = file.Retry.Waits
	}
	d, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return shownMessages{}, err
	}
	f.Widen(deliveryview.Widths)
	m := deliveryview.NewPrinter(d, con)
	m.Tries = retry.Tries()
	m.Next = deliveryview.NextCommand
	return shownMessages{m}, nil
}

// close closes the database.
func (s shownMessages) close() {
	if s.Printer != nil {
		s.Printer.Close()
	}
}

// beside calls do, and prints messages about its targets until do returns. An error of either ends
// the other.
func (s shownMessages) beside(ctx context.Context, targets []watchview.Target, do func(context.Context) error) error {
	if s.Printer == nil {
		return do(ctx)
	}
	s.Wants = aboutTargets(targets)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var failed error
	var work sync.WaitGroup
	work.Go(func() {
		if failed = s.Run(ctx); failed != nil {
			cancel(failed)
		}
	})
	err := do(ctx)
	cancel(nil)
	work.Wait()
	if err == nil {
		err = failed
	}
	return err
}

// aboutTargets returns a filter for messages about objects of some types and namespaces,
// and for digests.
func aboutTargets(targets []watchview.Target) func(*message.Message) bool {
	return func(m *message.Message) bool {
		if m.Notice == nil || m.Notice.Job.Name == "" {
			return true
		}
		j := m.Notice.Job
		return slices.ContainsFunc(targets, func(t watchview.Target) bool {
			return t.Resource.String() == j.Type && (t.Selection.Namespace == "" || t.Selection.Namespace == j.Namespace)
		})
	}
}
