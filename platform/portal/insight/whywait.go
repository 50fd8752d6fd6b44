package insight

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
)

// write fills the answer.
func (w *waiting) write(ctx context.Context) error {
	past := !w.viewer.At.IsZero()
	waits := w.job.State.Waits() || w.job.State == job.Suspended || w.job.State == job.Starting
	k, err := w.kueue.world(ctx, w.job.ClusterUID)
	if err != nil {
		return err
	}
	switch {
	case !waits:
		w.say("notWaiting")
	case past:
		w.index()
		w.miss("unknown.at")
	default:
		if err := w.live(ctx, k); err != nil {
			return err
		}
	}
	var length time.Duration
	if since := job.LastWait(w.job.Life); !since.IsZero() {
		length = w.at.Sub(since)
	} else {
		length = w.job.Waited
	}
	pool := poolOf(k, w.job.Cluster, w.job.Namespace, w.job.Queue)
	before, err := w.past(pool, w.job.Queue, w.job.GPUs, length, w.job.State.Waits() && !past, w.s)
	if err != nil {
		return err
	}
	w.answer.Like, w.answer.Likely = before.like, before.start
	if w.blocked && w.answer.Likely != nil { // the waits of other jobs do not apply
		w.answer.Likely = nil
		w.miss("unknown.likely.blocked")
	}
	if waits {
		w.answer.Unknown = append(w.answer.Unknown, before.unknown...)
	}
	w.answer.Sentence = w.s.Join(w.said...)
	return nil
}

// live answers from the current records.
func (w *waiting) live(ctx context.Context, k *kueueWorld) error {
	if w.job.Labels[job.HeldLabel] != "" && w.job.State == job.Suspended {
		w.index()
		return nil
	}
	self := k.of(w.job.Namespace, w.job.UID)
	managed := self != nil || w.job.Labels[job.KueueQueueLabel] != ""
	if managed && k.knows() {
		placed, err := w.fromKueue(k, self)
		if err != nil || !placed {
			return err
		}
	} else if w.job.Type == volcanoJobType || !managed {
		found, err := w.fromVolcano(ctx)
		if err != nil || found && len(w.answer.Nodes) > 0 {
			return err
		}
	}
	if err := w.fromScheduler(ctx); err != nil {
		return err
	}
	if len(w.said) == 0 {
		w.index()
	}
	if managed && !k.knows() {
		w.missType("quota", clusterQueueType)
		w.missType("line", workloadType)
	}
	return nil
}
