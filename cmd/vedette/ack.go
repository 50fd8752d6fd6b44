package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/notify/delivery"
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
		Short: "Acknowledge the messages about a job, so that nobody else is told",
		Long: "A rule with an escalation tells others if nobody acknowledges its message. An acknowledgment is about the job: it ends\n" +
			"all escalations of messages that it has caused until now. A message is named by its number or its key.",
		Example: "  vedette ack job/train-7 -n ml --db sqlite:history.db\n\n" +
			"  # By the number that `vedette notify ls` shows, and for somebody else\n" +
			"  vedette ack 17 --by liwei",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), "never"))
		},
	}
	o.addPlace(cmd)
	o.addUID(cmd)
	o.by.addFlags(cmd)
	return cmd
}

func (o *ackOptions) run(ctx context.Context, word string, con *console) error {
	h, err := openHistory(ctx, o.db)
	if err != nil {
		return err
	}
	defer h.Close()
	object, name, err := o.object(ctx, h, word)
	if err != nil {
		return err
	}
	by := o.by.name()
	n, err := delivery.Ack(ctx, h.db, object, by)
	switch {
	case err != nil:
		return err
	case n == 0:
		con.say("no message about %s waits for an acknowledgment", name)
	default:
		con.say("%s acknowledged %s about %s: nobody else is told", by, counted(n, "message"), name)
	}
	return nil
}

// object returns the number and the name of the object that a word names: as TYPE/NAME, or
// by the number or the key of a message about it.
func (o *ackOptions) object(ctx context.Context, h *historyReader, word string) (id int64, name string, err error) {
	if number, err := strconv.ParseInt(word, 10, 64); err == nil {
		d, _, err := delivery.Show(ctx, h.db, number)
		return aboutOf(&d, word, err)
	}
	if strings.Count(word, "/") > 1 {
		d, err := delivery.Find(ctx, h.db, word)
		return aboutOf(&d, word, err)
	}
	objects, err := o.objects(ctx, h, []string{word})
	if err == nil {
		err = oneCluster(objects)
	}
	if err != nil {
		return 0, "", err
	}
	return objects[0].ID, objects[0].Type.String() + " " + strings.TrimPrefix(objects[0].Namespace+"/"+objects[0].Name, "/"), nil
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
