// Package export writes files by all ranks of an Active Pebbles job: lines, CSV, JSON, Avro, one file a rank or one for
// all.
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
// Create and Close are collective; each rank writes its own records in between, from any place. What it writes is there
// under its name once Close has returned nil, whole and synced to the disk, or not at all: until then it has a
// temporary name, and an error on any rank removes it on all.
//
// By default each rank writes one part into a folder, and a manifest lists the parts with their rows, bytes and
// checksums; ingest.Open takes the folder's name for all parts. OneFile makes one file of them, in the order of ranks.
package export
