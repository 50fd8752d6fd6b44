package notify

import (
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/notify/rule"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/state"
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

// isLate reports whether a message about a transition must say that it was found late.
func isLate(t *feed.Transition) bool {
	return t.Kind == feed.Late || t.Source == feed.Relisted || t.Source == feed.Inferred
}

// kindOf returns the kind of message for a transition.
func kindOf(from, to state.State) message.Kind {
	switch {
	case to == state.Running && from != state.Restarting:
		return message.Started
	case to == state.Restarting:
		return message.Restarted
	case to == state.Failed:
		return message.Failed
	case to == state.Succeeded:
		return message.Succeeded
	case to == state.Aborted:
		return message.Aborted
	case to == state.Deleted && !from.Final():
		return message.Deleted
	}
	return message.StateChanged
}
