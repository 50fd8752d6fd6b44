package erase

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Clean removes the dictionaries that contain bodies of erased objects, and the content of deleted
// rows from the files of an SQLite database. It returns false if the database removes that content
// by itself, as servers do. Run calls it; call it to continue after an error.
//
// Errors: those of the database.
func Clean(ctx context.Context, c Config) (scrubbed bool, err error) {
	scrubbed, err = clean(ctx, c)
	return scrubbed, c.DB.Explain(err)
}

func clean(ctx context.Context, c Config) (scrubbed bool, err error) {
	var uids []string
	if err := model.EachErased(ctx, c.DB, func(_, uid string) { uids = append(uids, uid) }); err != nil {
		return false, err
	}
	ids, err := bodies.Holding(ctx, c.DB, uids)
	if err != nil {
		return false, err
	}
	err = bodies.Retire(ctx, c.DB, ids, func(done int) { c.say("%d bodies of other objects were compressed again", done) })
	if err != nil {
		return false, err
	}
	c.say("removing deleted rows from the files")
	return c.DB.Scrub(ctx)
}

// Erased are the UIDs of all objects that were erased.
type Erased struct{ uids map[[2]string]bool }

// ReadErased returns the UIDs of all objects that were erased.
//
// Errors: those of the database.
func ReadErased(ctx context.Context, db *sqldb.DB) (*Erased, error) {
	e := &Erased{map[[2]string]bool{}}
	err := model.EachErased(ctx, db, func(cluster, uid string) { e.uids[[2]string{cluster, uid}] = true })
	return e, db.Explain(err)
}

// Has reports whether an object of a cluster was erased.
func (e *Erased) Has(clusterUID, uid string) bool { return e.uids[[2]string{clusterUID, uid}] }

// HasUID reports whether an object of any cluster was erased.
func (e *Erased) HasUID(uid string) bool {
	for of := range e.uids {
		if of[1] == uid {
			return true
		}
	}
	return false
}
