package main

import "errors"

// each calls f for all items, also after an error, and returns the errors.
func each[T any](items []T, f func(T) error) error {
	var errs []error
	for _, item := range items {
		if err := f(item); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
