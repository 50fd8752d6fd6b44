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

// demoTypes are the types that the demo watches and records.
const demoTypes = "jobs,pods"

// demoOptions are the flags of demo.
type demoOptions struct {
	watch  watchOptions
	db     string
	jobs   int
	seed   uint64
	speed  float64
	quiet  bool
	listen string
}

func newDemo() *cobra.Command {
	var o demoOptions
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch and record simulated training jobs, without a cluster",
		Long: "The demo starts an API server in this process and simulates training jobs that are submitted, queued, run, retried\n" +
			"and deleted. It watches them like `vedette watch jobs,pods`, records them like `vedette record`, and prints the messages\n" +
			"that `vedette notify` would send: one of its two channels fails now and then. A portal on this machine shows the jobs in the\n" +
			"browser. There and in other terminals one can submit, cancel and retry jobs, and read their logs: the demo prints the address\n" +
			"and the commands. It ends when all jobs have ended, or with Ctrl-C, and then shows\n" +
			"what was recorded and which commands read it.",
		Example: "  # Run twelve jobs\n" +
			"  vedette demo\n\n" +
			"  # Run jobs until Ctrl-C, and submit some from another terminal\n" +
			"  vedette demo --jobs 0\n\n" +
			"  # Run jobs at three times the speed until Ctrl-C, and show only failures and retries\n" +
			"  vedette demo --jobs 0 --speed 3 | grep -E 'Failed|Restarting'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), newConsole(cmd.OutOrStdout(), cmd.ErrOrStderr(), o.watch.color))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "", "database to record in: sqlite:FILE, mysql://user@host/name or postgres://user@host/name (default: a new temporary file)")
	f.IntVar(&o.jobs, "jobs", 12, "number of jobs; 0 means no end")
	f.Float64Var(&o.speed, "speed", 1, "factor for the speed")
	f.BoolVar(&o.quiet, "no-messages", false, "do not notify, and print no messages")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "loopback address of the portal; empty for none; if it is taken, another port")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the simulation: the same seed gives the same jobs")
	o.watch.addOutputFlags(cmd)
	return cmd
}

// run starts the server, opens the database and starts the simulation.
func (o *demoOptions) run(ctx context.Context, con *console) error {
	if o.jobs < 0 || o.speed <= 0 || o.speed > 1000 {
		return fmt.Errorf("--jobs is %d and --speed is %v; want 0 or more jobs, and a speed above 0 and up to 1000", o.jobs, o.speed)
	}
	format, err := newFormat(&o.watch, con)
	if err != nil {
		return err
	}
	access := newDemoAccess()
	server, err := apitest.New(access.config())
	if err != nil {
		return err
	}
	defer server.Close()
	cluster, err := kube.Connect(kube.Config{REST: access.rest(server)})
	if err != nil {
		return err
	}
	defer cluster.Close()
	o.watch.allNamespaces = true
	targets, err := o.watch.targets(ctx, cluster, demoTypes)
	if err != nil {
		return err
	}
	kept, err := newDemoRecorder(ctx, o.db, server, cluster, targets)
	if err != nil {
		return err
	}
	defer kept.d.Close()
	told, err := o.notifier(kept, format, con)
	if err != nil {
		return err
	}
	if err := access.open(server, kept.url); err != nil {
		return err
	}
	defer access.close()
	user, err := kube.Connect(kube.Config{REST: access.userREST(server)})
	if err != nil {
		return err
	}
	defer user.Close()
	shown, err := newDemoPortal(o.listen, kept.d, user)
	if err != nil {
		return err
	}
	defer shown.close()
	con.say("An API server runs in this process. Simulated training jobs are submitted to it, and recorded in\n%s. Ctrl-C ends the demo.", kept.d)
	for line := range strings.Lines(shown.text() + access.text(kept.url)) {
		con.say("%s", strings.TrimSuffix(line, "\n"))
	}
	con.say("")
	users := newDemoUsers(newDemoPlatform(newWorld(server, o.seed, o.speed), cluster))
	return o.play(ctx, cluster, targets, kept, told, shown, users, format, con)
}

// notifier returns the notifier, nil without one: messages would not fit between lines for
// programs.
func (o *demoOptions) notifier(kept *demoRecorder, format *format, con *console) (*demoNotifier, error) {
	if o.quiet || format.body != nil {
		return nil, nil
	}
	format.widths = messageWidths
	return newDemoNotifier(kept.d, o.speed, con)
}

// play runs the simulation, the watch, the recorder, the notifier and the portal, and waits
// for all of them.
func (o *demoOptions) play(ctx context.Context, cluster *kube.Cluster, targets []target, kept *demoRecorder, told *demoNotifier, view *demoPortal, users *demoUsers, format *format, con *console) error {
	readers := context.WithoutCancel(ctx) // the summary is read after Ctrl-C too
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go kept.run(ctx, cancel)
	notified, shown := told.start(ctx, cancel), view.start(ctx, cancel)
	worked, ran := make(chan error, 1), make(chan error, 1)
	go func() {
		err := users.demoPlatform.run(ctx)
		if err != nil {
			cancel(err)
		}
		ran <- err
	}()
	go func() {
		told.ready(ctx)
		err := users.run(ctx, o.jobs)
		if err == nil {
			_, ended := users.outcomes()
			kept.await(ctx, ended)
			told.settle(ctx)
			pause(ctx, lastLook)
			err = context.Canceled // the watch may end now
		}
		cancel(err)
		worked <- err
	}()
	err := follow(ctx, cluster, targets, format, con)
	cancel(nil)
	if workErr := <-worked; err == nil && !errors.Is(workErr, context.Canceled) {
		err = workErr
	}
	if err := errors.Join(err, <-ran, <-kept.ended, notified(), shown()); err != nil {
		return err
	}
	said, err := kept.summary(readers)
	if err == nil && told != nil {
		said, err = told.summary(readers, said, kept.url)
	}
	if err == nil {
		con.say("\n%s", users.summary())
		for line := range strings.Lines(said) {
			con.say("%s", strings.TrimSuffix(line, "\n"))
		}
		con.say("\nTo record your own cluster: %s record jobs,pods -A --db sqlite:history.db", called())
	}
	return err
}

// lastLook is the time between the end of the simulation and the end of the watch, which
// needs far less to show a change.
const lastLook = 300 * time.Millisecond
