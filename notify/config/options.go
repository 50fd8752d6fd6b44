package config

import (
	"io"
	"os"
)

// Options are what a file cannot say. The zero value reads the environment and prints to
// the standard output.
type Options struct {
	// LookupEnv returns an environment variable; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
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
