package settings

// Setting has one name as a flag, in the environment and in the file:
// --wait-for-types, VEDETTE_WAIT_FOR_TYPES, wait-for-types. The flag overrides the
// environment, which overrides the file, which overrides the default of the flag.
type Setting struct {
	Name string
	kind Kind
}

// Kind is the kind of the value of a setting.
type Kind uint8

const (
	word  Kind = iota
	words      // a list
	truth      // true or false
	path       // of a file or folder; in a file of settings, relative to its folder
)

// All lists all settings.
var All = []Setting{
	{"db", word},
	{"server", word},
	{"server-ca", path},
	{"name", word},
	{"rules", path},
	{"redact", words},
	{"spill", path},
	{"listen", word},
	{"wait-for-types", truth},
	{"fail-fast", truth},
	{"log-level", word},
	{"keep", word},
	{"keep-rule", words},
	{"keep-state", words},
	{"keep-bodies", word},
	{"keep-last", word},
	{"max-size", word},
	{"keep-feed", word},
	{"keep-logs", words},
	{"tail-logs", words},
	{"log-lines", word},
	{"redact-logs", words},
	{"keep-logs-for", word},
	{"max-job-logs", word},
	{"max-logs", word},
	{"join", truth},
	{"join-lease", word},
	{"replicas-per-shard", word},
	{"traces", word},
	{"traces-headers", path},
	{"notify", path},
	{"keep-messages", word},
	{"portal", truth},
	{"tls-cert", path},
	{"tls-key", path},
	{"portal-url", word},
	{"portal-hosts", words},
	{"sign-in-tokens", path},
	{"sign-in-clusters", truth},
	{"oidc-issuer", word},
	{"oidc-client", word},
	{"oidc-secret", path},
	{"oidc-scopes", words},
	{"oidc-name-claim", word},
	{"oidc-groups-claim", word},
	{"oidc-name-prefix", word},
	{"oidc-groups-prefix", word},
	{"oidc-audiences", words},
	{"oidc-ca", path},
	{"trusted-proxy", words},
	{"proxy-name-header", word},
	{"proxy-groups-header", word},
	{"session-key", path},
	{"rights", truth},
	{"operators", words},
	{"portal-templates", path},
	{"trace-url", word},
	{"read-replica", word},
	{"read-replica-max-age", word},
}
