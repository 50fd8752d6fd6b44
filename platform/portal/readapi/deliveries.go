package readapi

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// notifications answers with the messages about a job, newest first.
func notifications(r *reader, ctx context.Context, in *PageInput) (*api.DeliveryList, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	from, err := offsetOf(in.After)
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	// The cursor is the number of the last delivery of the previous page.
	var found []delivery.Delivery
	if q.At.IsZero() {
		found, err = delivery.List(ctx, r.DB, delivery.Filter{Object: row.ID, Before: int64(from), Limit: limit + 1})
		err = r.DB.Explain(err)
	} else if found, err = deliveriesAbout(r, ctx, row.ID, q.At); from > 0 {
		found = slices.DeleteFunc(found, func(d delivery.Delivery) bool { return d.ID >= int64(from) })
	}
	if err != nil {
		return nil, err
	}
	list := &api.DeliveryList{Deliveries: []api.Delivery{}, Total: api.Count{N: len(found)}}
	if len(found) > limit {
		found = found[:limit]
		list.Next = offsetCursor(int(found[limit-1].ID))
	}
	if from > 0 || list.Next != "" {
		all, err := deliveriesAbout(r, ctx, row.ID, q.At)
		if err != nil {
			return nil, err
		}
		list.Total = api.Count{N: len(all), More: len(all) == mostDeliveries}
	}
	operator, err := r.Operates(ctx)
	if err != nil {
		return nil, err
	}
	for i := range found {
		one := deliveryOf(r, q, &found[i], operator)
		if !q.At.IsZero() {
			one.May = []string{}
		}
		list.Deliveries = append(list.Deliveries, one)
	}
	return list, nil
}

// deadInput selects dead letters.
type deadInput struct {
	Channel string `query:"channel" maxLength:"63" doc:"The name of a channel, by default all"`
	Limit   int    `query:"limit" minimum:"0" maximum:"500" doc:"How many, 100 by default"`
	After   string `query:"after" maxLength:"128" doc:"The cursor of the page before"`
}

// deadLetters answers with the messages that were given up, newest first.
func deadLetters(r *reader, ctx context.Context, in *deadInput) (*api.DeliveryList, error) {
	q, err := operator(r, ctx)
	if err != nil {
		return nil, err
	}
	from, err := offsetOf(in.After)
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	found, err := delivery.List(ctx, r.DB, delivery.Filter{Channel: in.Channel, States: []delivery.State{delivery.Dead}, Before: int64(from), Limit: limit + 1})
	if err != nil {
		return nil, r.DB.Explain(err)
	}
	list := &api.DeliveryList{Deliveries: []api.Delivery{}}
	if len(found) > limit {
		found = found[:limit]
		list.Next = offsetCursor(int(found[limit-1].ID))
	}
	for i := range found {
		list.Deliveries = append(list.Deliveries, deliveryOf(r, q, &found[i], true))
	}
	counts, err := delivery.Counts(ctx, r.DB)
	for _, c := range counts {
		if c.State == delivery.Dead && (in.Channel == "" || in.Channel == c.Channel) {
			list.Total.N += c.N
		}
	}
	return list, r.DB.Explain(err)
}

// operator returns the question of a person who may see the operations page.
//
// Errors: *api.Problem if the person may not.
func operator(r *reader, ctx context.Context) (*question, error) {
	q, err := r.ask(ctx, "")
	if err != nil {
		return nil, err
	}
	operates, err := r.Operates(ctx)
	switch {
	case err != nil:
		return nil, err
	case !operates:
		return nil, web.Denied("Only people who see all namespaces and the operators of this portal see operations.", "")
	}
	return q, nil
}

// deliveryOf returns a delivery for the API. It has no text if the person may not see the job,
// or if it is a digest.
func deliveryOf(r *reader, q *question, d *delivery.Delivery, operator bool) api.Delivery {
	own := isOwn(&q.person, d)
	one := api.Delivery{
		ID: d.ID, Kind: d.Kind, Rule: d.Rule, Channel: d.Channel, Receiver: d.Receiver, Person: d.Person, Role: d.Role, Title: d.Kind,
		State: d.State.String(), Attempts: d.Attempts, Created: instant(d.CreatedAt), Late: d.Late, Replay: d.Replay, AckedBy: d.AckedBy, May: []string{},
	}
	if d.State == delivery.Behind {
		one.State = delivery.Waiting.String()
	}
	if !own {
		one.Receiver = masked(d.Receiver)
	}
	if d.State <= delivery.Sending {
		one.NextAt = instant(d.NextAt)
	}
	one.Sent, one.AckedAt = instant(d.SentAt), instant(d.AckedAt)
	if one.Answer = d.LastError; one.Answer == "" || d.State == delivery.Sent {
		one.Answer = d.Status
	}
	if d.Receiver != one.Receiver {
		one.Answer = strings.ReplaceAll(one.Answer, d.Receiver, one.Receiver)
	}
	described(r, q, d, &one)
	if operator || own {
		switch d.State {
		case delivery.Dead:
			one.May = append(one.May, "send")
			if operator {
				one.May = append(one.May, "replay", "drop")
			}
		case delivery.Sent:
			one.May = append(one.May, "send")
		}
	}
	if !d.EscalateAt.IsZero() && d.AckedAt.IsZero() && one.Job != nil {
		one.May = append(one.May, "acknowledge")
	}
	return one
}

// described adds the text of a delivery and its job, if the person may see the job.
func described(r *reader, q *question, d *delivery.Delivery, one *api.Delivery) {
	n := noticeOf(d)
	if n == nil {
		return
	}
	row := jobindex.Row{Cluster: n.Job.Cluster, Type: n.Job.Type, Namespace: n.Job.Namespace}
	if d.Object != 0 {
		found := false
		if r.Index.View(func(v *jobindex.View) error {
			var known jobindex.Row
			if known, found = v.ByID(d.Object); found {
				row = known
			}
			return nil
		}) != nil {
			return
		}
	}
	if !q.sees(&row) {
		return
	}
	m, err := message.Compose(n, message.Options{ID: d.Key, Language: q.language, Rule: d.Rule, Role: d.Role, Location: time.UTC, Now: q.now, Verbatim: true})
	if err == nil && m != nil {
		one.Title = m.Title
	}
	one.JobState = string(n.To)
	if n.Job.UID != "" {
		one.Job = &api.JobRef{Cluster: n.Job.Cluster, UID: n.Job.UID, Type: n.Job.Type, Namespace: n.Job.Namespace, Name: n.Job.Name}
	}
}

// isOwn reports whether a delivery goes to the person of the request.
func isOwn(p *identity.Person, d *delivery.Delivery) bool { return p.Is(d.Person) || p.Is(d.Receiver) }

// masked hides most of an address: the name before an @, and the middle of others.
func masked(address string) string {
	if address == "" {
		return ""
	}
	name, host, mail := strings.Cut(address, "@")
	first, _ := utf8.DecodeRuneInString(name)
	if mail {
		return string(first) + "…@" + host
	}
	return string(first) + "…"
}
