package audit

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Erased selects the acts on an object that is erased.
type Erased struct {
	UID, Namespace, Name string
	// From and To limit the acts that name the object without its UID, such as its submission.
	From, To time.Time
}

// ActErase is the act of an erasure. Its row has no name.
const ActErase = "erase"

// ActsOn returns the row IDs of the acts on erased objects. Such an act has a UID of one of them, or
// its detail names the UID, or it was on an object of the same name within the life of the object.
//
// Errors: those of the database.
func ActsOn(ctx context.Context, q sqldb.Querier, all []Erased) (ids []int64, err error) {
	byUID, byName := map[string]bool{}, map[string][]Erased{}
	for _, e := range all {
		byUID[e.UID] = true
		byName[e.Namespace+"/"+e.Name] = append(byName[e.Namespace+"/"+e.Name], e)
	}
	err = q.Query(ctx, "SELECT id, happened_at, object, namespace, name, uid, detail FROM portal_audit WHERE act <> ? AND (detail <> '' OR object <> '' OR name <> '') ORDER BY id", []any{ActErase}, func(rows *sql.Rows) error {
		var id, at int64
		var object, namespace, name, uid, detail string
		if err := rows.Scan(&id, &at, &object, &namespace, &name, &uid, &detail); err != nil {
			return err
		}
		within := func(e Erased) bool { return !time.UnixMicro(at).Before(e.From) && !time.UnixMicro(at).After(e.To) }
		named := slices.ContainsFunc(byName[object], within) || slices.ContainsFunc(byName[namespace+"/"+name], within)
		if byUID[uid] || uid == "" && named || slices.ContainsFunc(strings.FieldsFunc(detail, notInUID), func(word string) bool { return byUID[word] }) {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

// notInUID reports whether a character is not part of a UID.
func notInUID(r rune) bool {
	return r != '-' && r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// Erase removes the names and details of acts. The person, the act, the time, the UID and the result
// stay.
//
// Errors: those of the database.
func Erase(ctx context.Context, tx *sqldb.Tx, ids []int64) error {
	for _, id := range ids {
		if _, err := tx.Exec(ctx, "UPDATE portal_audit SET object = '', namespace = '', name = '', detail = '' WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}
