// Package soak tests that a recorder does not grow. It does nothing without `-soak=30m`.
package soak
