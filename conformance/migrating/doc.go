// Package migrating runs each program of examples/migrating twice against a real
// control plane: with client-go, and with our packages in its imports. Both see the
// same changes in a namespace of their own, and print the same.
package migrating
