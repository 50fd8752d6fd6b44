package config

import (
	"io"
	"os"

	"github.com/vedette-io/vedette/kube"
)

// Options are the settings outside of the file. The zero value reads the environment and
// prints to standard output.
type Options struct {
	// LookupEnv returns an environment variable; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Clusters are the clusters by name, for channels of type event. Without clusters,
	// such a channel is a mistake of the file. The channels do not close the clusters.
	Clusters map[string]*kube.Cluster
	// Instance names this replica in Kubernetes Events; "" means the host name.
	Instance string
	// Stdout is the output of channels of type stdout; nil means os.Stdout.
	Stdout io.Writer
	// WithoutSecrets skips the secrets, for programs that show the file or route messages
	// but do not send. Channels are then not checked, and Open fails.
	WithoutSecrets bool
}

func (o *Options) lookupEnv(name string) (string, bool) {
	if o.LookupEnv == nil {
		return os.LookupEnv(name)
	}
	return o.LookupEnv(name)
}

func (o *Options) getenv(name string) string {
	value, _ := o.lookupEnv(name)
	return value
}
