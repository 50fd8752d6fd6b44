package shard_test

import (
	"testing"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestRaiseSilence: the silence of a member is stored only if the row is as it was read, and a beat
// ends it.
func TestRaiseSilence(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		id := w.member("a")
		read := func() (m model.ShardMember) {
			m, err := model.ShardMemberOf(t.Context(), w.d, "a")
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		change := func(f func(tx *sqldb.Tx) error) {
			t.Helper()
			if err := w.d.Transact(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		raise := func(m model.ShardMember, to, want int64) {
			t.Helper()
			change(func(tx *sqldb.Tx) error { return model.RaiseSilence(t.Context(), tx, m, to) })
			if got := read().Silent; got != want {
				t.Errorf("the silence is %d, want %d", got, want)
			}
		}
		first := read()
		raise(first, 5, 5)
		raise(first, 7, 5) // somebody has raised it
		second := read()
		raise(second, 9, 9)
		third := read()
		change(func(tx *sqldb.Tx) error {
			_, err := model.BeatShardMember(t.Context(), tx, id, first.Name, 0)
			return err
		})
		if m := read(); m.Silent != 0 || m.Beat != first.Beat+1 {
			t.Errorf("after a beat the row is %+v", m)
		}
		raise(third, 11, 0)
		raise(first, 11, 0) // its silence is 0 again, and its beat is another one
	})
}
