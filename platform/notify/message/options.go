package message

import "time"

// RoleOwner is the role of the person who submitted the job.
const RoleOwner = "owner"

// Options determine how a message is composed, and for which receiver.
type Options struct {
	ID       string // key of the delivery
	Language string // English or Chinese; see LanguageOf
	// Portal is the address of the portal. Without it, a message has no links.
	Portal   string
	Location *time.Location // of the receiver; nil is UTC
	// Now is the current time. Times of another day include the date. The zero value means
	// the time of the notice.
	Now  time.Time
	Rule string
	// Role is the reason why the receiver gets the message: RoleOwner, or the name of a
	// person or a group.
	Role string
	// Private is set if the receiver may read logs.
	Private bool
	// Verbatim keeps users' addresses. Webhooks and Kubernetes Events set it. Other
	// channels get "hxxps://host[.]name".
	Verbatim bool
	// Replay is set if the message is sent again, out of order. Due is its original time.
	Replay bool
	Due    time.Time
	// Unsubscribe is the token that stops such messages to the receiver without a sign-in; may be
	// empty.
	Unsubscribe string
	// Silence is set if the digest is the summary of a silence.
	Silence *Silence
	// Templates are the templates of the rule; nil means the default words.
	Templates *Templates
}
