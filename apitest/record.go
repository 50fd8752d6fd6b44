package apitest

// record is a write as the server keeps it.
type record struct {
	request Request
	event   *event
}
