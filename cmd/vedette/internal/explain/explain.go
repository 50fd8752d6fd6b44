package explain

import (
	"errors"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// ClusterError is an error of one of several clusters.
type ClusterError struct {
	Name string
	Err  error
}

// Error implements error.
func (e *ClusterError) Error() string { return "cluster " + e.Name + ": " + e.Err.Error() }

// Unwrap returns the error without the cluster.
func (e *ClusterError) Unwrap() error { return e.Err }

// Flatten splits joined errors, because each is printed on its own line.
func Flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || err.Error() != errors.Join(joined.Unwrap()...).Error() {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, Flatten(err)...)
	}
	return all
}

// Line returns an error on one line, with a remedy. An error of a database already has
// its remedy, and those for kubeconfigs would mislead.
func Line(err error) string {
	if about := (*ClusterError)(nil); errors.As(err, &about) {
		return "cluster " + about.Name + ": " + Line(about.Err)
	}
	if problem := (*api.Problem)(nil); errors.As(err, &problem) {
		return explainProblem(err, problem)
	}
	if away := (*client.UnreachableError)(nil); errors.As(err, &away) {
		return explainUnreachable(err, away)
	}
	if failed := (*sqldb.Error)(nil); errors.As(err, &failed) {
		return printable.OneLine(err.Error())
	}
	return kube.Explain(err)
}
