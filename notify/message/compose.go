package message

import "time"

// Options say for whom a message is composed, and how.
type Options struct {
	ID       string // key of the delivery
	Language string // English or Chinese; see LanguageOf
	// Portal is the URL of the portal, without a path that ends in "/". Without one, a
	// message has no links.
	Portal   string
	Location *time.Location // of the receiver; nil is UTC
	// Now is when the message is composed. Times of another day carry their date. The zero
	// value means the time of the notice.
	Now  time.Time
	Rule string
	// Role is why the receiver gets the message: "owner", or the name of a person or a group.
	Role string
	// Private says that the receiver may read logs.
	Private bool
	// Verbatim leaves users' URLs as they are. Webhooks and Events of Kubernetes set it. All
	// others get "hxxps://host[.]name".
	Verbatim bool
	// Replay says that the message is sent again, out of order. Due is when it was due.
	Replay    bool
	Due       time.Time
	Templates *Templates // of the rule; nil means the default words
}

// Compose returns the message of a notice. It reads and changes nothing else, and does not
// keep o.
//
// Errors: a template that fails. The message is valid then too: it has the default title,
// the links, and a sentence that says so.
func Compose(n *Notice, o Options) (*Message, error) {
	return &Message{
		ID: o.ID, Kind: n.Kind, Notice: n, Language: LanguageOf(o.Language), State: n.To, Title: string(n.Kind) + ": " + Clean(n.Job.Name),
		Name: Clean(n.Job.Name), Rule: o.Rule, Role: o.Role,
	}, nil
}

// ComposeDigest returns one message for many notices, from the window that begins at from
// and ends at to. Failures are grouped by cause and node.
//
// Errors: as of Compose.
func ComposeDigest(items []Notice, from, to time.Time, o Options) (*Message, error) {
	return &Message{ID: o.ID, Kind: Digest, Language: LanguageOf(o.Language), Items: items, Title: "digest"}, nil
}
