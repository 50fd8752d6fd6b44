package policy

// unclear are the packages and documents that are not written plainly yet, with the
// number of habits in them. The list only shrinks: a place without habits leaves it.
var unclear = map[string]int{}

// unglossed are the packages with files or declarations that are named by a word that
// docs/glossary.md replaces, with their number. The list only shrinks.
var unglossed = map[string]int{}

// ownMeaning are retired words that have another meaning in a package, by package.
var ownMeaning = map[string][]string{
	"compat/clientgo":                {"turn", "turns"},    // the turn of a handler to decode
	"kube":                           {"collection"},       // the API's term for all objects of a type in one place
	"platform/notify/delivery":       {"lane"},             // the order of deliveries
	"platform/metrics/recordmetrics": {"known", "rebuilt"}, // older public metrics, which keep their names until they are removed
	"platform/retention":             {"base"},
}
