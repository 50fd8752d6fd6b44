package joblog

import "time"

// Log describes what is kept of the log of one container, between its start and its end. A
// container that starts again has another Log. Cluster, pod, container and restart identify
// it.
type Log struct {
	// ID is the number of the row. Put does not need it.
	ID int64
	// ClusterUID is the UID of the cluster, and PodUID that of the pod.
	ClusterUID, PodUID string
	// Namespace and Pod are the names of the pod, and Container that of the container.
	Namespace, Pod, Container string
	// Restart is how often the container was started before.
	Restart int
	// OwnerUID, OwnerKind and OwnerName are of the object that controls the pod. They may be
	// empty.
	OwnerUID, OwnerKind, OwnerName string
	// JobUID, JobKind and JobName are of the object at the end of the chain of owners: what a
	// person submitted. They may be empty, or equal to those of the owner.
	JobUID, JobKind, JobName string
	// Node is where the container ran.
	Node string
	// Started and Ended are when the container did; zero if not known or not yet.
	Started, Ended time.Time
	// ExitCode and Reason say how the container ended: 137, "OOMKilled".
	ExitCode int
	Reason   string
	// Complete says that the log was read after the container had ended, up to its last line.
	Complete bool
	// Lost says why lines are missing. To Put it is what the caller knows; from a query it
	// also says what the bounds of the store removed. It is empty if nothing is known to be
	// missing.
	Lost string

	// The fields from here on are results. Put ignores them.

	// Lines is the number of kept lines, and Bytes the length of their text.
	Lines, Bytes int
	// Stored is how many bytes the text takes in the database, compressed.
	Stored int64
	// LostLines is how many lines are known to be missing before the first kept line. More may
	// be missing.
	LostLines int
	// FirstLine and LastLine are the times of the first and of the last kept line. LastLine
	// stays when the text is removed.
	FirstLine, LastLine time.Time
	// Fetched is when a Put last added text.
	Fetched time.Time
	// Removed is when the text was removed because of a bound; zero if it is kept.
	Removed time.Time
}
