package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/access"
	"github.com/vedette-io/vedette/record"
)

// connected is a cluster with a connection, and what to record of it.
type connected struct {
	clusterConfig
	*kube.Cluster
	uid     string // identity of the cluster; empty if unknown
	targets []scope
	missing []missing
}

// scope is a target with its type. The resource is the zero value as long as the type is
// unknown.
type scope struct {
	record.Target
	resource kube.Resource
}

// missing is a type that the cluster does not serve.
type missing struct {
	resourceConfig
	err error
}

// named returns the clusters that the command line names: all types in each context.
func (o *watchOptions) named(types string) (all []clusterConfig, err error) {
	for context := range strings.SplitSeq(o.connect.Context, ",") {
		c := clusterConfig{name: context, context: context, kubeconfig: o.connect.Kubeconfig, at: "the command line"}
		for typ := range strings.SplitSeq(types, ",") {
			typ = strings.TrimSpace(typ)
			if typ == "" {
				return nil, fmt.Errorf("the types %q contain an empty name", types)
			}
			c.resources = append(c.resources, resourceConfig{typ: typ, own: !o.allNamespaces, labels: o.labels, fields: o.fields})
		}
		for _, other := range all {
			if other.context == context {
				return nil, fmt.Errorf("--context names %q twice", context)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// connect prepares connections to clusters and sends no request. The caller closes them
// with closeAll.
func connect(all []clusterConfig, namespace string) (clusters []*connected, err error) {
	var errs []error
	for _, c := range all {
		cluster, err := kube.Connect(kube.Config{Kubeconfig: c.kubeconfig, Context: c.context, Namespace: namespace})
		if err != nil {
			errs = append(errs, inOne(all, c, err))
			continue
		}
		if c.name == "" {
			c.name = cluster.Host()
		}
		if slices.ContainsFunc(clusters, func(other *connected) bool { return other.name == c.name }) {
			cluster.Close()
			errs = append(errs, fmt.Errorf("%s: two clusters have the name %q: give each its own", c.at, c.name))
			continue
		}
		clusters = append(clusters, &connected{clusterConfig: c, Cluster: cluster})
	}
	if len(errs) > 0 {
		closeAll(clusters)
		return nil, errors.Join(errs...)
	}
	return clusters, nil
}

// reached returns clusters as the portal has them.
func reached(clusters []*connected) (all []access.Cluster) {
	for _, c := range clusters {
		all = append(all, access.Cluster{Name: c.name, Kube: c.Cluster})
	}
	return all
}

func closeAll(clusters []*connected) {
	for _, c := range clusters {
		c.Close()
	}
}

// inOne adds the name of the cluster to an error, if there are several clusters.
func inOne(all []clusterConfig, c clusterConfig, err error) error {
	if len(all) == 1 || err == nil {
		return err
	}
	return &aboutCluster{cmp.Or(c.name, c.at), err}
}

// identifyAll resolves the types and reads the identity of all clusters at the same time.
// If unavailable is not nil, it is called for each cluster that does not answer, and the
// types of that cluster are resolved later.
//
// Errors: those of all clusters, except those that unavailable was called with; two
// names for one cluster.
func identifyAll(ctx context.Context, clusters []*connected, unavailable func(error)) error {
	var work sync.WaitGroup
	errs := make([]error, len(clusters))
	for i, c := range clusters {
		work.Go(func() {
			err := c.resolve(ctx)
			if err == nil {
				err = c.identify(ctx)
			}
			if err != nil && len(clusters) > 1 {
				err = &aboutCluster{c.name, err}
			}
			errs[i] = err
		})
	}
	work.Wait()
	for i, err := range errs {
		if err != nil && unavailable != nil && !errors.As(err, new(*kube.ConfigError)) {
			clusters[i].assume()
			unavailable(err)
			errs[i] = nil
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	names := map[string]string{}
	for _, c := range clusters {
		if c.uid == "" {
			continue
		}
		if other := names[c.uid]; other != "" {
			return fmt.Errorf("%s and %s are the same cluster: name it once, with all its resources", other, c.name)
		}
		names[c.uid] = c.name
	}
	return nil
}

// assume makes targets of unresolved types. The recorder resolves them when the cluster
// answers.
func (c *connected) assume() {
	c.targets, c.missing = nil, nil
	for _, r := range c.resources {
		for _, namespace := range c.namespaces(r, kube.Namespaced) {
			c.targets = append(c.targets, scope{Target: r.target(r.typ, namespace)})
		}
	}
}

// identify sets the UID of the cluster.
func (c *connected) identify(ctx context.Context) (err error) {
	c.uid, err = c.Identity(ctx, time.Time{})
	return err
}

// resolve resolves the types. It adds those that the server does not serve to missing.
//
// Errors: the server does not answer; a selection is illegal.
func (c *connected) resolve(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, firstAnswer, fmt.Errorf("%w: no answer from %s within %v", context.DeadlineExceeded, c.Host(), firstAnswer))
	defer cancel()
	var errs []error
	for _, r := range c.resources {
		res, err := c.Resolve(ctx, r.typ)
		if unknown := (*kube.UnknownResourceError)(nil); errors.As(err, &unknown) {
			c.missing = append(c.missing, missing{r, err})
			for _, namespace := range c.namespaces(r, kube.Namespaced) {
				c.targets = append(c.targets, scope{Target: r.target(r.typ, namespace)})
			}
			continue
		}
		if err != nil {
			if cause := context.Cause(ctx); errors.Is(ctx.Err(), context.DeadlineExceeded) {
				err = cause
			}
			return err
		}
		errs = append(errs, c.add(r, res))
	}
	return errors.Join(errs...)
}

// namespaces returns the namespaces of a resource; "" means all.
func (c *connected) namespaces(r resourceConfig, of kube.Scope) []string {
	switch {
	case r.own && of == kube.Namespaced:
		return []string{c.Namespace()}
	case len(r.namespaces) == 0:
		return []string{""}
	}
	return r.namespaces
}

func (r *resourceConfig) target(typ, namespace string) record.Target {
	return record.Target{Type: typ, Namespace: namespace, LabelSelector: r.labels, FieldSelector: r.fields}
}

// add makes targets of a resource, one for each namespace.
func (c *connected) add(r resourceConfig, res kube.Resource) error {
	for _, namespace := range c.namespaces(r, res.Scope) {
		// A wrong selection must be reported before anything starts.
		if _, err := c.Collection(res, kube.Selection{Namespace: namespace, LabelSelector: r.labels, FieldSelector: r.fields}); err != nil {
			return r.complain(err)
		}
		t := scope{r.target(res.String(), namespace), res}
		if !slices.ContainsFunc(c.targets, func(other scope) bool { return other.Target == t.Target }) { // several names may mean one type
			c.targets = append(c.targets, t)
		}
	}
	return nil
}

// complain adds the position in the file to an error.
func (r *resourceConfig) complain(err error) error {
	if r.at == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.at, err)
}

// unready returns an error for each type that cannot be recorded now, because it is not
// served or because a right is missing.
func unready(ctx context.Context, clusters []*connected) error {
	ctx, cancel := context.WithTimeout(ctx, firstAnswer)
	defer cancel()
	var errs []error
	for _, c := range clusters {
		var these []error
		for _, m := range c.missing {
			these = append(these, m.complain(m.err))
		}
		for _, t := range c.targets {
			// A server that does not review access reports missing rights to the reflector.
			if lacks, why, err := t.lacks(ctx, c.Cluster); err == nil && len(lacks) > 0 {
				these = append(these, fmt.Errorf("no rights: may not %s %s%s; grant these verbs in a Role or ClusterRole", strings.Join(lacks, " and "), t, why))
			}
		}
		for _, err := range these {
			if len(clusters) > 1 {
				err = &aboutCluster{c.name, err}
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// verbs returns the verbs that a recorder of the scope needs.
func (t scope) verbs() []string {
	if t.LabelSelector+t.FieldSelector == "" {
		return []string{"list", "watch"}
	}
	return []string{"list", "watch", "get"} // to distinguish an object that left the selection from a deleted one
}

// lacks returns the verbs that are not allowed, and the reason that the server gives. It
// returns none if the type is unknown.
func (t scope) lacks(ctx context.Context, c *kube.Cluster) (verbs []string, why string, err error) {
	if t.resource.Name == "" {
		return nil, "", nil
	}
	return lacks(ctx, c, t.resource, t.Namespace, "", t.verbs()...)
}

func lacks(ctx context.Context, c *kube.Cluster, r kube.Resource, namespace, object string, verbs ...string) (lacks []string, why string, err error) {
	for _, verb := range verbs {
		yes, reason, err := c.Allowed(ctx, verb, r, namespace, object)
		if err != nil {
			return nil, "", err
		}
		if yes {
			continue
		}
		lacks = append(lacks, verb)
		if reason != "" {
			why = " (" + reason + ")"
		}
	}
	return lacks, why, nil
}

// String names a scope: "pods in ml with app=train".
func (t scope) String() string {
	var text strings.Builder
	text.WriteString(t.Type)
	switch {
	case t.Namespace != "":
		text.WriteString(" in " + t.Namespace)
	case t.resource.Scope == kube.Namespaced:
		text.WriteString(" in all namespaces")
	}
	for _, selector := range []string{t.LabelSelector, t.FieldSelector} {
		if selector != "" {
			text.WriteString(" with " + selector)
		}
	}
	return text.String()
}

// podNamespaces returns the namespaces in which pods are watched for their logs; none means
// all. chosen are selected as a whole; anywhere reports that others may have pods too. A
// recorder of some namespaces only watches no others.
func (c *connected) podNamespaces(chosen []string, anywhere bool) (all []string) {
	add := func(namespace string) {
		if !slices.Contains(all, namespace) {
			all = append(all, namespace)
		}
	}
	for _, namespace := range chosen {
		add(namespace)
	}
	for _, t := range c.targets {
		switch {
		case !anywhere:
		case t.Namespace != "":
			add(t.Namespace)
		case t.resource.Scope == kube.Namespaced || t.resource.Name == "":
			return nil
		}
	}
	return all
}
