package channel

// Receiver is the person or group that gets a message through a channel. It comes from the
// table of people and from the rules, never from fields of a job.
type Receiver struct {
	// Address identifies the person in the protocol of the channel: an e-mail address, the
	// ID of a mention, a telephone number. It is empty if the receiver is the channel
	// itself.
	Address string
	// Name is the person's display name; may be empty.
	Name string
	// Person is the key in the table of people; may be empty.
	Person string
	// Private is true if only this person reads the message.
	Private bool
}

// Receipt is the answer of the endpoint to an accepted message.
type Receipt struct {
	// Status is the endpoint's answer, such as "HTTP 200" or "errcode 0".
	Status string
	// Ref identifies the message at the endpoint, for instance to reply in its thread; may
	// be empty.
	Ref string
}
