// Package template tests the built-in templates of platform/submit/template against the real
// definitions of their types on a real API server.
package template
