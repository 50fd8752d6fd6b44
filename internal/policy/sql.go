package policy

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// otherSQL are packages whose SQL no database of ours runs.
var otherSQL = map[string]string{
	"cmd/vedette":           "an example for DuckDB in a help text",
	"platform/sqldb/dbtest": "a question to a server about its sessions",
	"examples/stream":       "a consumer with an SQLite file of its own",
}

var statement = regexp.MustCompile("[\"`]\\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|ALTER TABLE|WITH RECURSIVE)\\s")

// checkSQL returns the packages of the root module that contain SQL, and that the gate does
// not test on each kind of database. list is the text of tools/gate/needs.go.
func checkSQL(tree fs.FS, list string) ([]string, error) {
	_, list, found := strings.Cut(list, "var sqlPackages = []string{")
	if !found {
		return nil, fmt.Errorf("tools/gate/needs.go has no list sqlPackages")
	}
	list, _, _ = strings.Cut(list, "\n}")
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	var broken []string
	for dir, files := range packages {
		if strings.Contains(list, `"`+dir+`"`) || otherSQL[dir] != "" {
			continue
		}
		for _, file := range files {
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				return nil, err
			}
			if m := statement.Find(text); m != nil {
				broken = append(broken, fmt.Sprintf("%s contains SQL (%s: %s): list it in sqlPackages of tools/gate/needs.go", dir, path.Base(file), strings.TrimSpace(string(m[1:]))))
				break
			}
		}
	}
	slices.Sort(broken)
	return broken, nil
}
