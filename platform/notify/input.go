package notify

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// inputOf returns the values of a transition that conditions can read. owner is the first
// owner that the job names.
func inputOf(t *feed.Transition, owner string) rule.Input {
	return rule.Input{
		Object: objectOf(&t.Object, owner),
		Old:    rule.View{State: t.From, Raw: t.FromRaw},
		New:    rule.View{State: t.To, Raw: t.ToRaw, Reason: t.Reason, Message: t.Message, Since: t.Happened},
		Late:   isLate(t), Existing: t.Source == feed.Listed,
	}
}

// aboutOf returns the values of a transition and its notice that silences match.
func aboutOf(t *feed.Transition, n *message.Notice) *rule.Input {
	in := inputOf(t, n.Job.Owner)
	in.Object.Node = n.Cause.Node
	return &in
}

func objectOf(o *feed.Object, owner string) rule.Object {
	controller := ""
	if o.Owner.Kind != "" {
		controller = o.Owner.Kind + "/" + o.Owner.Name
	}
	return rule.Object{
		Cluster: o.Cluster, Type: rule.Type{Group: o.Type.Group, Resource: o.Type.Resource, Kind: o.Type.Kind}, Namespace: o.Namespace, Name: o.Name,
		Queue: o.Queue, Submitter: o.Submitter, Owner: owner, Controller: controller, Labels: o.Labels,
	}
}

// lateSeen is the age of a transition at which a message says that it was seen late: no recorder
// watched when it happened, or the server was behind. An object may report whole minutes.
const lateSeen = 2 * time.Minute

// isLate reports whether a message about a transition must say that it was found late.
func isLate(t *feed.Transition) bool {
	return t.Kind == feed.Late || t.Source == feed.Relisted || t.Source == feed.Inferred ||
		t.Source == feed.Watched && t.Seen.Sub(t.Happened) > lateSeen
}

// kindOf returns the kind of message for a transition.
func kindOf(from, to job.State) message.Kind {
	switch {
	case to == job.Running && from != job.Restarting:
		return message.Started
	case to == job.Restarting:
		return message.Restarted
	case to == job.Failed:
		return message.Failed
	case to == job.Succeeded:
		return message.Succeeded
	case to == job.Aborted:
		return message.Aborted
	case to == job.Deleted && !from.Final():
		return message.Deleted
	}
	return message.StateChanged
}
