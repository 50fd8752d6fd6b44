// Package deploy tests the manifests of deploy/ on a real API server: it accepts all of
// them, and a recorder with their rights works.
package deploy
