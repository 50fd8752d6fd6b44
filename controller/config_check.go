package controller

import (
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/informer"
)

// check returns an error for each invalid value of a configuration.
func (c *Config) check(sources []Source) error {
	var errs []error
	complain := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("controller %s: "+format, append([]any{c.Name}, args...)...))
	}
	if c.Reconcile == nil {
		complain("Config.Reconcile is not set; set it to the function that reconciles a key")
	}
	if c.Workers < 0 {
		complain("Config.Workers is %d workers, want 0 or more", c.Workers)
	}
	if c.Panics > informer.CrashOnPanic {
		complain("Config.Panics is %d, which is not a panic policy", c.Panics)
	}
	feeds := 0
	for i, s := range sources {
		switch {
		case s.impl == nil:
			complain("source %d is empty or its informer is nil; create it with Objects, Owners, Mapped or ReadOnly", i)
		case s.impl.configErr() != nil:
			complain("source %d: %w", i, s.impl.configErr())
		case s.impl.hasKeys():
			feeds++
		}
	}
	if feeds == 0 {
		complain("no source has keys; add one made by Objects, Owners or Mapped")
	}
	for i, r := range c.Runners {
		if r == nil {
			complain("Config.Runners[%d] is nil", i)
		}
	}
	if err := c.Replicas.check(); err != nil {
		errs = append(errs, err)
	}
	if c.Leadership != nil && c.Replicas.Mode != SingleReplica {
		complain("both Config.Leadership and Config.Replicas are set; the Lease of a controller is that of its Leadership or its own")
	}
	return errors.Join(errs...)
}
