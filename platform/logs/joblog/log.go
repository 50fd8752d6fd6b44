package joblog

import "time"

// Log describes the kept log of one run of a container. A restarted container has another
// Log. Cluster, pod, container and restart identify it.
type Log struct {
	// ID is the row ID. Put does not need it.
	ID int64
	// ClusterUID is the UID of the cluster, and PodUID that of the pod.
	ClusterUID, PodUID string
	// Namespace and Pod are the names of the pod, and Container that of the container.
	Namespace, Pod, Container string
	// Restart is the number of earlier runs of the container.
	Restart int
	// OwnerUID, OwnerKind and OwnerName identify the object that controls the pod. They
	// may be empty.
	OwnerUID, OwnerKind, OwnerName string
	// JobUID, JobKind and JobName identify the object at the end of the chain of owners:
	// the job that a person submitted. They may be empty, or equal to those of the owner.
	JobUID, JobKind, JobName string
	// Node is the node of the container.
	Node string
	// Started and Ended are the start and the end of the container; zero if unknown or in
	// the future.
	Started, Ended time.Time
	// ExitCode and Reason are the result of the container: 137, "OOMKilled".
	ExitCode int
	Reason   string
	// Complete is set if the log was read up to its last line after the container had
	// ended.
	Complete bool
	// Lost is the reason for missing lines. For Put it is the caller's reason; in a query
	// result it includes the removals because of limits. It is empty if no line is known
	// to be missing.
	Lost string

	// The following fields are results. Put ignores them.

	// Lines is the number of kept lines, and Bytes the length of their text.
	Lines, Bytes int
	// Stored is the size of the compressed text in the database, in bytes.
	Stored int64
	// LostLines is the number of lines that are known to be missing before the first kept
	// line. More may be missing.
	LostLines int
	// FirstLine and LastLine are the times of the first and of the last kept line.
	// LastLine stays when the text is removed.
	FirstLine, LastLine time.Time
	// Fetched is when a Put last added text.
	Fetched time.Time
	// Removed is when the text was removed because of a limit; zero if it is kept.
	Removed time.Time
}
