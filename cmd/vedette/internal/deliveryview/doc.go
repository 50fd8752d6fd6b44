// Package deliveryview prints messages and what became of them: lists, and lines between those of a watch.
package deliveryview
