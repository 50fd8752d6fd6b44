package message

import "time"

// RoleOwner is the role of the person who submitted the job.
const RoleOwner = "owner"

// Options say for whom a message is composed, and how.
type Options struct {
	ID       string // key of the delivery
	Language string // English or Chinese; see LanguageOf
	// Portal is the address of the portal. Without one, a message has no links.
	Portal   string
	Location *time.Location // of the receiver; nil is UTC
	// Now is when the message is composed. Times of another day carry their date. The zero
	// value means the time of the notice.
	Now  time.Time
	Rule string
	// Role is why the receiver gets the message: RoleOwner, or the name of a person or a group.
	Role string
	// Private says that the receiver may read logs.
	Private bool
	// Verbatim leaves users' addresses as they are. Webhooks and Events of Kubernetes set it.
	// All others get "hxxps://host[.]name".
	Verbatim bool
	// Replay says that the message is sent again, out of order. Due is when it was due.
	Replay bool
	Due    time.Time
	// Templates are those of the rule; nil means the default words.
	Templates *Templates
}
