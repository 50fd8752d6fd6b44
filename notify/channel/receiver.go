package channel

// Receiver is who gets a message through a channel. It comes from the table of people and
// from the rules, never from fields of a job.
type Receiver struct {
	// Address is what the protocol of the channel calls the person: an e-mail address, the
	// ID of a mention, a telephone number. It is empty if the channel alone is the receiver.
	Address string
	// Name is what people call the person; may be empty.
	Name string
	// Person is the key in the table of people; may be empty.
	Person string
	// Private is true if nobody but this person reads the message.
	Private bool
}

// Receipt is what the endpoint said about a message that it took.
type Receipt struct {
	// Status is the endpoint's answer, such as "HTTP 200" or "errcode 0".
	Status string
	// Ref names the message at the endpoint, for instance to answer in its thread; may be
	// empty.
	Ref string
}
