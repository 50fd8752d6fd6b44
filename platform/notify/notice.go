package notify

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// noticeOf returns a notice with the facts of the transition itself.
func noticeOf(t *feed.Transition, owner string) *message.Notice {
	n := &message.Notice{
		Kind: kindOf(t.From, t.To), Job: jobOf(&t.Object, owner), Version: uint64(t.Version), From: t.From, To: t.To, FromRaw: t.FromRaw, ToRaw: t.ToRaw,
		Reason: t.Reason, Message: t.Message, Seen: t.Seen, Late: isLate(t),
	}
	if t.Source != feed.Inferred {
		n.Happened = t.Happened
	}
	return n
}

func jobOf(o *feed.Object, owner string) message.Job {
	return message.Job{
		Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: o.Type.String(), Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		Queue: o.Queue, Owner: owner,
	}
}

// feedObject converts an object of the history to an object of the feed.
func feedObject(o *history.Object, labels map[string]string) feed.Object {
	return feed.Object{
		ID: o.ID, Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: o.Type, Namespace: o.Namespace, Name: o.Name, UID: o.UID, Queue: o.Queue, Submitter: o.Submitter,
		Owner: feed.Owner{UID: o.Owner.UID, Kind: o.Owner.Kind, Name: o.Owner.Name}, Created: o.Created, Labels: labels,
	}
}

// feedTransition converts a transition of the history to a transition of the feed.
func feedTransition(o feed.Object, t *history.Transition) feed.Transition {
	return feed.Transition{
		Kind: feed.New, Object: o, Version: t.Version, From: job.State(t.From), To: job.State(t.To), FromRaw: t.FromRaw, ToRaw: t.ToRaw,
		Reason: t.Reason, Message: t.Message, Happened: t.Happened, Seen: t.Seen, Source: t.Source,
	}
}

// elapsed returns the time since at, not less than 0.
func elapsed(now, at time.Time) time.Duration { return max(0, now.Sub(at)) }
