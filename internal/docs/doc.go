// Package docs holds no code. Its tests hold the documents to the code: files, packages, identifiers and flags that
// they name exist, the glossary's words are used, and tables list what there is.
package docs
