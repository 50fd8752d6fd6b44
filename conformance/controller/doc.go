// Package controller runs controllers as processes of their own against a real
// control plane, and kills them, and the API server: at the end everything is as
// the specs say, and no object was handled by two replicas at a time.
package controller
