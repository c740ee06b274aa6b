// Package docs holds no code. Its tests compare documents with the code: names, flags, links, quoted errors and modules
// exist, tables are complete, words of the glossary are used, and code in package comments occurs in an example.
package docs
