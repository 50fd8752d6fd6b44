package writeapi

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Limits of one request about dead letters.
const (
	atOnce      = 500    // in one transaction
	maxLetters  = 10_000 // IDs in a request
	againWithin = time.Minute
)

type muteInput struct {
	Cluster string `path:"cluster" maxLength:"253" doc:"The name of the cluster"`
	UID     string `path:"uid" maxLength:"253" doc:"The UID of the job"`
	Body    api.MuteRequest
}

// mayAcknowledge returns nil if the person of ctx owns a job or may change it.
func (w *writer) mayAcknowledge(ctx context.Context, row *jobindex.Row) error {
	if identity.Of(ctx).Owns(row.Cluster, row.Owner) {
		return nil
	}
	return w.changes(ctx, row)
}

// maxMute limits the duration of a mute.
const maxMute = 366 * 24 * time.Hour

// checkUntil returns a problem for an invalid end of a mute.
func checkUntil(until, now time.Time) error {
	if until.After(now.Add(maxMute)) {
		return web.Invalid("Messages can be muted for a year at most.", api.FieldProblem{Field: "until", Message: "is more than a year away"})
	}
	return nil
}

// acknowledge ends the escalations of the messages about a job.
func acknowledge(ctx context.Context, w *writer, in *jobInput) (*api.Act, error) {
	row, err := w.row(ctx, in.Cluster, in.UID)
	if err != nil {
		return nil, err
	}
	out := &api.Act{}
	err = w.audited(ctx, api.AuditEntry{Act: "acknowledge", Object: nameOf(&row), Job: ref(&row)}, func() (string, error) {
		if err := w.mayAcknowledge(ctx, &row); err != nil {
			return "", err
		}
		n, err := delivery.Ack(ctx, w.cfg.DB, row.ID, w.who(ctx))
		if out.Count = n; n == 0 {
			out.Done = "No message about " + row.Name + " waits for an acknowledgment."
		} else {
			out.Done = counted(n, "message") + " about " + row.Name + " acknowledged. Nobody else is notified."
		}
		return counted(n, "message"), err
	})
	return out, err
}

// mute stops the messages about a job to the person.
func mute(ctx context.Context, w *writer, in *muteInput) (*api.Act, error) {
	row, err := w.row(ctx, in.Cluster, in.UID)
	if err != nil {
		return nil, err
	}
	until := in.Body.Until
	if err := checkUntil(until, time.Now()); err != nil {
		return nil, err
	}
	out := &api.Act{Count: 1}
	err = w.audited(ctx, api.AuditEntry{Act: "mute", Object: nameOf(&row), Job: ref(&row), Detail: in.Body.Reason}, func() (string, error) {
		switch {
		case until.IsZero():
			out.Done = "You get no messages about " + row.Name + " until it has ended."
		case until.After(time.Now()):
			out.Done = "You get no messages about " + row.Name + " until " + until.UTC().Format(time.RFC3339) + "."
		default:
			out.Done = "You get messages about " + row.Name + " again."
		}
		if until.IsZero() || until.After(time.Now()) {
			out.Undo = pathOf(api.PathMute, &row)
		}
		return "", delivery.AddMute(ctx, w.cfg.DB, delivery.Mute{Person: w.person(ctx), Object: row.ID, Until: until, CreatedBy: w.who(ctx)})
	})
	return out, err
}

// unmute resumes the messages about a job to the person.
func unmute(ctx context.Context, w *writer, in *jobInput) (*api.Act, error) {
	return mute(ctx, w, &muteInput{Cluster: in.Cluster, UID: in.UID, Body: api.MuteRequest{Until: time.Unix(1, 0)}})
}

type lettersInput struct{ Body api.ReplayRequest }

// replayLetters sends dead letters again, and dropLetters removes them.
func replayLetters(ctx context.Context, w *writer, in *lettersInput) (*api.Act, error) {
	return w.letters(ctx, &in.Body, "replay", "will be sent again", delivery.Replay)
}

func dropLetters(ctx context.Context, w *writer, in *lettersInput) (*api.Act, error) {
	return w.letters(ctx, &in.Body, "drop", "dropped", delivery.Drop)
}

// letters acts on the dead letters of a request.
func (w *writer) letters(ctx context.Context, in *api.ReplayRequest, act, did string, do func(context.Context, *sqldb.DB, string, ...int64) (int, error)) (*api.Act, error) {
	switch named := len(in.IDs) > 0; {
	case named && (in.All || in.Channel != ""), !named && !in.All && in.Channel == "":
		return nil, web.Invalid("Name dead letters, a channel, or all of them.", api.FieldProblem{Field: "ids", Message: "exclude channel and all; one of the three is needed"})
	case len(in.IDs) > maxLetters:
		return nil, web.Invalid("The request names too many dead letters.", api.FieldProblem{Field: "ids", Message: fmt.Sprintf("at most %d", maxLetters)})
	}
	object := "all dead letters"
	switch {
	case len(in.IDs) > 0:
		object = counted(len(in.IDs), "dead letter")
	case in.Channel != "":
		object = "the dead letters of channel " + in.Channel
	}
	out := &api.Act{}
	err := w.audited(ctx, api.AuditEntry{Act: act, Object: object}, func() (string, error) {
		if err := w.operates(ctx); err != nil {
			return "", err
		}
		ids, by := in.IDs, w.who(ctx)
		for before := int64(0); ; {
			if len(in.IDs) == 0 {
				found, err := delivery.List(ctx, w.cfg.DB, delivery.Filter{Channel: in.Channel, States: []delivery.State{delivery.Dead}, Before: before, Limit: atOnce})
				if err != nil {
					return counted(out.Count, "message"), err
				}
				ids = ids[:0:0]
				for i := range found {
					ids = append(ids, found[i].ID)
				}
			}
			if len(ids) == 0 {
				break
			}
			some := ids[:min(len(ids), atOnce)]
			n, err := do(ctx, w.cfg.DB, by, some...)
			if out.Count += n; err != nil {
				return counted(out.Count, "message"), err
			}
			before, ids = some[len(some)-1], ids[len(some):]
			if len(in.IDs) > 0 && len(ids) == 0 {
				break
			}
		}
		out.Done = counted(out.Count, "message") + " " + did + "."
		return counted(out.Count, "message"), nil
	})
	return out, err
}

// operates returns a problem if the person of ctx may not see the operations page.
func (w *writer) operates(ctx context.Context) error {
	yes, err := w.cfg.Access.Operates(ctx)
	if err == nil && !yes {
		err = web.Denied("Only operators, who see all namespaces, may do this. Ask an administrator of the portal.", "")
	}
	return err
}

type sendInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The number of the message"`
}

// sendAgain sends a message again: a dead letter as it is, and any other as a new
// delivery, at most once a minute.
func sendAgain(ctx context.Context, w *writer, in *sendInput) (*api.Act, error) {
	missing := web.Unknown(fmt.Sprintf("There is no message %d, or you may not see it.", in.ID))
	d, _, err := delivery.Show(ctx, w.cfg.DB, in.ID)
	if errors.Is(err, delivery.ErrUnknown) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	var row jobindex.Row
	found := false
	if err := w.cfg.Index.View(func(v *jobindex.View) error {
		row, found = v.ByID(d.Object)
		return nil
	}); err != nil {
		return nil, err
	}
	e := api.AuditEntry{Act: "send", Object: "message " + strconv.FormatInt(d.ID, 10)}
	if found {
		if _, err := w.visible(ctx, row, found, row.Cluster, row.UID); err != nil {
			if p, ok := asProblem(err); ok && p.Type == api.ProblemUnknown {
				return nil, missing
			}
			return nil, err
		}
		e.Job = ref(&row)
	} else if err := w.operates(ctx); err != nil {
		return nil, missing
	}
	out := &api.Act{Count: 1}
	err = w.audited(ctx, e, func() (string, error) {
		if found {
			if err := w.mayAcknowledge(ctx, &row); err != nil {
				return "", err
			}
		}
		out.Done = "The message will be sent again."
		return d.Channel, w.again(ctx, &d)
	})
	return out, err
}

// again creates a delivery for a message, or replays a dead letter.
//
// Errors: *api.Problem: it was not sent yet; those of the database.
func (w *writer) again(ctx context.Context, d *delivery.Delivery) error {
	switch d.State {
	case delivery.Dead:
		n, err := delivery.Replay(ctx, w.cfg.DB, w.who(ctx), d.ID)
		if err == nil && n == 0 {
			err = web.Conflict("The message is no longer a dead letter.")
		}
		return err
	case delivery.Sent, delivery.Dropped, delivery.Superseded, delivery.Silenced:
	default:
		return web.Conflict("The message was not sent yet. The notifier tries it again by itself.")
	}
	again := delivery.Delivery{
		Key:  fmt.Sprintf("%s/again/%d", d.Key, time.Now().Unix()/int64(againWithin.Seconds())),
		Kind: d.Kind, Rule: d.Rule, Channel: d.Channel, Receiver: d.Receiver, Person: d.Person, Role: d.Role,
		Object: d.Object, Event: d.Event, Late: true, Replay: true, CreatedAt: w.cfg.DB.Now(),
	}
	return w.cfg.DB.Transact(ctx, func(tx *sqldb.Tx) error {
		_, err := delivery.Create(ctx, tx, []delivery.Delivery{again})
		return err
	})
}

// counted returns "1 message" or "3 messages".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
