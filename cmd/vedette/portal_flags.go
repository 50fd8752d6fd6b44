package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/send/jobtrace"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// portalFlags are the settings of the portal that `vedette portal` and `vedette record` share.
type portalFlags struct {
	cert, key, url string
	hosts          []string
	tokens         string
	clusterTokens  bool
	oidc           identity.OIDC
	proxy          identity.Proxy
	sessionKey     string
	rights         bool
	rightsSaid     func() bool // whether the flag was set
	operators      []string
	templates      string
	traceURL       string
	auditAge       string
	lifetime, idle time.Duration // of sessions

	insecureLoopback bool
	local            string // the local token; empty if people sign in, or with insecureLoopback
}

// defaultPortal is the address of a portal.
const defaultPortal = "127.0.0.1:8080"

func (o *portalFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.cert, "tls-cert", "", "PEM file with the HTTPS certificate and its intermediates (default: plain HTTP)")
	f.StringVar(&o.key, "tls-key", "", "PEM file with the key of the certificate")
	f.StringVar(&o.url, "portal-url", "", "address by which browsers reach the portal, such as https://vedette.example.com")
	f.StringSliceVar(&o.hosts, "portal-hosts", nil, "other host names at which the portal answers without sign-in")
	f.BoolVar(&o.insecureLoopback, "insecure-loopback", false, "without sign-in, let every user of this machine read jobs, environments and logs, and write with the rights of this process (default: only the user who runs it)")
	f.StringVar(&o.tokens, "sign-in-tokens", "", "YAML file with the tokens of people")
	f.BoolVar(&o.clusterTokens, "sign-in-clusters", false, "accept the tokens of the clusters, such as those of service accounts")
	f.StringVar(&o.oidc.Issuer, "oidc-issuer", "", "URL of the OpenID Connect provider that people sign in with")
	f.StringVar(&o.oidc.ClientID, "oidc-client", "", "client ID of the portal there")
	f.StringVar(&o.oidc.SecretFile, "oidc-secret", "", "file with the secret of the client (default: a public client)")
	f.StringSliceVar(&o.oidc.Scopes, "oidc-scopes", nil, "scopes besides openid (default profile,email)")
	f.StringVar(&o.oidc.NameClaim, "oidc-name-claim", "", "claim with the name (default: preferred_username, then email)")
	f.StringVar(&o.oidc.GroupsClaim, "oidc-groups-claim", "", "claim with the groups (default: groups)")
	f.StringVar(&o.oidc.NamePrefix, "oidc-name-prefix", "", "prefix of names, as kube-apiserver has it")
	f.StringVar(&o.oidc.GroupsPrefix, "oidc-groups-prefix", "", "prefix of groups, as kube-apiserver has it")
	f.StringSliceVar(&o.oidc.Audiences, "oidc-audiences", nil, "other client IDs whose tokens are accepted, such as that of the command line")
	f.StringVar(&o.oidc.CAFile, "oidc-ca", "", "file with the certificates of the provider (default: those of the system)")
	f.StringSliceVar(&o.proxy.CIDRs, "trusted-proxy", nil, "addresses of a proxy that signs people in, such as 10.0.0.0/24")
	f.StringVar(&o.proxy.NameHeader, "proxy-name-header", "", "that proxy's header with the name (default: X-Remote-User)")
	f.StringVar(&o.proxy.GroupsHeader, "proxy-groups-header", "", "that proxy's header with the groups (default: X-Remote-Group)")
	f.StringVar(&o.sessionKey, "session-key", "", "file with at least 32 random bytes that seal sessions; replicas share it (default: a new key)")
	f.BoolVar(&o.rights, "rights", false, "let the API servers decide which namespaces a person sees and what they may do (default: if people sign in and the portal reaches a cluster)")
	o.rightsSaid = func() bool { return f.Changed("rights") }
	f.StringSliceVar(&o.operators, "operators", nil, "groups whose members see the operations page; cluster:prod:sre is the group sre of people whom the cluster prod has identified")
	f.StringVar(&o.templates, "portal-templates", "", "folder with more job templates; a template with the name of a built-in one replaces it")
	f.StringVar(&o.auditAge, "audit-age", "400d", "how long the audit of what people do in the portal is kept, such as 90d; at least 1d")
	f.DurationVar(&o.lifetime, "session-lifetime", 12*time.Hour, "how long a person stays signed in, at most 720h; the groups of a provider are those of the sign-in, so a shorter time makes them newer")
	f.DurationVar(&o.idle, "session-idle", 0, "how long a session lasts without a request (default 2h, or --session-lifetime if it is shorter)")
	f.StringVar(&o.traceURL, "trace-url", "", "address of the trace of a job in a tracing system, with {trace} for its ID: the page of a job that has ended links to it (default: no link)")
}

// signsIn reports whether users can sign in.
func (o *portalFlags) signsIn() bool {
	return o.tokens != "" || o.clusterTokens || o.oidc.Issuer != "" || len(o.proxy.CIDRs) > 0
}

// asksRights reports whether API servers decide what people see, if the portal reaches clusters.
func (o *portalFlags) asksRights(clusters bool) bool {
	if o.rightsSaid != nil && !o.rightsSaid() {
		return o.signsIn() && clusters
	}
	return o.rights
}

// fill adds the settings to the configuration of a portal at an address.
//
// Errors: settings that contradict each other; templates that cannot be read.
func (o *portalFlags) fill(cfg *portal.Config, listen string) error {
	o.rights = o.asksRights(len(cfg.Clusters) > 0)
	cfg.Rights, cfg.Operators, cfg.ClusterTokens, cfg.CertFile, cfg.KeyFile = o.rights, o.operators, o.clusterTokens, o.cert, o.key
	cfg.Identity = identity.Config{Listen: listen, URL: o.url, Hosts: o.hosts, Tokens: o.tokens, Key: o.sessionKey, LocalToken: o.local, InsecureLoopback: o.insecureLoopback, Lifetime: o.lifetime, Idle: o.idle}
	cfg.Templates, cfg.Version = template.Builtin(), version()
	switch issuer := o.oidc.Issuer != ""; {
	case issuer && o.oidc.ClientID == "":
		return errors.New("--oidc-issuer needs --oidc-client, the client ID of the portal at the provider")
	case issuer && o.url == "":
		return errors.New("--oidc-issuer needs --portal-url, the address of the portal to which the provider sends browsers back")
	case issuer:
		cfg.Identity.OIDC = &o.oidc
	case o.oidc.ClientID != "":
		return errors.New("--oidc-client needs --oidc-issuer, the URL of the provider")
	}
	if o.auditAge != "" {
		var err error
		if cfg.AuditAge, err = parseAge(o.auditAge); err != nil {
			return fmt.Errorf("--audit-age: %w", err)
		}
	}
	if len(o.proxy.CIDRs) > 0 {
		cfg.Identity.Proxy = &o.proxy
	}
	if o.traceURL != "" {
		if err := checkTraceURL(o.traceURL); err != nil {
			return err
		}
		cfg.TraceURL = func(clusterUID, jobUID string) string {
			return strings.ReplaceAll(o.traceURL, tracePlace, jobtrace.TraceID(clusterUID, jobUID))
		}
	}
	if o.templates != "" {
		if err := cfg.Templates.AddFolder(o.templates); err != nil {
			return fmt.Errorf("--portal-templates: %w", err)
		}
	}
	return nil
}

// tracePlace is the placeholder of the ID in --trace-url.
const tracePlace = "{trace}"

// checkTraceURL returns an error for an unusable address of traces. Browsers follow it, so it must
// use HTTP or HTTPS.
func checkTraceURL(text string) error {
	u, err := url.Parse(strings.ReplaceAll(text, tracePlace, "0"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || !strings.Contains(text, tracePlace) {
		return errors.New("--trace-url: want an address of the web with {trace}, such as https://jaeger.example.com/trace/{trace}")
	}
	return nil
}
