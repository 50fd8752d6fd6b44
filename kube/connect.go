package kube

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	_ "k8s.io/client-go/plugin/pkg/client/auth" // exec and OIDC credentials
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/internal/userlog"
)

// Config selects the cluster to connect to. The zero value selects the cluster that
// kubectl would use: from the files of KUBECONFIG or ~/.kube/config, with their current
// context. If there is no such file, it selects the cluster whose pod the process runs
// in.
type Config struct {
	// Kubeconfig is the path of the only file to read. If it is empty, the default files
	// are read.
	Kubeconfig string
	// Context is the name of the context; default the current one.
	Context string
	// Namespace replaces the namespace of the context. Connect rejects an invalid
	// namespace name.
	Namespace string
	// REST replaces Kubeconfig and Context. Connect copies it. Its RateLimiter, or QPS
	// and Burst, apply to clients, but not to Collections. Its Timeout bounds each
	// request of a client for one object or one deletion of a collection. It does not
	// bound lists, watches and Cluster.Do, which may take long: their contexts bound them.
	REST *rest.Config
	// Types lists types that the cluster serves exactly as given here; discovery is not
	// used for them. Use it for custom resources of a cluster that does not allow
	// discovery. Each type needs its group, version, name, kind and scope; Verbs
	// defaults to all verbs.
	Types []Resource
	// UserAgent is sent with every request. The default is that of REST, or else "vedette
	// (os/arch)".
	UserAgent string
	// Logger receives the warnings of the server that are not passed to a function of
	// WithWarnings, each distinct one once, up to 1,000. Default slog.Default() at the time
	// of the line; slog.New(slog.DiscardHandler) disables logging.
	Logger *slog.Logger
}

// Connect prepares the connection to a cluster. It reads files, but sends no request.
//
// Errors: errcode.Misconfigured.
func Connect(cfg Config) (*Cluster, error) {
	rc, namespace, err := cfg.load()
	if err != nil {
		return nil, err
	}
	if cfg.UserAgent != "" {
		rc.UserAgent = cfg.UserAgent
	}
	if rc.UserAgent == "" {
		rc.UserAgent = fmt.Sprintf("vedette (%s/%s)", runtime.GOOS, runtime.GOARCH)
	}
	if cfg.Namespace != "" {
		namespace = cfg.Namespace
	}
	if err := CheckNamespace(namespace); err != nil {
		return nil, &errcode.Error{Code: errcode.Misconfigured, Problem: "the configuration cannot be used", Err: err}
	}
	types, err := cfg.types()
	if err != nil {
		return nil, err
	}
	c, err := newCluster(rc, namespace)
	if err != nil {
		return nil, err
	}
	c.configured = types
	if cfg.Logger != nil {
		c.warnings.logger = func() *slog.Logger { return userlog.Of(cfg.Logger) }
	}
	return c, nil
}

// types returns the configured types with their defaults filled in.
func (c Config) types() (all []Resource, err error) {
	for _, r := range c.Types {
		if r.Kind == "" || r.check() != nil {
			return nil, &errcode.Error{Code: errcode.Misconfigured, Problem: fmt.Sprintf("the type %+v of Config.Types is incomplete or invalid", r), Remedy: "state its group, version, name (the plural) and kind in Config.Types"}
		}
		if r.Singular == "" {
			r.Singular = strings.ToLower(r.Kind)
		}
		if len(r.Verbs) == 0 {
			r.Verbs = builtinVerbs["all"]
		}
		all = append(all, r)
	}
	return all, nil
}

// load returns a new rest.Config that the caller owns, and the default namespace.
func (c Config) load() (*rest.Config, string, error) {
	if c.REST != nil {
		return rest.CopyConfig(c.REST), "default", nil
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.WarnIfAllMissing = false
	rules.ExplicitPath = c.Kubeconfig
	raw, err := rules.Load()
	if err != nil {
		return nil, "", c.kubeconfigError(err)
	}
	if len(raw.Contexts) == 0 && len(raw.Clusters) == 0 && c.Kubeconfig == "" {
		return c.inCluster(rules.GetLoadingPrecedence())
	}
	name := c.Context
	if name == "" {
		name = raw.CurrentContext
	}
	if _, ok := raw.Contexts[name]; !ok {
		return nil, "", contextError(name, slices.Sorted(maps.Keys(raw.Contexts)))
	}
	client := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, rules)
	rc, err := client.ClientConfig()
	if err != nil {
		return nil, "", &errcode.Error{
			Code:    errcode.Misconfigured,
			Problem: fmt.Sprintf("context %q of the kubeconfig cannot be used", name), Err: err,
			Remedy: "fix it, or choose another context",
		}
	}
	namespace, _, err := client.Namespace()
	if err != nil || namespace == "" {
		namespace = "default"
	}
	return rc, namespace, nil
}

func (c Config) kubeconfigError(err error) error {
	if c.Kubeconfig != "" && errors.Is(err, os.ErrNotExist) {
		return &errcode.Error{Code: errcode.Misconfigured, Problem: fmt.Sprintf("no kubeconfig at %s", c.Kubeconfig), Remedy: "check the path"}
	}
	return &errcode.Error{Code: errcode.Misconfigured, Problem: "the kubeconfig cannot be read", Err: err, Remedy: "fix it, or choose another file"}
}

func contextError(name string, known []string) error {
	switch {
	case name == "" && len(known) > 0:
		return &errcode.Error{
			Code:    errcode.Misconfigured,
			Problem: "the kubeconfig has no current context",
			Remedy:  "choose one of its contexts: " + strings.Join(known, ", "),
		}
	case len(known) == 0:
		return &errcode.Error{Code: errcode.Misconfigured, Problem: "the kubeconfig has no contexts", Remedy: "choose another file"}
	}
	return &errcode.Error{
		Code:    errcode.Misconfigured,
		Problem: fmt.Sprintf("the kubeconfig has no context %q", name),
		Remedy:  "it has " + strings.Join(known, ", "),
	}
}

// inCluster returns the configuration of a pod. It is used if no kubeconfig was found at
// the paths in looked.
func (c Config) inCluster(looked []string) (*rest.Config, string, error) {
	rc, err := rest.InClusterConfig()
	if err != nil {
		return nil, "", &errcode.Error{
			Code:    errcode.Misconfigured,
			Problem: fmt.Sprintf("no kubeconfig at %s, and this process does not run in a pod", strings.Join(looked, ", ")),
			Remedy:  "set KUBECONFIG, or name a kubeconfig",
		}
	}
	if c.Context != "" {
		return nil, "", contextError(c.Context, nil)
	}
	namespace := "default"
	if b, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace"); err == nil {
		namespace = strings.TrimSpace(string(b))
	}
	return rc, namespace, nil
}
