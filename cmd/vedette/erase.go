package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/erase"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// eraseOptions are the flags of erase.
type eraseOptions struct {
	place           readOptions
	db, exported    string
	preview, answer bool
	by              operatorFlags
}

func newErase() *cobra.Command {
	var o eraseOptions
	cmd := &cobra.Command{
		Use:   "erase TYPE/NAME",
		Short: "Remove one deleted job and everything about it",
		Long: "The command removes the object, its pods, the other objects below it and the Kubernetes events about them: revisions,\n" +
			"transitions, labels, kept logs, messages, subscriptions, and the names and details of acts in the audit. Recorders do\n" +
			"not store these objects again. An object that exists in the cluster is refused: delete it there first. If several\n" +
			"objects had the name, --uid selects one. With --export, Parquet files of `vedette export` lose the rows too.\n\n" +
			"These stay: binary logs, replicas that lag and backups of the database, events in brokers, messages that were sent,\n" +
			"traces, logs of Vedette itself, and logs and objects of other jobs.\n\n" +
			"Run the command again with --uid after an interruption.",
		Example: "  # What would be removed\n" +
			"  vedette erase job/train-7 -n ml --db sqlite:history.db --dry-run\n\n" +
			"  # Remove it, also from exported files\n" +
			"  vedette erase job/train-7 -n ml --export history --yes",
		Args: oneObject,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.InOrStdin(), console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "auto"))
		},
	}
	settings.AddDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVarP(&o.place.namespace, "namespace", "n", "default", "namespace of the object")
	f.StringVar(&o.place.cluster, "cluster", "", "name or UID of a cluster, if the database has several")
	f.StringVar(&o.place.uid, "uid", "", "UID of the object, if several had the name")
	f.StringVar(&o.exported, "export", "", "folder, or s3://BUCKET/FOLDER, with files of `vedette export` to remove the rows from")
	f.BoolVar(&o.preview, "dry-run", false, "count what would be removed in the database, and remove nothing")
	f.BoolVarP(&o.answer, "yes", "y", false, "do not ask")
	o.by.addFlags(cmd)
	return cmd
}

func (o *eraseOptions) run(ctx context.Context, args []string, in io.Reader, con *console.Console) error {
	store, done, err := o.store()
	if err != nil {
		return err
	}
	defer done()
	db, err := settings.OpenDatabase(ctx, o.db)
	if err != nil {
		return err
	}
	defer db.Close()
	c := erase.Config{DB: db, By: o.by.name(), Progress: func(text string) { con.Progress("%s …", text) }}
	object, err := o.object(ctx, db, args)
	if err != nil {
		return o.again(ctx, c, store, err, con)
	}
	con.Progress("reading the history in %s …", db)
	plan, err := erase.Find(ctx, db, object.ID)
	con.Clear()
	if err != nil {
		return err
	}
	showPlan(plan, con)
	if o.preview {
		return nil
	}
	if !o.answer {
		if err := askFor(in, con, fmt.Sprintf("erases %s %s/%s for good", plan.Type, plan.Namespace, plan.Name)); err != nil {
			return err
		}
	}
	scrubbed, err := erase.Run(ctx, c, plan)
	con.Clear()
	if err != nil {
		return fmt.Errorf("%w; run the command again with --uid %s to continue", err, plan.UID)
	}
	con.Say("erased %s with the UID %s", plan.Type, plan.UID)
	return o.finish(ctx, db, store, scrubbed, plan.Created, con)
}

// store returns the store that --export names, or nil.
func (o *eraseOptions) store() (s export.Store, done func(), err error) {
	if o.exported == "" {
		return nil, func() {}, nil
	}
	if s, done, err = parseStore(o.exported); err != nil {
		return nil, nil, fmt.Errorf("--export: %w", err)
	}
	return s, done, nil
}

// object returns the object to erase.
//
// Errors: several objects had the name; those of readOptions.objects.
func (o *eraseOptions) object(ctx context.Context, db *sqldb.DB, args []string) (history.Object, error) {
	all, err := o.place.objects(ctx, source.HistoryIn(db), args)
	if err != nil {
		return history.Object{}, err
	}
	if len(all) > 1 {
		return history.Object{}, fmt.Errorf("%d objects had the name: select one with --uid, such as %s, created at %s", len(all), all[0].UID, all[0].Created.UTC().Format(time.RFC3339))
	}
	return all[0], nil
}

// again continues an erasure that was interrupted, if --uid names an erased object. Otherwise it
// returns the error with which the object was not found.
func (o *eraseOptions) again(ctx context.Context, c erase.Config, store export.Store, missing error, con *console.Console) error {
	if o.place.uid == "" || !errors.Is(missing, history.ErrUnknown) {
		return missing
	}
	erased, err := erase.ReadErased(ctx, c.DB)
	if err != nil {
		return err
	}
	if !erased.HasUID(o.place.uid) {
		return missing
	}
	con.Say("the object with the UID %s was erased before", o.place.uid)
	if o.preview {
		return nil
	}
	scrubbed, err := erase.Clean(ctx, c)
	con.Clear()
	if err != nil {
		return err
	}
	return o.finish(ctx, c.DB, store, scrubbed, firstExport, con)
}

// firstExport is before the first day that any program has exported.
var firstExport = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// showPlan prints what a plan removes.
func showPlan(p *erase.Plan, con *console.Console) {
	con.Say("%s %s/%s with the UID %s: %s", p.Type, p.Namespace, p.Name, p.UID, units.Count(p.Objects(), "object"))
	for _, t := range p.Tables {
		what := ""
		if t.Cleared {
			what = ", whose names and texts are removed"
		}
		con.Say("  %s: %s%s", t.Name, units.Count(int(t.Rows), "row"), what)
	}
}

// finish rewrites exported files, and says what may still have the object.
func (o *eraseOptions) finish(ctx context.Context, db *sqldb.DB, store export.Store, scrubbed bool, since time.Time, con *console.Console) error {
	if !scrubbed {
		con.Say("the server overwrites the deleted rows in its files at times of its own; its binary logs and backups keep them")
	}
	if store == nil {
		con.Say("exported files were not changed: use --export for the folder of `vedette export`, with --uid")
		return nil
	}
	erased, err := erase.ReadErased(ctx, db)
	if err != nil {
		return err
	}
	if since.IsZero() {
		since = firstExport
	}
	days, err := export.Erase(ctx, export.EraseConfig{
		Store: store, Since: since.AddDate(0, 0, -1), Until: time.Now(), Erased: erased.Has,
		Progress: func(day time.Time) { con.Progress("%s in %s …", day.Format(time.DateOnly), store) },
	})
	con.Clear()
	if err != nil {
		return fmt.Errorf("exported files: %w; run the command again with --uid to continue", err)
	}
	con.Say("%s in %s rewritten", units.Count(len(days), "file"), store)
	return nil
}
