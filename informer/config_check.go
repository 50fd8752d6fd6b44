package informer

import (
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/kube"
)

// check returns an error for an invalid configuration.
func (c *Config) check() error {
	switch {
	case c.Panics > CrashOnPanic || c.Missing > WaitIfMissing:
		return invalid("", "Config.Panics is %d and Config.Missing is %d", c.Panics, c.Missing)
	case c.Storage > Live:
		return invalid("set Packed or Live", "Config.Storage is %d", c.Storage)
	case c.HotObjects < 0 || c.Resync < 0 || c.Backlog < 0 || c.WarmStart.Every < 0:
		return invalid("", "HotObjects, Resync, Backlog and WarmStart.Every cannot be negative")
	case c.KeepObject != nil && c.Decode == nil:
		return invalid("set Config.Decode", "Config.KeepObject needs a decoder")
	}
	if err := checkNamespaces(c.Namespaces); err != nil {
		return err
	}
	if err := (kube.Selection{LabelSelector: c.LabelSelector, FieldSelector: c.FieldSelector}).Check(); err != nil {
		return fmt.Errorf("informer: %w", err)
	}
	if c.WarmStart.Path != "" && c.Decode != nil {
		return invalid("omit Decode or WarmStart.Path", "Config.Decode keeps no bodies, and a snapshot file consists of bodies")
	}
	if c.WarmStart.Path != "" && c.Transform != nil && c.TransformVersion == "" {
		return invalid("set Config.TransformVersion, or omit WarmStart.Path", "a snapshot file of transformed objects needs a version of the function")
	}
	return c.WarmStart.check()
}

// checkNamespaces returns an error for namespaces that cannot be followed.
func checkNamespaces(names []string) error {
	sorted := slices.Sorted(slices.Values(names))
	switch {
	case len(slices.Compact(sorted)) != len(names):
		return invalid("", "Config.Namespaces contains a name twice: %q", names)
	case slices.Contains(names, ""):
		return invalid("for all namespaces, leave it empty", "Config.Namespaces contains an empty name")
	}
	for _, name := range names {
		if err := kube.CheckNamespace(name); err != nil {
			return fmt.Errorf("informer: %w", err)
		}
	}
	return nil
}
