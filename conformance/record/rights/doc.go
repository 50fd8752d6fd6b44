// Package rights tests a recorder in the process of the test: rights are revoked, types are deleted, a
// cluster is replaced, and an API server selects objects by UID range.
package rights
