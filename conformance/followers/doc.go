// Package followers holds five followers of one type on a real control plane and compares
// them with the server: an informer that lists by a stream, one that lists in pages, one that
// resumes from its file, a recorder with SQLite, and an informer of the drop-in
// (compat/clientgo). Its tests do to the server, or to the way to it, what administrators and
// operators do: they restore etcd, change the schema, replace a version, and put a proxy in
// between.
package followers
