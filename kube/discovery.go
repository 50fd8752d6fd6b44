package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	discoveryv2 "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/wire"
)

// These constants bound discovery.
const (
	discoveryHeaderTimeout = 10 * time.Second // until the answer begins
	discoveryBodyTimeout   = time.Minute      // until the answer has ended
	maxDiscovery           = 64 << 20
	maxDiscoveryRequests   = 8 // parallel requests, if each version of a group needs its own
)

// acceptDiscovery asks for all groups in one document (KEP-3352). A server without
// aggregated discovery answers with the list of groups.
const acceptDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList," + wire.MediaTypeJSON

// discover asks the server once which types it serves. If one group does not answer,
// for example because its aggregated server is down, discover still returns the others.
//
// Errors: *DiscoveryError if the server answers without a list of types; *RequestError
// if the server does not answer.
func (c *Cluster) discover(ctx context.Context) (*catalog, error) {
	found := &catalog{asked: time.Now()}
	missing := 0
	for _, root := range []string{"api", "apis"} {
		err := c.discoverRoot(ctx, root, found)
		if apierrors.IsNotFound(err) { // either path may be missing: not every server has pods
			missing++
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	if missing == 2 {
		return nil, &DiscoveryError{Host: c.Host(), Err: errors.New("there is no Kubernetes API at this address (404)"), Remedy: "check the server address of the cluster"}
	}
	return found, nil
}

func (c *Cluster) discoverRoot(ctx context.Context, root string, found *catalog) error {
	body, contentType, err := c.fetch(ctx, acceptDiscovery, root)
	if err != nil {
		return err
	}
	if _, params, _ := mime.ParseMediaType(contentType); params["as"] == "APIGroupDiscoveryList" {
		var list discoveryv2.APIGroupDiscoveryList
		if err := c.decodeDiscovery(body, &list); err != nil {
			return err
		}
		found.addGroups(list.Items)
		return nil
	}
	var groups []schema.GroupVersion
	if root == "api" {
		var versions metav1.APIVersions
		if err := c.decodeDiscovery(body, &versions); err != nil {
			return err
		}
		for _, v := range versions.Versions {
			groups = append(groups, schema.GroupVersion{Version: v})
		}
	} else {
		var list metav1.APIGroupList
		if err := c.decodeDiscovery(body, &list); err != nil {
			return err
		}
		for _, g := range list.Groups {
			groups = append(groups, versionsOf(g)...)
		}
	}
	return c.discoverEach(ctx, root, groups, found)
}

// versionsOf returns the versions of a group, with the preferred version first.
func versionsOf(g metav1.APIGroup) (all []schema.GroupVersion) {
	for _, v := range g.Versions {
		gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
		if v.Version == g.PreferredVersion.Version {
			all = slices.Insert(all, 0, gv)
		} else {
			all = append(all, gv)
		}
	}
	return all
}

// discoverEach requests each version of each group separately.
func (c *Cluster) discoverEach(ctx context.Context, root string, groups []schema.GroupVersion, found *catalog) error {
	lists, errs := make([]metav1.APIResourceList, len(groups)), make([]error, len(groups))
	var work sync.WaitGroup
	turns := make(chan struct{}, maxDiscoveryRequests)
	for i, gv := range groups {
		turns <- struct{}{}
		work.Go(func() {
			defer func() { <-turns }()
			path := []string{root, gv.Group, gv.Version}
			if gv.Group == "" {
				path = []string{root, gv.Version}
			}
			var body []byte
			if body, _, errs[i] = c.fetch(ctx, wire.MediaTypeJSON, path...); errs[i] == nil {
				errs[i] = c.decodeDiscovery(body, &lists[i])
			}
		})
	}
	work.Wait()
	for i, gv := range groups {
		if ctx.Err() != nil {
			return errs[i]
		}
		if errs[i] != nil {
			found.failing = append(found.failing, groupFailure{gv, errs[i]})
		}
		subresources := subresourcesOf(lists[i].APIResources)
		for _, r := range lists[i].APIResources {
			found.add(Resource{
				Group: gv.Group, Version: gv.Version, Name: r.Name, Kind: r.Kind, Singular: r.SingularName,
				ShortNames: r.ShortNames, Verbs: r.Verbs, Scope: scopeOf(r.Namespaced), Subresources: subresources[r.Name],
			})
		}
	}
	return nil
}

// subresourcesOf returns the subresources of each type in a list that has both: the name of a
// subresource is "jobs/status".
func subresourcesOf(list []metav1.APIResource) map[string][]string {
	all := map[string][]string{}
	for _, r := range list {
		if name, sub, ok := strings.Cut(r.Name, "/"); ok {
			all[name] = append(all[name], sub)
		}
	}
	for _, subs := range all {
		slices.Sort(subs)
	}
	return all
}

// fetch returns the body of a JSON answer.
func (c *Cluster) fetch(ctx context.Context, accept string, path ...string) (body []byte, contentType string, err error) {
	u, err := c.address(path...)
	if err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	overdue := fmt.Errorf("no answer within %v", discoveryHeaderTimeout)
	timer := time.AfterFunc(discoveryHeaderTimeout, func() { cancel(overdue) })
	defer timer.Stop()
	failed := func(err error) error {
		if context.Cause(ctx) == overdue {
			return &DiscoveryError{Host: c.Host(), Err: overdue, Remedy: "check the network, and the load of the server"}
		}
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return &RequestError{Host: c.Host(), Verb: "discover", Resource: "types", Err: err}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, "", failed(err)
	}
	req.Header.Set("Accept", accept)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, "", failed(err)
	}
	defer resp.Body.Close()
	timer.Reset(discoveryBodyTimeout)
	if resp.StatusCode != http.StatusOK {
		return nil, "", c.discoveryError(statusError(resp, "discover", Resource{}))
	}
	contentType = resp.Header.Get("Content-Type")
	if enc, err := wire.EncodingOf(contentType); err != nil || enc != wire.JSON {
		return nil, "", &DiscoveryError{
			Host: c.Host(), Err: fmt.Errorf("the answer is %.80q, not JSON", contentType),
			Remedy: "check the server address of the cluster: a login page or a proxy may answer there",
		}
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxDiscovery+1))
	if err == nil && len(body) > maxDiscovery {
		err = &wire.TooLargeError{Limit: maxDiscovery}
	}
	if err != nil {
		return nil, "", failed(err)
	}
	return body, contentType, nil
}

// discoveryError returns the error for a server that refuses discovery.
func (c *Cluster) discoveryError(err error) error {
	if apierrors.IsNotFound(err) {
		return err
	}
	failed := &DiscoveryError{Host: c.Host(), Err: err}
	if apierrors.IsForbidden(err) {
		failed.Remedy = "grant the ClusterRole system:discovery, or state the types in kube.Config.Types"
	}
	return failed
}

func (c *Cluster) decodeDiscovery(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return &DiscoveryError{Host: c.Host(), Err: fmt.Errorf("the answer cannot be decoded: %w", err)}
	}
	return nil
}

// catalog is the result of one discovery. It is immutable.
type catalog struct {
	types   []Resource // in order of preference, as in kubectl
	failing []groupFailure
	asked   time.Time // the start of the round
}

// groupFailure is a version of a group whose types the server cannot list at the moment.
type groupFailure struct {
	schema.GroupVersion
	err error
}

// errStale is the error for an aggregated API whose server does not answer.
var errStale = errors.New("the server that serves it does not answer")

// addGroups adds the groups of an aggregated discovery document.
func (k *catalog) addGroups(groups []discoveryv2.APIGroupDiscovery) {
	for _, g := range groups {
		for _, v := range g.Versions {
			gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
			if v.Freshness == discoveryv2.DiscoveryFreshnessStale {
				k.failing = append(k.failing, groupFailure{gv, errStale})
			}
			for _, r := range v.Resources {
				if r.ResponseKind == nil {
					continue
				}
				var subs []string
				for _, s := range r.Subresources {
					subs = append(subs, s.Subresource)
				}
				slices.Sort(subs)
				k.add(Resource{
					Group: gv.Group, Version: gv.Version, Name: r.Resource, Kind: r.ResponseKind.Kind, Singular: r.SingularResource,
					ShortNames: r.ShortNames, Verbs: r.Verbs, Scope: scopeOf(r.Scope == discoveryv2.ScopeNamespace), Subresources: subs,
				})
			}
		}
	}
}

// add adds a type. It skips subresources and types with invalid names.
func (k *catalog) add(r Resource) {
	if strings.Contains(r.Name, "/") || r.Kind == "" || r.check() != nil {
		return
	}
	if r.Singular == "" {
		r.Singular = strings.ToLower(r.Kind)
	}
	k.types = append(k.types, r)
}

// keepFailing copies the types of failing groups from the previous catalog.
func (k *catalog) keepFailing(before *catalog) {
	for _, f := range k.failing {
		of := func(r Resource) bool { return r.groupVersion() == f.GroupVersion }
		if before == nil || slices.ContainsFunc(k.types, of) {
			continue
		}
		for _, r := range before.types {
			if of(r) {
				k.types = append(k.types, r)
			}
		}
	}
}

func scopeOf(namespaced bool) Scope {
	if namespaced {
		return Namespaced
	}
	return ClusterScoped
}
