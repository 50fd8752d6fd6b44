// Package settings reads the settings of a command from flags, the environment and a file.
package settings
