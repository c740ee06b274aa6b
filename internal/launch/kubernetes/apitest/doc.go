// Package apitest holds no code. Its tests decode the manifests of package kubernetes with the types of Kubernetes
// itself, as strictly as an API server can. It is a separate module, so that this module's programs and their users
// don't depend on k8s.io.
package apitest
