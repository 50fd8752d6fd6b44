package config

import (
	"io"
	"os"

	"github.com/vedette-io/vedette/kube"
)

// Options are what a file cannot say. The zero value reads the environment and prints to
// the standard output.
type Options struct {
	// LookupEnv returns an environment variable; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// Clusters are the clusters by their names, for channels of type event. Without one, such
	// a channel is a mistake of the file. The channels do not close them.
	Clusters map[string]*kube.Cluster
	// Instance names this replica in Kubernetes Events; "" means the name of the host.
	Instance string
	// Stdout is where channels of type stdout print; nil means os.Stdout.
	Stdout io.Writer
	// WithoutSecrets reads no secrets, for programs that show the file or route messages and
	// do not send them. Channels are then not checked, and Open fails.
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
