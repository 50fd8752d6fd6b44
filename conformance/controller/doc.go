// Package controller runs controllers as processes of their own against a real control
// plane, and kills them and the API server. In the end everything matches the specs, and
// no two replicas handled an object at the same time.
package controller
