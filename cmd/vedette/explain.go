package main

import (
	"errors"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/portal/client"
	"github.com/vedette-io/vedette/record/sqldb"
)

// aboutCluster is an error of one of several clusters.
type aboutCluster struct {
	name string
	err  error
}

func (e *aboutCluster) Error() string { return "cluster " + e.name + ": " + e.err.Error() }
func (e *aboutCluster) Unwrap() error { return e.err }

// flat splits joined errors, because each is printed on its own line.
func flat(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || err.Error() != errors.Join(joined.Unwrap()...).Error() {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, flat(err)...)
	}
	return all
}

// explain returns an error on one line, with a remedy. An error of a database already has
// its remedy, and those for kubeconfigs would mislead.
func explain(err error) string {
	if about := (*aboutCluster)(nil); errors.As(err, &about) {
		return "cluster " + about.name + ": " + explain(about.err)
	}
	if problem := (*api.Problem)(nil); errors.As(err, &problem) {
		return explainProblem(err, problem)
	}
	if away := (*client.UnreachableError)(nil); errors.As(err, &away) {
		return explainUnreachable(err, away)
	}
	if failed := (*sqldb.Error)(nil); errors.As(err, &failed) {
		return oneLine(err.Error())
	}
	return kube.Explain(err)
}
