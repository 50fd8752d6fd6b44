// Package template tests the built-in templates of submit/template against the real
// definitions of their types on a real API server.
package template
