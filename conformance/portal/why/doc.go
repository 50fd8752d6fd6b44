// Package why tests the sentences that explain why jobs wait, with objects of Kueue and Volcano and
// messages of a real scheduler.
package why
