package access

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/submit"
)

var errNobody = &api.Problem{
	Type: api.ProblemSignIn, Title: "Sign in", Status: 401,
	Detail: "The API servers decide what you may see, so the portal must know who you are. Sign in at /auth/.",
}

// noCluster is the refusal for a cluster that the portal is not connected to.
func noCluster(name string) *api.Problem {
	return &api.Problem{
		Type: api.ProblemUnavailable, Title: "The portal is not connected to the cluster", Status: 503,
		Detail: fmt.Sprintf("This portal has no connection to the cluster %q. Ask its administrator to add one.", name),
	}
}

// noIdentity is the refusal for a person who has no identity in a cluster.
func noIdentity(name string) *api.Problem {
	return &api.Problem{
		Type: api.ProblemDenied, Title: "The cluster does not know you", Status: 403,
		Detail: fmt.Sprintf("Your token does not belong to the cluster %q. Sign in with a token of that cluster.", name),
	}
}

// noAnswer is the refusal while an API server does not answer. It omits err, which may contain
// internal addresses.
func noAnswer(clusters ...string) *api.Problem {
	return &api.Problem{
		Type: api.ProblemCluster, Title: "The API server does not answer", Status: 502,
		Detail:     fmt.Sprintf("Your rights cannot be checked, because the API server of %s does not answer. Try again.", strings.Join(clusters, ", ")),
		RetryAfter: 10,
	}
}

// lacking is the refusal for a missing right.
func lacking(person string, r Right) *api.Problem {
	resource := kube.Resource{Group: r.Group, Name: r.Resource}
	what := resource.String()
	if r.Subresource != "" {
		what = kube.Resource{Group: r.Group, Name: r.Resource + "/" + r.Subresource}.String()
	}
	where := "in all namespaces"
	if r.Namespace != "" {
		where = "in the namespace " + printable.Line(r.Namespace)
	}
	return &api.Problem{
		Type: api.ProblemDenied, Title: "A right is missing", Status: 403,
		Detail: fmt.Sprintf("%s may not %s %s %s of the cluster %s. Ask an administrator for the role.", printable.Line(person), r.Verb, printable.Line(what), where, r.Cluster),
		Role:   submit.RoleFor(person, submit.Right{Verb: r.Verb, Resource: resource, Subresource: r.Subresource, Namespace: r.Namespace, Also: r.Also}),
	}
}
