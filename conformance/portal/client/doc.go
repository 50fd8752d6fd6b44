// Package client requests answers of the API of the portal for tests.
package client
