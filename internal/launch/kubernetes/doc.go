// Package kubernetes writes what Kubernetes needs to run a program of this library as one job: an Indexed Job with a pod for each
// process, a headless Service by which the pods find each other, and a Secret that proves to a process that another is of its job. It also
// writes a Dockerfile for such a program. It talks to no cluster.
package kubernetes
