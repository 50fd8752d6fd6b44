// Package differential compares this project's informer with client-go's: the same
// scripts on the same server must yield the same objects, indexes and events. It has
// tests only.
package differential
