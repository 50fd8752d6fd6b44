package access

import (
	"context"
	"log/slog"
	"slices"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// TokenReviewer finds the people of bearer tokens. It asks one cluster about a token: the one that
// issued it. Any number of goroutines may use it.
type TokenReviewer struct {
	clusters []Cluster
	audience string
	issuers  *issuers
}

// NewTokenReviewer returns a reviewer of the tokens of some clusters. It sends no requests. Besides
// tokens for API servers, it accepts those for an audience, which are of no use to anybody else.
func NewTokenReviewer(clusters []Cluster, audience string, log *slog.Logger) *TokenReviewer {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &TokenReviewer{clusters: clusters, audience: audience, issuers: newIssuers(clusters, log)}
}

// Review asks a cluster for the person of a bearer token; false if the cluster does not know the
// token. named is the cluster that the client has named, or empty. The word of a cluster counts in
// that cluster only. It implements identity.Config.Review.
//
// Errors: *api.Problem: the cluster of the token is not known, and no cluster was asked about it;
// the cluster does not answer.
func (t *TokenReviewer) Review(ctx context.Context, token, named string) (identity.Person, bool, error) {
	signed, hasSignature := parseToken(token)
	cluster, err := t.clusterOf(ctx, signed, hasSignature, named)
	if cluster == nil || err != nil {
		return identity.Person{}, false, err
	}
	audience := ""
	if slices.Contains(signed.audience, t.audience) {
		audience = t.audience
	}
	user, ok, err := tokenOwner(ctx, cluster.Kube, token, audience)
	if !ok || err != nil {
		return identity.Person{}, false, err
	}
	person := identity.Person{Name: user.Username, Groups: user.Groups, Names: []string{user.Username}, Cluster: cluster.Name, SignIn: api.SignInToken}
	for name, values := range user.Extra {
		if person.Extra == nil {
			person.Extra = map[string][]string{}
		}
		person.Extra[name] = values
	}
	return person, true, nil
}

// clusterOf returns the cluster that issued a token; nil if no cluster did. A token of unknown
// origin goes to no cluster, because each cluster could use it on the others.
//
// Errors: *api.Problem; the cause of ctx.
func (t *TokenReviewer) clusterOf(ctx context.Context, token signedToken, hasSignature bool, named string) (*Cluster, error) {
	wanted := t.named(named)
	switch {
	case named != "" && wanted == nil:
		return nil, unknownCluster()
	case len(t.clusters) == 1:
		return &t.clusters[0], nil
	}
	if !hasSignature && wanted == nil {
		return nil, undecided()
	}
	var found origin
	if hasSignature {
		var err error
		if found, err = t.issuers.of(ctx, token); err != nil {
			return nil, err
		}
	}
	switch {
	case wanted != nil && len(found.signers) > 0 && !slices.Contains(found.signers, named):
		return nil, otherCluster()
	case wanted != nil:
		return wanted, nil
	case !found.decided():
		return nil, undecided()
	case len(found.signers) == 0:
		return nil, nil
	}
	return t.named(found.signers[0]), nil
}

// named returns the cluster with a name, or nil.
func (t *TokenReviewer) named(name string) *Cluster {
	if n := slices.IndexFunc(t.clusters, func(c Cluster) bool { return c.Name == name }); n >= 0 {
		return &t.clusters[n]
	}
	return nil
}
