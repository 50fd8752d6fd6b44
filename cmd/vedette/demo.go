package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
)

// demoTypes are what the demo follows.
const demoTypes = "jobs,pods"

// demoOptions are the flags of demo.
type demoOptions struct {
	watch watchOptions
	db    string
	jobs  int
	seed  uint64
	speed float64
}

func newDemo() *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See it at work, without a cluster",
		Long: "Start an API server within this process, let training jobs be submitted, queue, run, fail and be\n" +
			"tried again in it, follow them as `vedette watch jobs,pods` does, and record them as `vedette record`\n" +
			"does, into a file. It ends when all jobs have, or with Ctrl-C, and then says what the file has, and\n" +
			"how to look at it.",
		Example: "  vedette demo\n\n" +
			"  # Without end, three times as fast, only what fails or is tried again\n" +
			"  vedette demo --jobs 0 --speed 3 | grep -E 'Failed|Restarting'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.watch.color))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "", "database to record into: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: a new file in the folder for temporary files)")
	f.IntVar(&o.jobs, "jobs", 12, "how many jobs are submitted; 0 for no end")
	f.Float64Var(&o.speed, "speed", 1, "how many times as fast as usual")
	f.Uint64Var(&o.seed, "seed", 1, "what happens: the same seed is the same story")
	o.watch.addOutputFlags(cmd)
	return cmd
}

// run starts the server, opens the database, and lets the story begin.
func (o *demoOptions) run(ctx context.Context, con *console) error {
	if o.jobs < 0 || o.speed <= 0 || o.speed > 1000 {
		return fmt.Errorf("--jobs is %d and --speed %v; want 0 or more jobs, and a speed above 0 and up to 1000", o.jobs, o.speed)
	}
	format, err := newFormat(&o.watch, con)
	if err != nil {
		return err
	}
	server, err := apitest.New(apitest.Config{})
	if err != nil {
		return err
	}
	defer server.Close()
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		return err
	}
	defer cluster.Close()
	o.watch.allNamespaces = true
	targets, err := o.watch.targets(ctx, cluster, demoTypes)
	if err != nil {
		return err
	}
	kept, err := newKeepsake(ctx, o.db, server, cluster, targets)
	if err != nil {
		return err
	}
	defer kept.d.Close()
	con.say("An API server runs within this process, and training jobs are being submitted to it. What happens is\nrecorded into %s. Ctrl-C ends.", kept.d)
	return o.play(ctx, cluster, targets, kept, newStory(server, o.seed, o.speed), format, con)
}

// play runs the story, the watch and the recorder, and joins all three.
func (o *demoOptions) play(ctx context.Context, cluster *kube.Cluster, targets []target, kept *keepsake, story *story, format *format, con *console) error {
	readers := context.WithoutCancel(ctx) // the history is told after Ctrl-C too
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go kept.run(ctx, cancel)
	told := make(chan error, 1)
	go func() {
		err := story.tell(ctx, o.jobs)
		if err == nil {
			kept.await(ctx, story.over())
			pause(ctx, lastLook)
			err = context.Canceled // the watch may end now
		}
		cancel(err)
		told <- err
	}()
	err := follow(ctx, cluster, targets, format, con)
	cancel(nil)
	if storyErr := <-told; err == nil && !errors.Is(storyErr, context.Canceled) {
		err = storyErr
	}
	if err := errors.Join(err, <-kept.ended); err != nil {
		return err
	}
	said, err := kept.tell(readers)
	if err == nil {
		con.say("\n%s", story.summary())
		for line := range strings.Lines(said) {
			con.say("%s", strings.TrimSuffix(line, "\n"))
		}
		con.say("\nThe same over a cluster of yours: %s record jobs,pods -A --db sqlite:history.db", called())
	}
	return err
}

// lastLook is the time between the end of the story and that of the watch: a
// change takes far less to be shown.
const lastLook = 300 * time.Millisecond
