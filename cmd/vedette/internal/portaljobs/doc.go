// Package portaljobs finds, submits and follows jobs through a portal.
package portaljobs
