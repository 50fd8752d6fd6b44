package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
)

// readOptions are the flags of all commands that read the history.
type readOptions struct {
	source             source.Flags
	connect            kube.Config // its context has the namespace
	namespace, cluster string
	allNamespaces      bool
	uid                string
	output             listing.Flags
}

// addPlace adds the flags for the source, the cluster and the namespace.
func (o *readOptions) addPlace(cmd *cobra.Command) {
	o.source.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the objects (default: that of the context)")
	f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "read all namespaces")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of a cluster, if the database has several")
}

// inNamespace sets the namespace that no flag names.
func (o *readOptions) inNamespace() {
	if o.namespace == "" {
		o.namespace = source.NamespaceOf(o.connect)
	}
}

// open opens the history.
func (o *readOptions) open(ctx context.Context) (*source.History, error) {
	o.inNamespace()
	return o.source.Open(ctx)
}

// addUID adds the flag that selects one of several objects that had the same name.
func (o *readOptions) addUID(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.uid, "uid", "", "UID of the object, if several had the name (default: the last one)")
}

// oneObject accepts the arguments of a command for one object.
func oneObject(_ *cobra.Command, args []string) error {
	_, _, err := source.ObjectName(args)
	return err
}

// objects returns the objects that had a name, the newest first, up to 1,000. If several types
// have the word, it takes the first one of kubectl's order that has such an object.
//
// Errors: history.ErrUnknown, which names another namespace that has such an object.
func (o *readOptions) objects(ctx context.Context, h *source.History, args []string) ([]history.Object, error) {
	kind, name, err := source.ObjectName(args)
	if err != nil {
		return nil, err
	}
	all, err := h.Types(ctx)
	if err != nil {
		return nil, err
	}
	types, err := history.FindTypes(all, kind)
	if err != nil {
		return nil, err
	}
	for _, t := range types {
		n := history.ObjectName{Type: t, Namespace: o.namespace, AllNamespaces: o.allNamespaces, Name: name, Cluster: o.cluster}
		objects, err := o.objectsOfType(ctx, h, n)
		if err != nil || len(objects) > 0 {
			return objects, err
		}
	}
	n := history.ObjectName{Type: types[0], Namespace: o.namespace, AllNamespaces: o.allNamespaces, Name: name, Cluster: o.cluster}
	if o.uid != "" {
		n.Name += " with UID " + o.uid
	}
	err = fmt.Errorf("%s: %w", n, history.ErrUnknown)
	if n.AllNamespaces || o.uid != "" {
		return nil, err
	}
	n.AllNamespaces = true
	for _, n.Type = range types {
		elsewhere, failed := h.Objects(ctx, n, history.Paging{Limit: 1})
		if failed != nil {
			return nil, failed
		}
		if len(elsewhere.Items) > 0 {
			found := elsewhere.Items[0]
			return nil, fmt.Errorf("%w; namespace %s has one: use -n %[2]s", err, found.Namespace)
		}
	}
	return nil, err
}

// objectsOfType returns the objects of one type that had a name.
func (o *readOptions) objectsOfType(ctx context.Context, h *source.History, n history.ObjectName) ([]history.Object, error) {
	all := history.Paging{Limit: 1000}
	page, err := h.Objects(ctx, n, all)
	if err == nil && len(page.Items) == 0 && !n.AllNamespaces { // the type may have no namespaces
		n.Namespace = ""
		page, err = h.Objects(ctx, n, all)
	}
	return slices.DeleteFunc(page.Items, func(obj history.Object) bool { return o.uid != "" && obj.UID != o.uid }), err
}

// filterOptions are the flags that select transitions.
type filterOptions struct {
	since, until     string
	states           []string
	labels           string
	owner            string
	queue, submitter string
}

func (o *filterOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "at this time or later: 2h, 3d (ago), 15:04, 2026-03-01, 2026-03-01T15:04:05Z")
	f.StringVar(&o.until, "until", "", "before this time")
	f.StringVarP(&o.labels, "selector", "l", "", "labels of the objects, such as app=train,team=vision")
	f.StringVar(&o.owner, "owner", "", "controller of the objects: KIND/NAME, or a UID")
	f.StringVar(&o.queue, "queue", "", "queue of the objects")
	f.StringVar(&o.submitter, "submitter", "", "submitter of the objects")
}

// parse returns the filter of the flags that need no history.
func (o *filterOptions) parse(now time.Time) (f history.Filter, err error) {
	f = history.Filter{Queue: o.queue, Submitter: o.submitter}
	if f.Since, f.Until, err = units.ParsePeriod(o.since, o.until, now); err != nil {
		return f, err
	}
	if f.States, err = source.ParseStates(o.states); err != nil {
		return f, err
	}
	f.Labels, err = source.ParseLabels(o.labels)
	return f, err
}

// filter adds what the history knows to the filter of parse: the place, the types and the owner.
func (o *filterOptions) filter(ctx context.Context, h *source.History, place *readOptions, types string, f history.Filter) (history.Filter, error) {
	f.Cluster = place.cluster
	if !place.allNamespaces {
		f.Namespace = place.namespace
	}
	var err error
	if f.Types, err = h.FindTypes(ctx, types); err != nil {
		return f, err
	}
	if kind, name, both := strings.Cut(o.owner, "/"); both {
		f.Owner = history.Owner{Kind: kind, Name: name}
		all, err := h.Types(ctx)
		if err != nil {
			return f, err
		}
		if t, err := history.FindType(all, kind); err == nil {
			f.Owner.Kind = t.Kind // the type of an owner need not be recorded
		}
	} else {
		f.Owner.UID = o.owner
	}
	return f, nil
}

// many returns an error if a flag that selects among many objects is set.
func (o *filterOptions) many() error {
	for _, flag := range []struct{ name, value string }{{"selector", o.labels}, {"owner", o.owner}, {"queue", o.queue}, {"submitter", o.submitter}} {
		if flag.value != "" {
			return fmt.Errorf("--%s selects among many objects; leave it out, or name a type instead of an object", flag.name)
		}
	}
	return nil
}
