package delivery_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// database is a database with the schema.
type database struct {
	*sqldb.DB
	t interface {
		Helper()
		Fatal(...any)
		Fatalf(string, ...any)
	}
}

func open(t *testing.T, url string) *database {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &database{db, t}
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(t *testing.T, d *database)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(t, open(t, url)) })
}

// start is the time at the beginning of tests.
var start = time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)

// about returns a delivery about an object for a receiver.
func about(object int64, receiver, key string) delivery.Delivery {
	return delivery.Delivery{
		Key: key, Kind: "Failed", Rule: "r", Channel: "chat", Receiver: receiver, Object: object, Event: []byte(`{"key":"` + key + `"}`), CreatedAt: start,
	}
}

// tx runs a transaction that must succeed.
func (d *database) tx(t *testing.T, f func(tx *sqldb.Tx) error) {
	t.Helper()
	if err := d.Transact(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

// create creates deliveries and returns the number of new ones.
func (d *database) create(t *testing.T, all ...delivery.Delivery) (created int) {
	t.Helper()
	d.tx(t, func(tx *sqldb.Tx) (err error) {
		created, err = delivery.Create(t.Context(), tx, all)
		return err
	})
	return created
}

// claim claims deliveries of the channel "chat".
func (d *database) claim(t *testing.T, o delivery.ClaimOptions) delivery.Claimed {
	t.Helper()
	c, err := delivery.Claim(t.Context(), d.DB, "chat", o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// finish finishes deliveries with a result.
func (d *database) finish(t *testing.T, o delivery.Outcome, p delivery.Policy, all ...delivery.Delivery) delivery.Finished {
	t.Helper()
	var outcomes []delivery.Outcome
	for _, one := range all {
		o.Delivery = one
		outcomes = append(outcomes, o)
	}
	f, err := delivery.Finish(t.Context(), d.DB, "chat", outcomes, p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keys returns the keys of deliveries.
func keys(all []delivery.Delivery) []string {
	found := []string{}
	for i := range all {
		found = append(found, all[i].Key)
	}
	return found
}
