// Command kubernetes runs kube-scheduler or kube-controller-manager in one process, on
// client-go's informers or on Vedette's.
//
// # Data flow
//
//	kubernetes --factory=stock|vedette|vedette-live kube-scheduler|kube-controller-manager [its flags]
//	standard input: commands, one a line -> standard output: answers, one JSON document a line
//
// # Ownership
//
// The parent process owns it: the program ends when its standard input ends.
//
// # Guarantees
//
// Both programs come from Kubernetes' module. Only the informer factories differ.
//
// # Limits
//
// No leader election, no HTTP server, no controller of legacy service account tokens.
//
// # Errors
//
// A program that cannot start prints the reason to standard error, and exits with code 1.
package main
