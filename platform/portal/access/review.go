package access

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// Limits of reviews.
const (
	reviewsAtOnce = 16 // of one person in one cluster
	maxAnswer     = 1 << 20
)

// authenticated is the group of all authenticated users. The server adds it to requests, but not to
// reviews.
const authenticated = "system:authenticated"

// subject is the identity of a person in one cluster.
type subject struct {
	name   string
	groups []string
	extra  map[string][]string
}

// subjectIn returns the identity of a person in a cluster; false if there is none.
func subjectIn(p identity.Person, cluster string) (subject, bool) {
	if !p.KnownIn(cluster) || p.Anonymous() {
		return subject{}, false
	}
	groups := p.Groups
	if !slices.Contains(groups, authenticated) {
		groups = append(slices.Clone(groups), authenticated)
	}
	return subject{name: p.Name, groups: groups, extra: p.Extra}, true
}

// impersonation returns the configuration that impersonates the subject.
func (s subject) impersonation() kube.Impersonation {
	groups := slices.DeleteFunc(slices.Clone(s.groups), func(g string) bool { return g == authenticated }) // the server adds this group
	return kube.Impersonation{User: s.name, Groups: groups, Extra: s.extra}
}

// post creates a review, which the server answers without storing it. It decodes the answer into a
// new value: decoding into the review would write to the subject's groups, which other reviews
// share.
func post(ctx context.Context, c *kube.Cluster, path string, review, into any) error {
	body, err := json.Marshal(review)
	if err != nil {
		return err
	}
	body, err = do(ctx, c, path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// do sends a review and returns the body of the answer, up to a limit.
func do(ctx context.Context, c *kube.Cluster, path string, body []byte) ([]byte, error) {
	answer, err := c.Do(ctx, kube.Request{Method: "POST", Path: path, Body: body, Accept: "application/json"})
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	return io.ReadAll(io.LimitReader(answer, maxAnswer))
}

// allowed reviews a right of a subject in a cluster.
func allowed(ctx context.Context, c *kube.Cluster, who subject, r Right) (bool, error) {
	review := authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: who.name, Groups: who.groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: r.Verb, Group: r.Group, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name},
	}}
	for key, values := range who.extra {
		if review.Spec.Extra == nil {
			review.Spec.Extra = map[string]authorizationv1.ExtraValue{}
		}
		review.Spec.Extra[key] = values
	}
	review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SubjectAccessReview"
	var answer struct {
		Status authorizationv1.SubjectAccessReviewStatus `json:"status"`
	}
	if err := post(ctx, c, "/apis/authorization.k8s.io/v1/subjectaccessreviews", review, &answer); err != nil {
		return false, fmt.Errorf("review a right: %w", err)
	}
	return answer.Status.Allowed && !answer.Status.Denied, nil
}

// allowedIn reviews a right in several namespaces, some at once, and returns the allowed ones.
func allowedIn(ctx context.Context, c *kube.Cluster, who subject, r Right, namespaces []string) (map[string]bool, error) {
	var mu sync.Mutex
	found := map[string]bool{}
	err := each(ctx, namespaces, func(ctx context.Context, namespace string) error {
		one := r
		one.Namespace = namespace
		yes, err := allowed(ctx, c, who, one)
		mu.Lock()
		defer mu.Unlock()
		if yes {
			found[namespace] = true
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// each calls f for several namespaces, some at once, until one call fails.
//
// Errors: the first one of f; the cause of ctx.
func each(ctx context.Context, namespaces []string, f func(context.Context, string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan string)
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	for range min(reviewsAtOnce, len(namespaces)) {
		wg.Go(func() {
			for namespace := range work {
				if err := f(ctx, namespace); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
					cancel()
				}
			}
		})
	}
	for _, namespace := range namespaces {
		select {
		case work <- namespace:
		case <-ctx.Done():
		}
	}
	close(work)
	wg.Wait()
	if len(errs) > 0 {
		return errs[0]
	}
	return context.Cause(ctx)
}

// tokenOwner asks a cluster for the person of a token; false if it does not know the token. An
// empty audience means the API server.
func tokenOwner(ctx context.Context, c *kube.Cluster, token, audience string) (authenticationv1.UserInfo, bool, error) {
	review := authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	review.APIVersion, review.Kind = "authentication.k8s.io/v1", "TokenReview"
	if audience != "" {
		review.Spec.Audiences = []string{audience}
	}
	var answer struct {
		Status authenticationv1.TokenReviewStatus `json:"status"`
	}
	if err := post(ctx, c, "/apis/authentication.k8s.io/v1/tokenreviews", review, &answer); err != nil {
		return authenticationv1.UserInfo{}, false, fmt.Errorf("review a token: %w", err)
	}
	user := answer.Status.User
	if audience != "" && !slices.Contains(answer.Status.Audiences, audience) {
		return user, false, nil // the server does not check audiences
	}
	return user, answer.Status.Authenticated && user.Username != "" && !strings.HasPrefix(user.Username, "system:anonymous"), nil
}

// resourceOf splits the name of a type, "jobs.batch", into the resource and its group.
func resourceOf(typ string) (resource, group string) {
	resource, group, _ = strings.Cut(typ, ".")
	return resource, group
}
