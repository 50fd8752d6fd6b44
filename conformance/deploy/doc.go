// Package deploy holds the manifests of deploy/ against a real API server: it takes
// all of them, and with the rights that they give a recorder records.
package deploy
