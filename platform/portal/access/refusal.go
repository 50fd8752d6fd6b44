package access

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/submit"
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

// undecided is the refusal for a token that may belong to several clusters.
func undecided() *api.Problem {
	return &api.Problem{
		Type: api.ProblemSignIn, Title: "The cluster of the token is not known", Status: 401,
		Detail: "The portal cannot tell which of its clusters issued this token, so it asked none of them. Name the cluster: `vedette login --cluster NAME`, the field of the sign-in page, or the header " + api.HeaderCluster + ".",
	}
}

// otherCluster is the refusal for a token of another cluster than the client has named.
func otherCluster() *api.Problem {
	return &api.Problem{
		Type: api.ProblemSignIn, Title: "The token is from another cluster", Status: 401,
		Detail: "The named cluster did not issue this token, so it was not asked. Name the cluster that issued it.",
	}
}

// unknownCluster is the refusal for the name of a cluster that the portal does not have. It lists
// no other names, because nobody is signed in.
func unknownCluster() *api.Problem {
	return &api.Problem{
		Type: api.ProblemSignIn, Title: "The portal has no such cluster", Status: 401,
		Detail: "The portal is not connected to a cluster with the given name. Use the name that the pages show, or ask the administrator of the portal.",
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

// creatingNothing is the refusal for a person who may create no jobs.
func creatingNothing(person string) *api.Problem {
	return &api.Problem{
		Type: api.ProblemDenied, Title: "A right is missing", Status: 403,
		Detail: fmt.Sprintf("%s may create jobs in no namespace of any cluster, so the job was not read. Ask an administrator for a role.", printable.Line(person)),
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
