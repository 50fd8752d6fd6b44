package informer

import (
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
)

// Config is the configuration of an Informer. The zero value watches all
// objects of a type in all namespaces.
type Config struct {
	// Resource names the type as kubectl takes it: "pods", "po", "jobs.batch",
	// "pytorchjobs.kubeflow.org". Default: what T is. It must be set where T
	// does not tell: unstructured.Unstructured and
	// metav1.PartialObjectMetadata. For the Go struct of a custom resource the
	// default is its name, which has to be the name of one kind in the
	// cluster.
	Resource string
	// Namespace is where to look; default all.
	Namespace string
	// LabelSelector and FieldSelector choose objects, in the syntax of kubectl;
	// default all. The server does the choosing.
	LabelSelector string
	FieldSelector string
	// Reflector, Queue and Store configure the parts; their zero values work.
	Reflector reflector.Config
	Queue     delta.Limits
	Store     store.Config
}
