// Package parts decides which objects belong to which job, when a recorder writes them.
//
// # Data flow
//
//	new objects with an owner, pods with labels -> Link -> job_parts, or open_parts
//	new jobs                                    -> Link -> their parts that are open
//	both, after the commit                      -> Relink -> job_parts, if another transaction wrote the other at the same time
//	open parts                                  -> Sweep -> job_parts
//
// # Ownership
//
// Link works within the transaction of the objects. Relink and Sweep have transactions of their own.
//
// # Guarantees
//
// An object belongs to the job that controls it, directly or through at most six recorded
// objects. A pod without such an owner belongs to the job that a label of its operator names,
// until its owner is recorded. The order in which objects are recorded, and by which recorder, makes no difference. An owner
// in another namespace or cluster is no owner, and a label names jobs of its own namespace that
// are not younger than the pod: anybody who may create a pod may write both.
//
// # Limits
//
// An owner of a type that is not recorded leads nowhere.
//
// # Errors
//
// Those of the database.
package parts
