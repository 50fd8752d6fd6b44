// Package httpserver serves health, readiness and metrics, and optionally a portal, beside a command.
package httpserver
