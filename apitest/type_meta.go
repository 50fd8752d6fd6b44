package apitest

// typeMeta is the API version and the kind of an encoded object.
type typeMeta struct{ apiVersion, kind string }

// tableKind is the kind of a table, which kubectl prints.
var tableKind = typeMeta{"meta.k8s.io/v1", "Table"}
