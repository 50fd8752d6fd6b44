package identity

import (
	"context"
	"log/slog"
	"time"
)

// Config says whom the portal lets in, and how. The zero value lets everybody in who reaches a
// loopback address.
type Config struct {
	// Listen is the address that the portal listens on: "127.0.0.1:8790", ":8443". It
	// decides whether sign-in is demanded. Empty means loopback.
	Listen string
	// TLS reports that the portal itself serves HTTPS.
	TLS bool
	// URL is the address by which browsers reach the portal: "https://vedette.example.com".
	// OIDC needs it.
	URL string
	// Hosts are further names that requests may have in the header Host. Without sign-in,
	// other names than these and those of the loopback address are refused.
	Hosts []string
	// Open are prefixes of paths that need no sign-in, such as "/assets/". They must have
	// nothing that is not public.
	Open []string
	// Tokens is a file with tokens; empty for none.
	Tokens string
	// OIDC signs in with an identity provider; nil for none.
	OIDC *OIDC
	// Proxy takes the word of a proxy; nil for none.
	Proxy *Proxy
	// Review asks the clusters whom a bearer token belongs to, see access.Access.Review; nil
	// for none. It returns false for a token that no cluster knows.
	Review func(ctx context.Context, token string) (Person, bool, error)
	// Key is a file with at least 32 bytes that seal sessions. Replicas share it. Empty: a
	// random key, so sessions end with the process.
	Key string
	// Lifetime and Idle bound a session; default 12 h, and 2 h without a request.
	Lifetime, Idle time.Duration
	// Endings lets replicas share which sessions have ended; nil for a portal without replicas.
	Endings Endings
	// Logger gets failed sign-ins; default none.
	Logger *slog.Logger
}

// OIDC configures an identity provider.
type OIDC struct {
	// Issuer is the URL of the provider, and ClientID names the portal there.
	Issuer, ClientID string
	// SecretFile has the secret of the client; empty for a public client.
	SecretFile string
	// Scopes are asked for besides openid; default profile and email, which all providers know.
	Scopes []string
	// NameClaim is the claim with the name; default preferred_username, else email if it is
	// verified. GroupsClaim is the claim with the groups; default groups.
	NameClaim, GroupsClaim string
	// NamePrefix and GroupsPrefix stand before names and groups, as --oidc-username-prefix and
	// --oidc-groups-prefix of kube-apiserver do.
	NamePrefix, GroupsPrefix string
	// Audiences are further client IDs whose ID tokens are accepted as bearer tokens, such as
	// that of the command line. ClientID always is.
	Audiences []string
	// CAFile has the certificates of the provider; default those of the system.
	CAFile string
}

// Proxy configures an authenticating proxy.
type Proxy struct {
	// CIDRs are the addresses of the proxy. Headers from others are dropped.
	CIDRs []string
	// NameHeader and GroupsHeader are the headers with the name and the groups; default
	// X-Remote-User and X-Remote-Group. A header with groups may be repeated, or have commas.
	NameHeader, GroupsHeader string
	// NamePrefix and GroupsPrefix stand before names and groups.
	NamePrefix, GroupsPrefix string
}
