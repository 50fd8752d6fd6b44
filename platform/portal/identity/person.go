package identity

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Person is the sender of a request. The zero value means that nobody signed in and that the portal
// requires no sign-in, as on a loopback address.
type Person struct {
	// Name and Groups are the name and the groups in the clusters, with their prefixes.
	Name   string
	Groups []string
	// Names are all names that mark a job as the person's own, Name included.
	Names []string
	// Extra are further attributes from the API server that reviewed the person's token.
	Extra map[string][]string
	// Cluster is the cluster that identified the person. Its word counts in that cluster only. Empty
	// if the portal itself did: Name and Groups then count in all clusters.
	Cluster string
	SignIn  api.SignIn
	// Expires is when the sign-in ends; zero if never.
	Expires time.Time
}

// Anonymous reports whether nobody signed in.
func (p Person) Anonymous() bool { return p.Name == "" }

// KnownIn reports whether the person has an identity in a cluster.
func (p Person) KnownIn(cluster string) bool { return p.Cluster == "" || p.Cluster == cluster }

// ID identifies the person in tables and limits. It distinguishes people of equal names whom
// different clusters have identified.
func (p Person) ID() string { return Qualified(p.Cluster, p.Name) }

// Is reports whether a name means the person in all clusters, such as the name of a subscriber or
// an address.
func (p Person) Is(name string) bool {
	return name != "" && (name == p.ID() || p.Cluster == "" && slices.Contains(p.Names, name))
}

// Owns reports whether a name that a cluster knows, such as the owner of a job, is one of the
// person's.
func (p Person) Owns(cluster, name string) bool {
	return name != "" && p.KnownIn(cluster) && slices.Contains(p.Names, name)
}

// maxName is the maximum size of a name or a group, in bytes.
const maxName = 512

// usable reports whether a name or a group is safe in headers, logs and annotations.
func usable(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// reserved reports whether a name or a group belongs to Kubernetes itself, or is qualified. Only an
// API server assigns such names.
func reserved(name string) bool {
	return strings.HasPrefix(name, "system:") || strings.HasPrefix(name, qualifier)
}

// visit is the value that the context of a request carries.
type visit struct {
	person  Person
	address string
	csrf    string
	// check returns an error if the person would now be refused. It may be nil.
	check func(context.Context) error
}

type visitKey struct{}

func visitOf(ctx context.Context) visit {
	v, _ := ctx.Value(visitKey{}).(visit)
	return v
}

func withVisit(ctx context.Context, v visit) context.Context {
	return context.WithValue(ctx, visitKey{}, v)
}

// Of returns the person of a context; the zero value if there is none.
func Of(ctx context.Context) Person { return visitOf(ctx).person }

// With returns a context with a person, for tests and for the portal's own requests.
func With(ctx context.Context, p Person) context.Context {
	v := visitOf(ctx)
	v.person = p
	return withVisit(ctx, v)
}

// Address returns the source address of the context's request, without port; empty outside of
// requests.
func Address(ctx context.Context) string { return visitOf(ctx).address }

// Check returns an error if the person of a context would now be refused: the token was removed, or
// the session has ended or expired. Package access calls it, so open streams end.
//
// Errors: *api.Problem.
func Check(ctx context.Context) error {
	if check := visitOf(ctx).check; check != nil {
		return check(ctx)
	}
	return nil
}
