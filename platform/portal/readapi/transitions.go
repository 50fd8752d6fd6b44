package readapi

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// PageInput selects a page of a list of a job.
type PageInput struct {
	JobPath
	AtInput
	Limit int    `query:"limit" minimum:"0" maximum:"1000" doc:"How many, 100 by default"`
	After string `query:"after" maxLength:"512" doc:"The cursor of the page before"`
}

// paging returns the page for a list of the history.
func (in *PageInput) paging(order history.Order) history.Paging {
	p := history.Paging{After: history.Cursor(in.After), Limit: in.Limit, Order: order}
	if p.Limit == 0 {
		p.Limit = 100
	}
	return p
}

// transitions answers with the transitions of a job, newest first.
func transitions(r *reader, ctx context.Context, in *PageInput) (*api.TransitionList, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	told, err := deliveriesAbout(r, ctx, row.ID, q.At)
	if err != nil {
		return nil, err
	}
	if err := web.Tag(ctx, row.ID, row.Version, row.State, row.Deleted, len(told), q.sight.Key()); err != nil {
		return nil, err
	}
	page, err := transitionsThen(r, ctx, row.ID, in.paging(history.NewestFirst), q.At)
	if err != nil {
		return nil, mapped(err)
	}
	notified := map[uint64]int{}
	for i := range told {
		if n := noticeOf(&told[i]); n != nil {
			notified[n.Version]++
		}
	}
	list := &api.TransitionList{Transitions: make([]api.Transition, len(page.Items)), Next: string(page.Next)}
	for i := range page.Items {
		list.Transitions[i] = jobview.Transition(&page.Items[i], notified[uint64(page.Items[i].Version)])
	}
	return list, nil
}

// transitionsThen returns a page of transitions, newest first; with an instant, those up to it.
func transitionsThen(r *reader, ctx context.Context, object int64, p history.Paging, at time.Time) (history.Page[history.Transition], error) {
	for {
		page, err := r.history.Transitions(ctx, object, p)
		if err != nil || at.IsZero() {
			return page, err
		}
		page.Items = slices.DeleteFunc(page.Items, func(t history.Transition) bool { return t.Happened.After(at) })
		if len(page.Items) > 0 && page.Items[0].Ended.After(at) {
			page.Items[0].Ended = time.Time{}
		}
		if len(page.Items) > 0 || page.Next == "" {
			return page, nil
		}
		p.After = page.Next
	}
}

// mostDeliveries is the maximum number of deliveries of a job that are read at once.
const mostDeliveries = 500

// deliveriesAbout returns the newest deliveries about an object; none if the database has no
// notifications. With an instant, it returns the deliveries that existed then.
func deliveriesAbout(r *reader, ctx context.Context, object int64, at time.Time) ([]delivery.Delivery, error) {
	all, err := delivery.List(ctx, r.DB, delivery.Filter{Object: object, Limit: mostDeliveries})
	if !at.IsZero() {
		all = slices.DeleteFunc(all, func(d delivery.Delivery) bool { return d.CreatedAt.After(at) })
		for i := range all {
			all[i] = deliveryThen(all[i], at)
		}
	}
	return all, r.DB.Explain(err)
}

// noticeOf returns the content of a delivery about one job; nil for a digest, and for content
// that cannot be read.
func noticeOf(d *delivery.Delivery) *message.Notice {
	n := new(message.Notice)
	if message.Kind(d.Kind) == message.Digest || decode(d.Event, n) != nil {
		return nil
	}
	return n
}
