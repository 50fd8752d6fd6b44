package rule

// TargetKind is the kind of a target.
type TargetKind int

const (
	// Owner is the person or channel that the job itself names.
	Owner TargetKind = iota + 1
	// Person is an entry of the table of people.
	Person
	// Channel is a channel, with an address if the channel has several receivers.
	Channel
)

// Target is a receiver of messages in a rule.
type Target struct {
	Kind TargetKind
	// Channel is the name of the channel. For a person it may be empty, which means the
	// person's preferred or default channel.
	Channel string
	// Address is a receiver on the channel, such as an e-mail address. It may be empty.
	Address string
	// Person is a name of the table of people.
	Person string
}

// String returns the target in the syntax of rules: "owner", a person, a channel, or
// "channel:receiver".
func (t Target) String() string {
	switch {
	case t.Kind == Owner:
		return "owner"
	case t.Channel == "":
		return t.Person
	case t.Person != "":
		return t.Channel + ":" + t.Person
	case t.Address != "":
		return t.Channel + ":" + t.Address
	}
	return t.Channel
}
