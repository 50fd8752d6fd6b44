// Package preflight connects to clusters and checks what a recorder needs: types, identities, rights,
// versions, clocks, the database, resume points and notifications.
package preflight
