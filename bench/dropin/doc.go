// Package dropin compares the memory of small programs: ten informers of built-in types, from
// client-go and from the drop-in, in a process of its own for each. A typical controller has
// such informers, a few hundred objects, and handlers for objects that change.
package dropin
