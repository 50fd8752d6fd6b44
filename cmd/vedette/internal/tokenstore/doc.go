// Package tokenstore stores the tokens of portals for the user, and renews them.
package tokenstore
