// Package checkpoint saves the state of an Active Pebbles job between two epochs, and restores it on any number of
// ranks.
//
//	c := checkpoint.New(r, "walk", checkpoint.Value("step", &step), checkpoint.Slice("heat", cells, &heat))
//	if _, err := c.Restore(); err != nil {
//		return err
//	}
//	for ; step < steps; step++ {
//		if c.Due() {
//			if err := c.Save(); err != nil {
//				return err
//			}
//		}
//		if err := r.Epoch(func() error { return diffuse(r, heat) }); err != nil {
//			return err
//		}
//	}
//
// The user chooses the folder and the times by the flags of pebble.Flags: -checkpoint FOLDER, -checkpoint-every TIME,
// -time-limit TIME, -checkpoint-copy. Without a folder Restore reports false, Due is false, and Save does nothing.
//
// # Files
//
// A checkpoint is a folder below FOLDER, such as walk-000007, in the format of package export: one synced file per
// rank, and a manifest with their checksums, which also describes the program, its arguments and the parts. The folder
// gets its name by a rename after the files of all ranks are written, so a checkpoint is whole or absent whenever
// processes die. The two newest are kept. One job at a time may use a folder and a name. If hosts do not share FOLDER,
// each keeps the files of its ranks, and copies of those of another host, compared with their checksums. So the other
// hosts have all files if any one host is lost, even during a save. Hosts are distinguished by their names.
//
// # Any number of ranks
//
// Elements are saved with their keys. At a restart the ranks read shares of the files, each byte once, and send
// elements to the current owners of their keys. Containers restore their records in the same way.
//
// docs/guide-checkpoints.md shows restarts and preemption.
package checkpoint
