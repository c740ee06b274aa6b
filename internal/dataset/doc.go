// Package dataset is what reading and writing files by all ranks share: how ranks agree that all went well, which of
// them are on one host, and how columns of a table become fields of a struct. Packages ingest and export are built on
// it.
package dataset
