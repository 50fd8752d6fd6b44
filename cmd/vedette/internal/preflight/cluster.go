package preflight

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/cmd/vedette/internal/timeout"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
)

// Cluster is a cluster with its connection and its targets.
type Cluster struct {
	settings.ClusterConfig
	*kube.Cluster
	uid     string // identity of the cluster; empty if unknown
	Targets []Target
	missing []MissingType
}

// Target is a target with its type. The resource is the zero value as long as the type is
// unknown.
type Target struct {
	record.Target
	resource kube.Resource
}

// MissingType is a type that the cluster does not serve.
type MissingType struct {
	settings.ResourceConfig
	err error
}

// Connect prepares connections to clusters and sends no request. The caller closes them
// with CloseAll.
func Connect(all []settings.ClusterConfig, namespace string) (clusters []*Cluster, err error) {
	var errs []error
	for _, c := range all {
		cluster, err := kube.Connect(kube.Config{Kubeconfig: c.Kubeconfig, Context: c.Context, Namespace: namespace})
		if err != nil {
			errs = append(errs, inOne(all, c, err))
			continue
		}
		if c.Name == "" {
			c.Name = cluster.Host()
		}
		if slices.ContainsFunc(clusters, func(other *Cluster) bool { return other.Name == c.Name }) {
			cluster.Close()
			errs = append(errs, fmt.Errorf("%s: two clusters have the name %q: give each its own", c.At, c.Name))
			continue
		}
		clusters = append(clusters, &Cluster{ClusterConfig: c, Cluster: cluster})
	}
	if len(errs) > 0 {
		CloseAll(clusters)
		return nil, errors.Join(errs...)
	}
	return clusters, nil
}

// CloseAll closes the connections of clusters.
func CloseAll(clusters []*Cluster) {
	for _, c := range clusters {
		c.Close()
	}
}

// inOne adds the name of the cluster to an error, if there are several clusters.
func inOne(all []settings.ClusterConfig, c settings.ClusterConfig, err error) error {
	if len(all) == 1 || err == nil {
		return err
	}
	return &explain.ClusterError{Name: cmp.Or(c.Name, c.At), Err: err}
}

// Identify resolves the types and reads the identity of all clusters at the same time.
// If unavailable is not nil, it is called for each cluster that does not answer, and the
// types of that cluster are resolved later.
//
// Errors: those of all clusters, except those that unavailable was called with; two
// names for one cluster.
func Identify(ctx context.Context, clusters []*Cluster, unavailable func(error)) error {
	var work sync.WaitGroup
	errs := make([]error, len(clusters))
	for i, c := range clusters {
		work.Go(func() {
			err := c.resolve(ctx)
			if err == nil {
				err = c.identify(ctx)
			}
			if err != nil && len(clusters) > 1 {
				err = &explain.ClusterError{Name: c.Name, Err: err}
			}
			errs[i] = err
		})
	}
	work.Wait()
	for i, err := range errs {
		if err != nil && unavailable != nil && !errcode.Is(err, errcode.Misconfigured) {
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
			return fmt.Errorf("%s and %s are the same cluster: name it once, with all its resources", other, c.Name)
		}
		names[c.uid] = c.Name
	}
	return nil
}

// assume makes targets of unresolved types. The recorder resolves them when the cluster
// answers.
func (c *Cluster) assume() {
	c.Targets, c.missing = nil, nil
	for _, r := range c.ClusterConfig.Resources {
		for _, namespace := range c.namespaces(r, kube.Namespaced) {
			c.assumeTargets(r, namespace)
		}
	}
}

// assumeTargets adds the targets of a type that is not resolved.
func (c *Cluster) assumeTargets(r settings.ResourceConfig, namespace string) {
	for _, target := range r.Targets(r.Typ, namespace) {
		c.Targets = append(c.Targets, Target{Target: target})
	}
}

// identify sets the UID of the cluster.
func (c *Cluster) identify(ctx context.Context) (err error) {
	c.uid, err = c.Identity(ctx, time.Time{})
	return err
}

// resolve resolves the types. It adds those that the server does not serve to missing.
//
// Errors: the server does not answer; a selection is illegal.
func (c *Cluster) resolve(ctx context.Context) error {
	ctx, cancel := timeout.AnswerWithin(ctx, c.Host(), timeout.FirstAnswer)
	defer cancel()
	c.Targets, c.missing = nil, nil // of an earlier attempt
	var errs []error
	for _, r := range c.ClusterConfig.Resources {
		res, err := c.Resolve(ctx, r.Typ)
		if unknown := (*kube.UnknownResourceError)(nil); errors.As(err, &unknown) {
			c.missing = append(c.missing, MissingType{r, err})
			for _, namespace := range c.namespaces(r, kube.Namespaced) {
				c.assumeTargets(r, namespace)
			}
			continue
		}
		if err != nil {
			return timeout.Cause(ctx, err)
		}
		errs = append(errs, c.add(r, res))
	}
	return errors.Join(errs...)
}

// namespaces returns the namespaces of a resource; "" means all.
func (c *Cluster) namespaces(r settings.ResourceConfig, of kube.Scope) []string {
	switch {
	case r.Own && of == kube.Namespaced:
		return []string{c.Namespace()}
	case len(r.Namespaces) == 0:
		return []string{""}
	}
	return r.Namespaces
}

// add makes targets of a resource, one for each namespace.
func (c *Cluster) add(r settings.ResourceConfig, res kube.Resource) error {
	for _, namespace := range c.namespaces(r, res.Scope) {
		// A wrong selection must be reported before anything starts.
		if _, err := c.Collection(res, kube.Selection{Namespace: namespace, LabelSelector: r.Labels, FieldSelector: r.Fields}); err != nil {
			return r.WithPosition(err)
		}
		for _, target := range r.Targets(res.String(), namespace) {
			if !slices.ContainsFunc(c.Targets, func(other Target) bool { return other.Target == target }) { // several names may mean one type
				c.Targets = append(c.Targets, Target{target, res})
			}
		}
	}
	return nil
}

// Unready returns an error for each type that cannot be recorded now, because it is not
// served or because a right is missing.
func Unready(ctx context.Context, clusters []*Cluster) error {
	ctx, cancel := context.WithTimeout(ctx, timeout.FirstAnswer)
	defer cancel()
	var errs []error
	for _, c := range clusters {
		var these []error
		for _, m := range c.missing {
			these = append(these, m.WithPosition(m.err))
		}
		for _, t := range c.Targets {
			if t.UIDs.Index > 0 {
				continue // the rights are those of the first range
			}
			// A server that does not review access reports missing rights to the reflector.
			if lacks, why, err := t.lacks(ctx, c.Cluster); err == nil && len(lacks) > 0 {
				these = append(these, fmt.Errorf("no rights: may not %s %s%s; grant these verbs in a Role or ClusterRole", strings.Join(lacks, " and "), t, why))
			}
		}
		for _, err := range these {
			if len(clusters) > 1 {
				err = &explain.ClusterError{Name: c.Name, Err: err}
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// verbs returns the verbs that a recorder of the scope needs.
func (t Target) verbs() []string {
	if t.LabelSelector+t.FieldSelector == "" {
		return []string{"list", "watch"}
	}
	return []string{"list", "watch", "get"} // to distinguish an object that left the selection from a deleted one
}

// lacks returns the verbs that are not allowed, and the reason that the server gives. It
// returns none if the type is unknown.
func (t Target) lacks(ctx context.Context, c *kube.Cluster) (verbs []string, why string, err error) {
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
func (t Target) String() string {
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
	if !t.UIDs.IsAll() {
		text.WriteString(", UID range " + t.UIDs.String())
	}
	return text.String()
}

// PodNamespaces returns the namespaces in which pods are watched for their logs; none means
// all. chosen are selected as a whole; anywhere reports that others may have pods too. A
// recorder of some namespaces only watches no others.
func (c *Cluster) PodNamespaces(chosen []string, anywhere bool) (all []string) {
	add := func(namespace string) {
		if !slices.Contains(all, namespace) {
			all = append(all, namespace)
		}
	}
	for _, namespace := range chosen {
		add(namespace)
	}
	for _, t := range c.Targets {
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
