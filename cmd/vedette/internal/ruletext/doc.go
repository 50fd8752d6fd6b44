// Package ruletext describes notification rules in words.
package ruletext
