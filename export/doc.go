// Package export writes files by all ranks of an Active Pebbles job: lines, CSV, JSON, Avro; one file per rank, or one
// for all ranks.
//
//	out, err := export.Create(r, name, export.CSV[square](','), export.OneFile())
//	if err != nil {
//		return err
//	}
//	defer out.Abort()
//	if err := out.Write(square{r.ID(), r.ID() * r.ID()}); err != nil {
//		return err
//	}
//	_, err = out.Close()
//
// Create and Close are collective. In between, each rank writes its own records, at any time. When Close returns nil,
// all records are under the name, whole and synced to the disk. Until then they have a temporary name; an error on any
// rank removes them on all ranks.
//
// By default each rank writes one part into a folder, and a manifest lists the parts with their rows, bytes and
// checksums. ingest.Open accepts the folder's name for all parts. OneFile joins the parts to one file, in the order of
// ranks.
package export
