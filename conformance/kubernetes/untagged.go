//go:build !clientgo036

package main

import "log"

func main() { log.Fatal("build with -tags clientgo036: Kubernetes 1.36 needs client-go 0.36") }
