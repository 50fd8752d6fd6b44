package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// readOptions are the flags of all commands that read the database.
type readOptions struct {
	db, namespace, cluster string
	allNamespaces          bool
	uid                    string
	sheet                  sheetOptions
}

// addPlace adds the flags that say of which database, cluster and namespace.
func (o *readOptions) addPlace(cmd *cobra.Command) {
	addDatabase(cmd, &o.db)
	f := cmd.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "default", "namespace to look into")
	f.BoolVarP(&o.allNamespaces, "all-namespaces", "A", false, "look into all namespaces")
	f.StringVar(&o.cluster, "cluster", "", "name or UID of a cluster, if several are in the database")
}

// addUID adds the flag that chooses one of several objects that had a name.
func (o *readOptions) addUID(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.uid, "uid", "", "UID of the object, if several had the name (default: the last)")
}

// subject is what a command is about: TYPE/NAME, or TYPE NAME.
func subject(args []string) (kind, name string, err error) {
	kind, name, found := strings.Cut(strings.Join(args, "/"), "/")
	if !found || kind == "" || name == "" || strings.Contains(name, "/") {
		return "", "", fmt.Errorf("%q names no object: take TYPE/NAME, such as jobs/train-7", strings.Join(args, " "))
	}
	return kind, name, nil
}

// oneObject are the arguments of a command that is about one object.
func oneObject(_ *cobra.Command, args []string) error {
	_, _, err := subject(args)
	return err
}

// types reads "jobs,pods"; nil is all.
func (o *readOptions) types(ctx context.Context, d *record.Database, words string) ([]record.Type, error) {
	if words == "" {
		return nil, nil
	}
	all, err := d.Types(ctx)
	if err != nil {
		return nil, err
	}
	var types []record.Type
	for word := range strings.SplitSeq(words, ",") {
		t, err := record.FindType(all, strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		types = append(types, t)
	}
	return types, nil
}

// objects returns the objects that had a name, the newest first: up to 1,000.
//
// Errors: ErrUnknown, and where else there are some.
func (o *readOptions) objects(ctx context.Context, d *record.Database, args []string) ([]record.Object, error) {
	kind, name, err := subject(args)
	if err != nil {
		return nil, err
	}
	types, err := o.types(ctx, d, kind)
	if err != nil {
		return nil, err
	}
	n := record.Name{Type: types[0], Namespace: o.namespace, Anywhere: o.allNamespaces, Name: name, Cluster: o.cluster}
	all := record.Paging{Limit: 1000}
	page, err := d.Objects(ctx, n, all)
	if err == nil && len(page.Items) == 0 && !n.Anywhere { // of a type that lives in no namespace?
		bare := n
		bare.Namespace = ""
		page, err = d.Objects(ctx, bare, all)
	}
	if err != nil {
		return nil, err
	}
	objects := page.Items
	if o.uid != "" {
		objects = nil
		for _, obj := range page.Items {
			if obj.UID == o.uid {
				objects = append(objects, obj)
			}
		}
		n.Name += " with UID " + o.uid
	}
	if len(objects) > 0 || n.Anywhere || o.uid != "" {
		if len(objects) == 0 {
			err = fmt.Errorf("%s: %w", n, record.ErrUnknown)
		}
		return objects, err
	}
	n.Anywhere = true
	elsewhere, err := d.Objects(ctx, n, record.Paging{Limit: 1})
	n.Anywhere = false
	switch {
	case err != nil:
	case len(elsewhere.Items) > 0:
		err = fmt.Errorf("%s: %w; in namespace %s there was one: take -n %[3]s", n, record.ErrUnknown, elsewhere.Items[0].Namespace)
	default:
		err = fmt.Errorf("%s: %w", n, record.ErrUnknown)
	}
	return nil, err
}

// oneCluster refuses objects of several clusters where one is wanted.
func oneCluster(objects []record.Object) error {
	for _, obj := range objects {
		if obj.ClusterUID != objects[0].ClusterUID {
			return fmt.Errorf("there is one in cluster %s, and one in %s: take --cluster, with the name or the UID (%s, %s)",
				objects[0].Cluster, obj.Cluster, objects[0].ClusterUID, obj.ClusterUID)
		}
		if obj.Namespace != objects[0].Namespace {
			return fmt.Errorf("there is one in namespace %s, and one in %s: take -n", objects[0].Namespace, obj.Namespace)
		}
	}
	return nil
}

// filterOptions are the flags that choose transitions.
type filterOptions struct {
	since, until     string
	states           []string
	labels           string
	owner            string
	queue, submitter string
}

func (o *filterOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "", "from this time on: 2h, 3d (ago), 15:04, 2026-03-01, 2026-03-01T15:04:05Z")
	f.StringVar(&o.until, "until", "", "before this time")
	f.StringVarP(&o.labels, "selector", "l", "", "labels that objects have, such as app=train,team=vision")
	f.StringVar(&o.owner, "owner", "", "who controls the objects: KIND/NAME, or a UID")
	f.StringVar(&o.queue, "queue", "", "queue in which objects wait")
	f.StringVar(&o.submitter, "submitter", "", "who has made the objects")
}

// filter reads the flags.
func (o *filterOptions) filter(ctx context.Context, d *record.Database, place *readOptions, types string, now time.Time) (f record.Filter, err error) {
	f = record.Filter{Cluster: place.cluster, Queue: o.queue, Submitter: o.submitter}
	if !place.allNamespaces {
		f.Namespace = place.namespace
	}
	if f.Types, err = place.types(ctx, d, types); err != nil {
		return f, err
	}
	if f.Since, err = parseTime(o.since, now); err == nil {
		f.Until, err = parseTime(o.until, now)
	}
	if err != nil {
		return f, err
	}
	if kind, name, both := strings.Cut(o.owner, "/"); both {
		f.Owner = record.Owner{Kind: kind, Name: name}
		all, err := d.Types(ctx)
		if err != nil {
			return f, err
		}
		if t, err := record.FindType(all, kind); err == nil {
			f.Owner.Kind = t.Kind // an owner need not be of a type that is recorded
		}
	} else {
		f.Owner.UID = o.owner
	}
	for _, s := range o.states {
		f.States = append(f.States, state.State(s))
	}
	f.Labels, err = parseLabels(o.labels)
	return f, err
}

// parseLabels reads "app=train,team=vision".
func parseLabels(text string) (labels []record.Label, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.Replace(part, "==", "=", 1), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, "!() ") {
			return nil, fmt.Errorf("the selector %q is none that the history can be searched by: take name=value, several separated by commas", text)
		}
		labels = append(labels, record.Label{Name: name, Value: value})
	}
	return labels, nil
}

// layouts are the ways to write a time; those without a zone are local.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// parseTime reads a time, or how long ago it was; "" is none.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range layouts {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return t, nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			y, m, day := now.Local().Date()
			return time.Date(y, m, day, t.Hour(), t.Minute(), t.Second(), 0, time.Local), nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 100_000 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is no time: take how long ago (2h, 3d), 15:04, 2026-03-01, 2026-03-01T15:04:05Z", text)
}

// revisionAt is one revision of one object.
type revisionAt struct {
	record.Object
	record.Revision
}

// at finds the revision that is meant: a version, or a time; "" is the last. Of the
// objects, the newest is first.
func at(ctx context.Context, d *record.Database, objects []record.Object, text string, now time.Time) (found revisionAt, err error) {
	version, numeric := wire.Version(0), false
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		version, numeric = wire.Version(v), true
	}
	var when time.Time
	if !numeric {
		if when, err = parseTime(text, now); err != nil {
			return found, fmt.Errorf("%q is no revision: take a version, as `vedette history -o wide` shows it, or a time (%w)", text, err)
		}
	}
	for _, obj := range objects {
		for r, err := range record.Walk(ctx, record.Paging{}, func(ctx context.Context, p record.Paging) (record.Page[record.Revision], error) {
			return d.Revisions(ctx, obj.ID, p)
		}) {
			switch {
			case err != nil:
				return found, err
			case numeric && r.Version != version, !numeric && !when.IsZero() && r.Seen.After(when):
				continue
			}
			return revisionAt{obj, r}, nil
		}
	}
	obj := objects[0]
	if numeric {
		return found, fmt.Errorf("%s %s has no revision %s; `vedette history %[1]s/%[4]s -o wide` shows versions", obj.Type, obj.Namespace+"/"+obj.Name, text, obj.Name)
	}
	return found, fmt.Errorf("%s %s/%s was not seen before %s", obj.Type, obj.Namespace, obj.Name, when.Format(time.RFC3339))
}

// errExit is an error with an exit code of its own.
type errExit struct {
	error
	code int
}

func (e errExit) Unwrap() error { return e.error }

// exitCode gives an error another exit code than 1, or nil that of an end that is none
// to complain of.
func exitCode(code int, err error) error {
	if err == nil {
		err = errors.New("")
	}
	return errExit{err, code}
}

// codeOfErrors gives a command's errors that have no exit code of their own another
// than 1, which means something else there.
func codeOfErrors(cmd *cobra.Command, code int) *cobra.Command {
	with := func(err error) error {
		var e errExit
		if err == nil || errors.As(err, &e) {
			return err
		}
		return exitCode(code, err)
	}
	args, before, run := cmd.Args, cmd.PreRunE, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, a []string) error { return with(args(cmd, a)) }
	cmd.PreRunE = func(cmd *cobra.Command, a []string) error { return with(before(cmd, a)) }
	cmd.RunE = func(cmd *cobra.Command, a []string) error { return with(run(cmd, a)) }
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return with(fmt.Errorf("%w (see `%s --help`)", err, c.CommandPath()))
	})
	return cmd
}
