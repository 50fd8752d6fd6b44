package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// errIncomplete reports an authorizer that cannot list rights.
var errIncomplete = errors.New("an authorizer of the API server cannot list the rights of a person")

// MayCreate returns nil unless it is certain that the person of a context may create objects of none
// of some types, such as "jobs.batch", in no namespace of any cluster. It is a first check for
// requests that are expensive to read, and does not replace May. If an API server does not answer or
// cannot list rights, the person passes, and the log says so once.
//
// Errors: *api.Problem.
func (a *Access) MayCreate(ctx context.Context, types []string) error {
	if err := identity.Check(ctx); err != nil {
		return err
	}
	person := identity.Of(ctx)
	switch {
	case !a.cfg.Rights:
		return nil
	case person.Anonymous():
		return errNobody
	}
	key := creatorKey{keyOf(person), strings.Join(types, " ")}
	if one, ok := a.creators.get(key, a.now()); ok {
		return one.refusal
	}
	began := a.now()
	bound, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	one := creator{refusal: creatingNothing(person.Name), until: began.Add(refusedFor)}
	for _, name := range a.Clusters() {
		who, ok := subjectIn(person, name)
		if !ok {
			continue
		}
		c, err := a.Cluster(ctx, name)
		if err != nil {
			return err
		}
		s := a.surveys[name]
		yes, err := s.creates(bound, c, who, types)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.rules.See(faultlog.State{Err: err})
		if yes {
			one = creator{until: began.Add(creatorFor)}
			break
		}
		if err != nil {
			one.refusal = nil
		}
	}
	a.creators.set(key, one)
	return one.refusal
}

// creates reports whether a subject may create objects of one of the types in any namespace. c
// impersonates the subject.
//
// Errors: rights are unknown. The answer may still be true.
func (s *survey) creates(ctx context.Context, c *kube.Cluster, who subject, types []string) (bool, error) {
	if s.bindings == nil || !s.bindings.ready() {
		return false, errors.New("the role bindings are not known, and so are the namespaces in which a person may have rights")
	}
	candidates, err := s.bindings.candidates(who)
	if err != nil {
		return false, err
	}
	namespaces := distinct(candidates)
	for n, namespace := range namespaces {
		if n == reviewEach {
			return false, fmt.Errorf("a person has different roles in %d namespaces, and the portal reviews %d of them", len(namespaces), reviewEach)
		}
		if yes, err := createsIn(ctx, c, namespace, types); yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}

// distinct returns some of the candidates: each of their roles is bound in one of them. Where RBAC
// alone decides, the others give no further rights. Rights in all namespaces are also rights in
// "default", whether or not it exists.
func distinct(candidates map[string]map[string]bool) (namespaces []string) {
	known := map[string]bool{}
	for _, namespace := range slices.Sorted(maps.Keys(candidates)) {
		fresh := false
		for role := range candidates[namespace] {
			fresh = fresh || !known[role]
			known[role] = true
		}
		if fresh {
			namespaces = append(namespaces, namespace)
		}
	}
	if len(namespaces) == 0 {
		return []string{"default"}
	}
	return namespaces
}

// createsIn reviews the rights of the sender in a namespace and in all namespaces.
//
// Errors: errIncomplete; those of the cluster. The answer may still be true.
func createsIn(ctx context.Context, c *kube.Cluster, namespace string, types []string) (bool, error) {
	review := authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace}}
	review.APIVersion, review.Kind = "authorization.k8s.io/v1", "SelfSubjectRulesReview"
	var answer struct {
		Status authorizationv1.SubjectRulesReviewStatus `json:"status"`
	}
	if err := post(ctx, c, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", review, &answer); err != nil {
		return false, fmt.Errorf("review rights: %w", err)
	}
	var unknown error
	if answer.Status.Incomplete || answer.Status.EvaluationError != "" {
		unknown = errIncomplete
	}
	has := func(all []string, one string) bool { return slices.Contains(all, one) || slices.Contains(all, "*") }
	for _, rule := range answer.Status.ResourceRules {
		if !has(rule.Verbs, "create") || len(rule.ResourceNames) > 0 { // a new object has no name yet
			continue
		}
		for _, typ := range types {
			if resource, group := resourceOf(typ); has(rule.APIGroups, group) && has(rule.Resources, resource) {
				return true, unknown
			}
		}
	}
	return false, unknown
}
