package main

import "errors"

// each calls f for all items, even after an error, and returns all errors.
func each[T any](items []T, f func(T) error) error {
	var errs []error
	for _, item := range items {
		if err := f(item); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
