package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/records"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// ackOptions are the flags of ack.
type ackOptions struct {
	readOptions
	by operatorFlags
}

func newAck() *cobra.Command {
	var o ackOptions
	cmd := &cobra.Command{
		Use:   "ack TYPE/NAME|MESSAGE",
		Short: "Acknowledge the messages about a job, so that nobody else is notified",
		Long: "A rule with an escalation notifies others if nobody acknowledges its message. An acknowledgment is about a job: it ends\n" +
			"the escalations of all messages about the job that exist now. Name a message by its number or its key.",
		Example: "  vedette ack job/train-7 -n ml --db sqlite:history.db\n\n" +
			"  # By the number that `vedette notify ls` shows, and for somebody else\n" +
			"  vedette ack 17 --by liwei",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], console.New(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	o.addUID(cmd)
	o.by.addFlags(cmd)
	return cmd
}

func (o *ackOptions) run(ctx context.Context, word string, con *console.Console) error {
	portal, err := o.source.Portal()
	if err != nil {
		return err
	}
	if portal != nil {
		return o.onPortal(ctx, portal, word, con)
	}
	db, err := settings.OpenDatabase(ctx, o.source.DB)
	if err != nil {
		return err
	}
	defer db.Close()
	object, name, err := o.object(ctx, db, word)
	if err != nil {
		return err
	}
	by := o.by.name()
	n, err := delivery.Ack(ctx, db, object, by)
	if err != nil {
		return err
	}
	sayAcknowledged(con, n, by, name)
	return nil
}

// onPortal acknowledges the messages about a job in the name of the person that the portal
// knows.
func (o *ackOptions) onPortal(ctx context.Context, portal *client.Client, word string, con *console.Console) error {
	if strings.Count(word, "/") != 1 {
		return fmt.Errorf("%q is not a job: a portal takes TYPE/NAME, such as job/train-7", word)
	}
	if o.by.by != "" {
		return errors.New("--by is for databases: a portal knows who you are")
	}
	objects, err := o.objects(ctx, &source.History{Reader: records.New(portal), CloseFunc: func() {}}, []string{word})
	if err == nil {
		err = source.OneCluster(objects)
	}
	if err != nil {
		return err
	}
	session, err := portal.Session(ctx)
	if err != nil {
		return err
	}
	act, err := portal.Acknowledge(ctx, api.JobRef{Cluster: objects[0].Cluster, UID: objects[0].UID})
	if err != nil {
		return err
	}
	sayAcknowledged(con, act.Count, cmp.Or(session.Person, "you"), titleOf(&objects[0]))
	return nil
}

// sayAcknowledged prints how many messages about a job were acknowledged.
func sayAcknowledged(con *console.Console, n int, by, name string) {
	if n == 0 {
		con.Say("no message about %s waits for an acknowledgment", name)
		return
	}
	con.Say("%s acknowledged %s about %s: nobody else is notified", by, units.Count(n, "message"), name)
}

// titleOf returns the type, the namespace and the name of an object.
func titleOf(o *history.Object) string {
	return o.Type.String() + " " + strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
}

// object returns the ID and the title of the object of a word: TYPE/NAME, or the number or the
// key of a message about the object.
func (o *ackOptions) object(ctx context.Context, db *sqldb.DB, word string) (id int64, name string, err error) {
	if number, err := strconv.ParseInt(word, 10, 64); err == nil {
		d, _, err := delivery.Show(ctx, db, number)
		return aboutOf(&d, word, err)
	}
	if strings.Count(word, "/") > 1 {
		d, err := delivery.Find(ctx, db, word)
		return aboutOf(&d, word, err)
	}
	objects, err := o.objects(ctx, source.HistoryIn(db), []string{word})
	if err == nil {
		err = source.OneCluster(objects)
	}
	if err != nil {
		return 0, "", err
	}
	return objects[0].ID, titleOf(&objects[0]), nil
}

// aboutOf returns the object that a message is about.
func aboutOf(d *delivery.Delivery, word string, err error) (id int64, name string, _ error) {
	switch {
	case errors.Is(err, delivery.ErrUnknown):
		return 0, "", fmt.Errorf("there is no message %s: `vedette notify ls` lists them", word)
	case err != nil:
		return 0, "", err
	case d.Object == 0:
		return 0, "", fmt.Errorf("message %s is about several jobs: name one of them, such as job/train-7", word)
	}
	return d.Object, "the job of message " + word, nil
}
