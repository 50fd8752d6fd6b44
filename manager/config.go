package manager

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// DefaultListen is the default of Config.Listen.
const DefaultListen = "127.0.0.1:8080"

// Config configures a program. Only Name is required.
type Config struct {
	// Name is the name of the program. It is the name of the Lease if one replica leads.
	Name string
	// Kube selects the cluster; by default the one that kubectl would use, or that of the
	// pod.
	Kube kube.Config
	// Factory configures the informers of Manager.Factory.
	Factory informer.FactoryConfig
	// Replicas configures several processes that run the program; default one process.
	// With LeaderElection, one process leads, and its controllers and AddLeading functions
	// work. With Sharding, each process has a part of the keys of each controller.
	// Replicas.Cluster is that of the manager.
	Replicas controller.Replicas
	// Listen is the address of /healthz, /readyz and /metrics; default 127.0.0.1:8080. In a
	// pod it is ":8080", so that the kubelet reaches it. NoListen means that there is no
	// server.
	Listen string
	// Debug is the address of /debug/vedette, which has names of objects and texts of errors. It
	// must be on the loopback interface: in a pod it is "127.0.0.1:6060", which kubectl
	// port-forward reaches. By default it is the address of Listen if that is on the loopback
	// interface; otherwise /debug/vedette is not served.
	Debug string
	// Logger receives the log of the manager, its informers and its controllers; default
	// slog.Default() at the time of a line.
	Logger *slog.Logger
}

// NoListen is the value of Config.Listen without an HTTP server.
const NoListen = "none"

// withDefaults returns the configuration with defaults for the fields that are not set.
//
// Errors: Name is not set; Replicas.Cluster is set; Debug is not a loopback address.
func (c Config) withDefaults() (Config, error) {
	if c.Name == "" {
		return c, errors.New("manager: Config.Name is not set; set it to the name of the program")
	}
	if c.Replicas.Cluster != nil {
		return c, errors.New("manager: Config.Replicas.Cluster is set; the Leases are in the cluster of Config.Kube")
	}
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	switch {
	case c.Debug != "" && !isLoopback(c.Debug):
		return c, fmt.Errorf("manager: Config.Debug is %q, which other machines may reach; use an IP address of the loopback interface, such as 127.0.0.1:6060", c.Debug)
	case c.Debug == "" && isLoopback(c.Listen):
		c.Debug = c.Listen
	}
	if c.Replicas.Name == "" {
		c.Replicas.Name = c.Name
	}
	if c.Factory.Logger == nil {
		c.Factory.Logger = c.Logger
	}
	return c, nil
}
