package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// habit is a phrase that confuses native readers, with a replacement.
type habit struct {
	words   string // alternatives in lower case; without any of them the pattern cannot match
	pattern *regexp.Regexp
	instead string // the replacement
}

// habits are the phrases that checkProse finds. A pattern belongs here if it has few
// false positives. [docs/glossary.md] has the words.
//
// [docs/glossary.md]: ../../docs/glossary.md
var habits = []habit{
	// Words.
	{"can not", regexp.MustCompile(`(?i)\bcan not\b`), "cannot"},
	{"anew", regexp.MustCompile(`(?i)\banew\b`), "again, or from scratch"},
	{"for ever", regexp.MustCompile(`(?i)\bfor ever\b`), "forever, or without a limit"},
	{"so as", regexp.MustCompile(`(?i)\bso as (not )?to\b`), "to, or so that"},
	{"to be had", regexp.MustCompile(`(?i)\bto be had\b`), "available"},
	{"own accord", regexp.MustCompile(`(?i)\bof (one's|its) own accord\b`), "by itself"},
	{"any more", regexp.MustCompile(`(?i)\bany more($|[.,;:)]| (and|or|but|is|by|than it|because|when|if|after|from|to|in|at|of)\b)`), "no longer"},
	{" on", regexp.MustCompile(`(?i)\b(go|goes|went|going|gone) on\b`), "continue"},
	{"but for", regexp.MustCompile(`(?i)\bbut for\b`), "except, or without"},
	{"in vain", regexp.MustCompile(`(?i)\bin vain\b`), "without success, or what failed"},
	{"by now", regexp.MustCompile(`(?i)\bby now\b`), "already"},
	{"the own", regexp.MustCompile(`(?i)\bthe own\b`), "its own, or a noun"},
	{"as of most", regexp.MustCompile(`(?i)\bas of most\b`), "for most"},
	{"he|she|him|his", regexp.MustCompile(`(?i)\b(he|she|him|his)\b`), "it, they, or a noun"},
	{"away", regexp.MustCompile(`(?i)\b(gives?|gave|given|giving) away\b`), "gives, passes or leaks"},
	{"die", regexp.MustCompile(`(?i)\b(die|dies|died)\b`), "stops, ends, exits or crashes"},
	{"in hers|in his|in theirs|in ours", regexp.MustCompile(`(?i)\bin (hers|his|theirs|ours)\b`), "a noun"},

	// Passives without an actor, and metaphors.
	{"is looked", regexp.MustCompile(`(?i)\b(it|which|that) is looked\b|\bit is looked (at|up|for|whether)`), "checks, reads or finds, with a subject"},
	{" told", regexp.MustCompile(`(?i)\b(is|are|was|were|be|being|been) told\b`), "receives, is notified, or is distinguished"},
	{" asked", regexp.MustCompile(`(?i)\b(is|are|was|were|be) asked (for )?(whether|how|what|which)\b`), "checks, with a subject"},
	{"a look", regexp.MustCompile(`(?i)\b(has|have|had|having) a look\b`), "checks or reads"},
	{"look", regexp.MustCompile(`(?i)\blook(s|ed|ing)? (whether|that)\b`), "checks whether"},
	{"say", regexp.MustCompile(`(?i)\bsay(s|ing)? (whether|if)\b`), "reports whether"},
	{"it is", regexp.MustCompile(`(?i)\bit is (decided|found out|worked out|said|seen) (whether|what|which|how|that)\b`), "a subject and an active verb"},
	{"quiet|silent", regexp.MustCompile(`(?i)\b(keeps?|kept|stays?|stayed) (quiet|silent)\b`), "sends nothing, or does not log"},

	// Pronouns in place of nouns.
	{" who", regexp.MustCompile(`(?i)\b(of|to|for|by|with|from|than|as|and|if|but|says?|tells?) who\b`), "whoever, the caller, or a noun"},
	{" what ", regexp.MustCompile(`(?i)\b(of|to|for|by|with|from|than|as|beside|behind|after|before|in|on) what (is|are|was|were|has|have|had|it|they|he|a|an|the|others?|one|nobody|somebody|comes?|came|stays?|can|cannot|may|must|does|do|did|will)\b`), "a noun"},
	{"what ", regexp.MustCompile(`(?i)\bwhat (there is|is there)\b`), "a noun, such as the current state"},
	{"what|who", regexp.MustCompile(`(?i)\b(what|who|that|which) [^.;:?!]{0,60}\b(says?|does|is|are|has|have|of|from|than|with) (what|who) (is|it|they|has|was|a|an|the)\b`), "nouns instead of two clauses in one another"},
	{"who|what", regexp.MustCompile(`(^|[.:;] +)(Who|What) [a-z' ]+[^?]*?([.;]|$)`), "begin with a noun"},
	{"who|what", regexp.MustCompile(`(: |^)(who|what) (is|are|was|were|has|have|had|it|they|a|an|the|nobody|somebody|one|others) [^?:]*([.;]|$)`), "begin with a noun"},
	{"one|those|that", regexp.MustCompile(`(^|[.:;] +)(One|Those|That) (that|which|of which)\b`), "begin with a noun"},
	{"one|those|that|none", regexp.MustCompile(`(^|: )(one|those|that|none) (that|of which)\b`), "begin with a noun"},
	{"that of", regexp.MustCompile(`(^|[.;] +)That of\b`), "begin with a noun"},
	{"one that", regexp.MustCompile(`(?i)\b(by|of|for|to|or|and|as|into|than|with) one that\b`), "a noun"},
	{"none that", regexp.MustCompile(`(?i)\bnone that\b`), "a noun"},
	{" no", regexp.MustCompile(`(?i)\b(that|which|it|what|they|this) (is|are|was|were) (no ([a-km-su-z]|l[a-np-z])[a-z]*|none\b)`), "is not a, or does not exist"},
	{"there|gone", regexp.MustCompile(`(?i)\b(which|that|it|one|they|what|he) (is|are|was|were) (there|gone)([.,;:)]|$| (is|are|has|when|while|already|before|now)\b)`), "exists, is present, or no longer exists"},
}

// findHabits returns the habits in a text that is one paragraph or more.
func findHabits(text string) (found []string) {
	text = strings.Join(strings.Fields(text), " ")
	lower := strings.ToLower(text)
	for _, h := range habits {
		if !slices.ContainsFunc(strings.Split(h.words, "|"), func(w string) bool { return strings.Contains(lower, w) }) {
			continue // much faster than the pattern
		}
		if m := h.pattern.FindString(text); m != "" {
			if r := []rune(m); len(r) > 60 {
				m = string(r[:60]) + "…"
			}
			found = append(found, fmt.Sprintf("%q: write %s", strings.Trim(m, " .:;"), h.instead))
		}
	}
	return found
}
