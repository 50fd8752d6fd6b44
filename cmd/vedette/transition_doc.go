package main

// transitionDoc is the machine-readable form of a transition, of a reason that changed within a state, or of a gap or a
// changed content, which have no states.
type transitionDoc struct {
	Kind       string  `json:"kind"`
	Cluster    string  `json:"cluster"`
	Type       string  `json:"type"`
	Namespace  string  `json:"namespace"`
	Name       string  `json:"name"`
	UID        string  `json:"uid"`
	Version    string  `json:"version"`
	From       string  `json:"from"`
	To         string  `json:"to"`
	FromRaw    string  `json:"fromRaw"`
	ToRaw      string  `json:"toRaw"`
	Reason     string  `json:"reason"`
	Message    string  `json:"message"`
	HappenedAt string  `json:"happenedAt"`
	SeenAt     string  `json:"seenAt"`
	EndedAt    string  `json:"endedAt"`
	Seconds    float64 `json:"seconds"`
	Current    bool    `json:"current"`
	Source     string  `json:"source"`
	Owner      string  `json:"owner"`
	Queue      string  `json:"queue"`
	Submitter  string  `json:"submitter"`
}
