// Package watchview prints the changes of objects as they happen.
package watchview
