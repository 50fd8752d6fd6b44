package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/deliveryview"
	"github.com/vedette-io/vedette/cmd/vedette/internal/invocation"
	"github.com/vedette-io/vedette/cmd/vedette/internal/watchview"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/world/simulation"
)

// watchedTypes are the types that the demo watches and records.
const watchedTypes = "jobs,pods"

// Run starts the server, opens the database and starts the simulation.
func (o *Options) Run(ctx context.Context, con *console.Console) error {
	if o.Jobs < 0 || o.Speed <= 0 || o.Speed > 1000 {
		return fmt.Errorf("--jobs is %d and --speed is %v; want 0 or more jobs, and a speed above 0 and up to 1000", o.Jobs, o.Speed)
	}
	format, err := watchview.NewFormat(&o.Format, con)
	if err != nil {
		return err
	}
	access := newKubeAccess()
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
	all := watchview.Selection{AllNamespaces: true}
	targets, err := all.Targets(ctx, cluster, watchedTypes)
	if err != nil {
		return err
	}
	kept, err := newRecorder(ctx, o.DB, server, cluster, targets)
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
	shown, err := newPortalServer(o, kept.d, user)
	if err != nil {
		return err
	}
	defer shown.close()
	con.Say("An API server runs in this process. Simulated training jobs are submitted to it, and recorded in\n%s. Ctrl-C ends the demo.", kept.d)
	shown.announce(con)
	for line := range strings.Lines(access.text(kept.url)) {
		con.Say("%s", strings.TrimSuffix(line, "\n"))
	}
	con.Say("")
	elapse := func(ctx context.Context, d time.Duration) { _ = pause.For(ctx, time.Duration(float64(d)/o.Speed)) }
	platform := simulation.New(server, cluster, elapse)
	return o.play(ctx, cluster, targets, kept, told, shown, platform, format, con)
}

// notifier returns the notifier, nil without one: messages would not fit between lines for
// programs.
func (o *Options) notifier(kept *recorder, format *watchview.Format, con *console.Console) (*notifier, error) {
	if o.Quiet || !format.ForPeople() {
		return nil, nil
	}
	format.Widen(deliveryview.Widths)
	return newNotifier(kept.d, o.Speed, con)
}

// play runs the simulation, the watch, the recorder, the notifier and the portal, and waits
// for all of them.
func (o *Options) play(ctx context.Context, cluster *kube.Cluster, targets []watchview.Target, kept *recorder, told *notifier, view *portalServer, platform *simulation.Platform, format *watchview.Format, con *console.Console) error {
	users := simulation.NewUsers(platform, o.Seed)
	readers := context.WithoutCancel(ctx) // the summary is read after Ctrl-C too
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go kept.run(ctx, cancel)
	notified, shown := told.start(ctx, cancel), view.start(ctx, cancel)
	worked, ran := make(chan error, 1), make(chan error, 1)
	go func() {
		err := platform.Run(ctx)
		if err != nil {
			cancel(err)
		}
		ran <- err
	}()
	go func() {
		told.ready(ctx)
		err := users.Submit(ctx, o.Jobs)
		if err == nil {
			kept.await(ctx, users.Ended())
			told.settle(ctx)
			_ = pause.For(ctx, lastLook)
			err = context.Canceled // the watch may end now
		}
		cancel(err)
		worked <- err
	}()
	err := watchview.Follow(ctx, cluster, targets, format, con)
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
		con.Say("\n%s", users.Summary())
		for line := range strings.Lines(said) {
			con.Say("%s", strings.TrimSuffix(line, "\n"))
		}
		con.Say("\nTo record your own cluster: %s record jobs,pods -A --db sqlite:history.db", invocation.Command())
	}
	return err
}

// lastLook is the time between the end of the simulation and the end of the watch, which
// needs far less to show a change.
const lastLook = 300 * time.Millisecond
