// Package migrating runs each program of examples/migrating twice against a real control
// plane: with client-go, and with our packages in its imports. Both get the same changes
// in namespaces of their own, and must print the same.
package migrating
