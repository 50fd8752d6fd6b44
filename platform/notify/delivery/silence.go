package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Silence holds back the messages that its matchers select, until it ends. Then each receiver
// gets one summary.
type Silence struct {
	ID int64
	// Matchers select messages; all of them must match. platform/notify/rule parses them.
	Matchers []string
	Comment  string
	// CreatedBy is the author. ExpiredBy is the person who ended the silence before its
	// time, or "".
	CreatedBy, ExpiredBy string
	// StartsAt and EndsAt are the times at which it begins and ends.
	StartsAt, EndsAt time.Time
}

// Active reports whether a silence has begun and has not ended at a time.
func (s *Silence) Active(at time.Time) bool { return !at.Before(s.StartsAt) && at.Before(s.EndsAt) }

// Limits of silences. Planners read the active ones before each batch.
const (
	// MostSilences is the maximum number of silences that have not ended,
	// MostSilencesOfAuthor that of one author.
	MostSilences, MostSilencesOfAuthor = 500, 100
	// LongestSilence is the maximum length of a silence.
	LongestSilence = 30 * 24 * time.Hour
	// maxMatchers is the maximum size of all matchers of a silence in bytes.
	maxMatchers = 4 << 10
)

// ErrTooManySilences is the error for a silence above a limit.
var ErrTooManySilences = errors.New("too many silences")

// silencesMark is the mark that transactions which add silences change, so that they exclude
// each other.
const silencesMark = "silences"

// AddSilence stores a silence, and returns its ID. A zero StartsAt means now. The caller has
// checked the matchers.
//
// Errors: no matcher, comment or author; matchers of more than 4 KiB or with a line break; an
// end that is not after the start, or more than LongestSilence after it; ErrTooManySilences;
// those of the database.
func AddSilence(ctx context.Context, db *sqldb.DB, s Silence) (id int64, err error) {
	text := strings.Join(s.Matchers, "\n")
	if s.StartsAt.IsZero() {
		s.StartsAt = db.Now()
	}
	switch {
	case len(s.Matchers) == 0 || s.Comment == "" || s.CreatedBy == "":
		return 0, errors.New("a silence needs a matcher, a comment and an author")
	case len(text) > maxMatchers || strings.Count(text, "\n") != len(s.Matchers)-1:
		return 0, fmt.Errorf("the matchers of a silence have more than %d bytes, or a line break", maxMatchers)
	case !s.EndsAt.After(s.StartsAt) || s.EndsAt.Sub(s.StartsAt) > LongestSilence:
		return 0, fmt.Errorf("a silence ends after its start, and lasts %d days at most", int(LongestSilence.Hours()/24))
	}
	s.CreatedBy = cut(s.CreatedBy, maxWord)
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		if err := touch(ctx, tx, silencesMark, s.CreatedBy); err != nil {
			return err
		}
		if err := roomForSilence(ctx, tx, s.CreatedBy, tx.Now()); err != nil {
			return err
		}
		err := tx.Insert(ctx, "silences", []string{"matchers", "comment", "created_by", "expired_by", "starts_at", "ends_at", "touches"},
			[][]any{{cut(text, maxMatchers), cut(s.Comment, maxText), s.CreatedBy, "", micros(s.StartsAt), micros(s.EndsAt), int64(0)}})
		if err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT MAX(id) FROM silences").Scan(&id); err != nil {
			return err
		}
		return audit(ctx, tx, s.CreatedBy, "silence", fmt.Sprintf("silence %d: %s until %s: %s", id, strings.Join(s.Matchers, ", "), s.EndsAt.UTC().Format(time.RFC3339), s.Comment))
	})
	return id, err
}

// roomForSilence returns ErrTooManySilences if an author, or everybody, has the maximum of
// silences that have not ended.
func roomForSilence(ctx context.Context, tx *sqldb.Tx, author string, now time.Time) error {
	active, err := Silences(ctx, tx, now)
	own := 0
	for i := range active {
		if active[i].CreatedBy == author {
			own++
		}
	}
	switch {
	case err != nil:
		return err
	case own >= MostSilencesOfAuthor:
		return fmt.Errorf("%w: %s has %d, the maximum; expire some first", ErrTooManySilences, author, own)
	case len(active) >= MostSilences:
		return fmt.Errorf("%w: %d exist, the maximum of all authors; expire some first", ErrTooManySilences, len(active))
	}
	return nil
}

// Silences returns the silences that end after a time, in the order of their creation. The
// zero time selects all that are stored.
//
// Errors: those of the database.
func Silences(ctx context.Context, q sqldb.Querier, after time.Time) ([]Silence, error) {
	return selectSilences(ctx, q, "s.ends_at > ?", micros(after))
}

// FindSilence returns a silence.
//
// Errors: ErrUnknown; those of the database.
func FindSilence(ctx context.Context, q sqldb.Querier, id int64) (Silence, error) {
	all, err := selectSilences(ctx, q, "s.id = ?", id)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("silence %d: %w", id, ErrUnknown)
	}
	if err != nil {
		return Silence{}, err
	}
	return all[0], nil
}

// selectSilences returns the silences that a condition selects.
func selectSilences(ctx context.Context, q sqldb.Querier, condition string, args ...any) (all []Silence, err error) {
	query := "SELECT s.id, s.matchers, s.comment, s.created_by, s.expired_by, s.starts_at, s.ends_at FROM silences s WHERE "
	err = q.Query(ctx, query+condition+" ORDER BY s.id", args, func(rows *sql.Rows) error {
		var s Silence
		var matchers string
		var starts, ends int64
		err := rows.Scan(&s.ID, &matchers, &s.Comment, &s.CreatedBy, &s.ExpiredBy, &starts, &ends)
		s.Matchers, s.StartsAt, s.EndsAt = strings.Split(matchers, "\n"), moment(starts), moment(ends)
		all = append(all, s)
		return err
	})
	return all, err
}

// ExpireSilence ends a silence now. by is the person who requests it. Its summaries are sent
// as at its end.
//
// Errors: ErrUnknown if it does not exist or has ended; those of the database.
func ExpireSilence(ctx context.Context, db *sqldb.DB, id int64, by string) error {
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		now := micros(tx.Now())
		n, err := tx.Exec(ctx, "UPDATE silences SET ends_at = ?, expired_by = ?, touches = touches + 1 WHERE id = ? AND ends_at > ?", now, cut(by, maxWord), id, now)
		if err == nil && n == 0 {
			err = fmt.Errorf("silence %d: %w, or it has ended", id, ErrUnknown)
		}
		if err != nil {
			return err
		}
		summaries, err := selectNumbers(ctx, tx, "SELECT DISTINCT summary_id FROM silenced WHERE silence_id = ? ORDER BY summary_id", id)
		if err != nil {
			return err
		}
		if _, err := updateRows(ctx, tx, summaries, "next_at = ?", "state = ?", now, int16(Held)); err != nil {
			return err
		}
		return audit(ctx, tx, by, "expire-silence", fmt.Sprintf("silence %d", id))
	})
}

// HoldBack stores messages that a silence holds back as Silenced, and adds them to a summary,
// which is held until the end of the silence. A message whose key exists is not added. It
// returns the number of added messages. It returns false, and changes nothing, if the silence
// ended meanwhile. Call it only in the transaction that moves the cursor of the planner.
//
// Errors: those of Create.
func HoldBack(ctx context.Context, tx *sqldb.Tx, silence int64, summary Delivery, messages []Delivery) (added int, active bool, err error) {
	// The row of the silence changes, so this transaction and ExpireSilence exclude each
	// other.
	n, err := tx.Exec(ctx, "UPDATE silences SET touches = touches + 1 WHERE id = ? AND ends_at = ?", silence, micros(summary.NextAt))
	if err != nil || n == 0 {
		return 0, false, err
	}
	// A planner with a faster clock may have released the summary.
	summary.State = Held
	before, err := Find(ctx, tx, summary.Key)
	switch {
	case err == nil && before.State != Held:
		return 0, false, nil
	case err != nil && !errors.Is(err, ErrUnknown):
		return 0, true, err
	}
	for i := range messages {
		d := &messages[i]
		d.State, d.NextAt, d.EscalateAt, d.LastError = Silenced, summary.NextAt, time.Time{}, fmt.Sprintf("silenced by silence %d", silence)
	}
	if added, err = Create(ctx, tx, messages); err != nil || added == 0 {
		return 0, true, err
	}
	if _, err := Create(ctx, tx, []Delivery{summary}); err != nil {
		return 0, true, err
	}
	d, err := Find(ctx, tx, summary.Key)
	if err != nil {
		return 0, true, err
	}
	for some := range slices.Chunk(messages, chunk) {
		if err := link(ctx, tx, silence, d.ID, some); err != nil {
			return 0, true, err
		}
	}
	return added, true, nil
}

// link adds silenced messages to a summary.
func link(ctx context.Context, tx *sqldb.Tx, silence, summary int64, messages []Delivery) error {
	args := make([]any, 0, len(messages)+1)
	for i := range messages {
		args = append(args, digestOf("key", messages[i].Key))
	}
	ids, err := selectNumbers(ctx, tx, "SELECT id FROM deliveries WHERE key_hash IN "+sqldb.Placeholders(len(args))+" AND state = ? ORDER BY id", append(args, int16(Silenced))...)
	if err != nil || len(ids) == 0 {
		return err
	}
	rows := make([][]any, len(ids))
	for i, id := range ids {
		rows[i] = []any{silence, id, summary}
	}
	return tx.InsertNew(ctx, "silenced", []string{"silence_id", "delivery_id", "summary_id"}, rows, "delivery_id")
}

// HeldBackCounts returns the number of messages that each silence has held back, by its ID.
//
// Errors: those of the database.
func HeldBackCounts(ctx context.Context, q sqldb.Querier) (map[int64]int, error) {
	all := map[int64]int{}
	return all, q.Query(ctx, "SELECT silence_id, COUNT(*) FROM silenced GROUP BY silence_id", nil, func(rows *sql.Rows) error {
		var id int64
		var n int
		err := rows.Scan(&id, &n)
		all[id] = n
		return err
	})
}

// HeldBack returns messages that a silence has held back, oldest first: those with IDs larger
// than after, at most limit.
//
// Errors: those of the database.
func HeldBack(ctx context.Context, q sqldb.Querier, silence, after int64, limit int) ([]Delivery, error) {
	return selectDeliveries(ctx, q, "FROM silenced m JOIN deliveries d ON d.id = m.delivery_id WHERE m.silence_id = ? AND m.delivery_id > ? ORDER BY m.delivery_id LIMIT ?", silence, after, limit)
}
