package api

import "time"

// DeliveryList are messages and where they went, newest first.
type DeliveryList struct {
	Deliveries []Delivery `json:"deliveries"`
	Next       string     `json:"next,omitempty"`
	// Total counts all matching deliveries; for dead letters it is exact.
	Total Count `json:"total"`
}

// Delivery is one message to one receiver on one channel.
type Delivery struct {
	ID       int64     `json:"id"`
	Kind     string    `json:"kind"`
	Rule     string    `json:"rule,omitempty"`
	Channel  string    `json:"channel"`
	Receiver string    `json:"receiver,omitempty"` // masked, except for the person's own address
	Person   string    `json:"person,omitempty"`
	Role     string    `json:"role,omitempty"`
	Title    string    `json:"title"` // the message in one line
	State    string    `json:"state"` // waiting, held, sending, sent, dead, dropped, superseded, silenced
	Attempts int       `json:"attempts"`
	NextAt   time.Time `json:"nextAt,omitzero"`
	Created  time.Time `json:"created"`
	Sent     time.Time `json:"sent,omitzero"`
	Answer   string    `json:"answer,omitempty"` // the last answer or error of the channel
	Late     bool      `json:"late,omitempty"`
	Replay   bool      `json:"replay,omitempty"`
	AckedBy  string    `json:"ackedBy,omitempty"`
	AckedAt  time.Time `json:"ackedAt,omitzero"`
	Job      *JobRef   `json:"job,omitempty"`
	JobState string    `json:"jobState,omitempty"`
	May      []string  `json:"may"` // send, acknowledge, replay, drop
}

// SubscriptionList are the subscriptions of the person, and the channels to choose from.
type SubscriptionList struct {
	Subscriptions []Subscription `json:"subscriptions"`
	Channels      []ChannelInfo  `json:"channels"`
}

// Subscription sends a person the messages about some jobs.
type Subscription struct {
	ID        int64     `json:"id"`
	Cluster   string    `json:"cluster,omitempty"`
	Type      string    `json:"type,omitempty"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name,omitempty"`
	UID       string    `json:"uid,omitempty"`
	Labels    string    `json:"labels,omitempty"` // a label selector
	States    []string  `json:"states,omitempty"` // none: all
	Channel   string    `json:"channel"`
	Address   string    `json:"address,omitempty"`
	Created   time.Time `json:"created"`
	// Verified is when the address was confirmed. No message is sent before that.
	Verified   time.Time `json:"verified,omitzero"`
	MutedUntil time.Time `json:"mutedUntil,omitzero"`
	// Person is the receiver: a name from the table of people or from the clusters, or a qualified
	// name such as cluster:prod:anna. CreatedBy is the person who made it.
	Person    string `json:"person,omitempty"`
	CreatedBy string `json:"createdBy,omitempty"`
	// ClusterUID is the UID of the cluster.
	ClusterUID string `json:"clusterUID,omitempty"`
}

// Subscribe asks for a subscription.
type Subscribe struct {
	Cluster   string   `json:"cluster,omitempty"`
	Type      string   `json:"type,omitempty"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name,omitempty"`
	UID       string   `json:"uid,omitempty"`
	Labels    string   `json:"labels,omitempty"`
	States    []string `json:"states,omitempty"`
	Channel   string   `json:"channel"`
	Address   string   `json:"address,omitempty"`
}

// VerifyRequest confirms an address with the code that was sent there.
type VerifyRequest struct {
	Code string `json:"code"`
}

// ChannelInfo is a channel that a person may choose.
type ChannelInfo struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // email, feishu, slack, webhook ...
	// Address describes the address, such as "email address"; empty if the channel needs none.
	Address string `json:"address,omitempty"`
}

// ReplayRequest selects dead letters: by ID, all of a channel, or all.
type ReplayRequest struct {
	IDs     []int64 `json:"ids,omitempty"`
	Channel string  `json:"channel,omitempty"`
	All     bool    `json:"all,omitempty"`
}

// MuteRequest stops messages about a job.
type MuteRequest struct {
	// Until is when messages are sent again; missing: when the job has ended.
	Until  time.Time `json:"until,omitzero"`
	Reason string    `json:"reason,omitempty"`
}

// Act is the result of a write.
type Act struct {
	// Done describes the result in one sentence.
	Done  string `json:"done"`
	Count int    `json:"count,omitempty"`
	// Undo is the path of a DELETE request that reverts the act; empty if the act cannot be
	// reverted.
	Undo string `json:"undo,omitempty"`
	// How a job was stopped: delete, suspend or command.
	How string `json:"how,omitempty"`
	// Before reports that the job had already been stopped: at At, by By, for the reason Why. By is
	// empty if the job is being deleted and its actor is unknown.
	Before bool      `json:"before,omitempty"`
	By     string    `json:"by,omitempty"`
	Why    string    `json:"why,omitempty"`
	At     time.Time `json:"at,omitzero"`
}
