package policy

// unclear are the packages and documents that are not written plainly yet, with the
// number of habits in them. The list only shrinks: a place without habits leaves it.
var unclear = map[string]int{
	"CHANGELOG.md":       11,
	"CONTRIBUTING.md":    4,
	"cmd/vedette":        4,
	"conformance/submit": 2,
	"docs/channels.md":   2,
	"docs/decisions/0024-faults-are-logged.md": 1,
	"docs/decisions/0027-feed.md":              4,
	"docs/decisions/0028-deliveries.md":        1,
	"docs/decisions/0029-notifications.md":     4,
	"docs/decisions/0030-jobs-in.md":           1,
	"docs/decisions/0031-kept-logs.md":         1,
	"docs/decisions/0032-portal.md":            11,
	"docs/decisions/README.md":                 4,
	"docs/formats/snapshot.md":                 1,
	"docs/notifications.md":                    7,
	"docs/operating.md":                        7,
	"docs/portal.md":                           1,
	"docs/protocol.md":                         1,
	"docs/submitting.md":                       1,
	"docs/templates.md":                        2,
	"informer":                                 120,
	"internal/clusterid":                       1,
	"internal/dbtest":                          4,
	"internal/faultlog":                        1,
	"internal/jobspec":                         7,
	"internal/lifestrip":                       2,
	"internal/linediff":                        2,
	"internal/swap":                            7,
	"internal/yamlfile":                        8,
	"notify":                                   33,
	"notify/channel":                           10,
	"notify/channel/channeltest":               2,
	"notify/channel/email":                     6,
	"notify/channel/event":                     1,
	"notify/channel/opsgenie":                  1,
	"notify/channel/pagerduty":                 1,
	"notify/channel/shoutrrr":                  7,
	"notify/channel/slack":                     1,
	"notify/channel/stdout":                    1,
	"notify/channel/webhook":                   4,
	"notify/config":                            19,
	"notify/delivery":                          16,
	"notify/facts":                             3,
	"notify/message":                           8,
	"notify/notifymetrics":                     2,
	"notify/rule":                              10,
	"portal/insight/words":                     1,
	"portal/ui":                                1,
	"portal/ui/README.md":                      1,
	"record/feed":                              14,
	"record/history":                           15,
	"record/internal/batch":                    3,
	"record/jobfilter":                         2,
	"record/jobindex":                          13,
	"record/joblog":                            15,
	"record/jobtrace":                          6,
	"record/logkeeper":                         18,
	"record/recordtest":                        8,
	"record/retention":                         6,
	"record/sqldb":                             12,
	"rules":                                    1,
	"submit":                                   21,
	"submit/logs":                              25,
	"submit/manifest":                          15,
	"submit/template":                          12,
}

// unglossed are the packages with files or declarations that are named by a word that
// docs/glossary.md replaces, with their number. The list only shrinks.
var unglossed = map[string]int{
	"informer":                   1,
	"internal/faultlog":          1,
	"internal/jobspec":           1,
	"internal/lifestrip":         2,
	"internal/linediff":          1,
	"notify":                     3,
	"notify/channel/channeltest": 2,
	"notify/channel/stdout":      1,
	"notify/message":             1,
	"record/recordmetrics":       1,
}

// ownMeaning are retired words that have another meaning in a package, by package.
var ownMeaning = map[string][]string{
	"compat/clientgo":      {"turn", "turns"}, // the turn of a handler to decode
	"kube":                 {"collection"},    // the API's term for all objects of a type in one place
	"notify/delivery":      {"lane"},          // the order of deliveries
	"record/recordmetrics": {"rebuilt"},       // an older metric
	"record/retention":     {"base"},
}
