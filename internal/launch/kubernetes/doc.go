// Package kubernetes writes the manifests to run a program of this library as one job in Kubernetes: an Indexed Job
// with a pod for each process, a headless Service through which the pods find each other, and a Secret that proves to a
// process that another belongs to its job. It also writes a Dockerfile for such a program. It contacts no cluster.
package kubernetes
