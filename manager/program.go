package manager

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/vedette-io/vedette/internal/userlog"
)

// Main is the body of a main function: it calls New, then setup, which adds the parts, then
// Run until the process gets SIGINT or SIGTERM. A second signal ends the process at once.
// After an error, Main logs it and ends the process with status 1.
func Main(cfg Config, setup func(*Manager) error) {
	if err := start(cfg, setup); err != nil {
		userlog.Of(cfg.Logger).Error(cfg.Name+" has failed", "err", err)
		os.Exit(1)
	}
}

// start is Main without the end of the process.
func start(cfg Config, setup func(*Manager) error) error {
	m, err := New(cfg)
	if err != nil {
		return err
	}
	if err := setup(m); err != nil {
		m.cluster.Close()
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal has its default effect
	return m.Run(ctx)
}
