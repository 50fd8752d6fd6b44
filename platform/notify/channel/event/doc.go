// Package event writes messages as Kubernetes Events on their objects, where `kubectl
// describe` shows them.
//
// # Data flow
//
//	message.Message -> events.k8s.io/v1 Event on the job -> API server of the job's cluster
//
// The reason is the kind of the message: Started, NearDeadline, RunningLong, NoProgress,
// WaitsLong, Restarted, Failed, Succeeded or Aborted; another state is its own reason. The
// note is the sentence. Failed, Restarted and timers are warnings.
//
// # Ownership
//
// Several goroutines may use a Channel at the same time. It uses clusters of the caller,
// who closes them.
//
// # Guarantees
//   - The name of an Event comes from the key of the message. A repeat finds the Event
//     that exists, which is success.
//   - There is no Event on a deleted object, and none for messages that belong to no
//     object: digests, gaps, escalations. Such messages count as sent, and the receipt says
//     why. A test checks the rights.
//   - Text takes the first step of escaping only; kubectl shows it as text.
//
// # Limits
//
// A note has at most 1,000 bytes. The API server keeps Events for an hour by default.
//
// # Errors
//
// Missing rights are Temporary, because they may be granted later: the notifier needs
// "create" on events.events.k8s.io. A deleted namespace, and an Event that the server
// finds invalid, are Permanent. 429 is Throttled. All other errors are Temporary.
package event
