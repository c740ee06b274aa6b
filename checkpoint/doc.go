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
// The user says where and when, by the flags of pebble.Flags: -checkpoint FOLDER, -checkpoint-every TIME, -time-limit
// TIME, -checkpoint-copy. Without a folder Restore reports false, Due is false, and Save does nothing.
//
// # Files
//
// A checkpoint is a folder that package export writes below FOLDER, such as walk-000007: a file of each rank, synced,
// and a manifest with their checksums, which also describes the program, its arguments and the parts. The folder gets
// its name by a rename when all files of all ranks are there, so a checkpoint is whole or not there, whenever processes
// die. The two newest are kept. One job at a time uses a folder and a name. Where hosts do not share FOLDER, each keeps
// the files of its ranks and copies of those of another host, which are sent to it and compared with their checksums.
// So the others have all files when any one host is lost, also during a save. Hosts are told apart by their names.
//
// # Any number of ranks
//
// Elements are saved with their keys. At a restart the ranks read shares of the files, each byte once, and send
// elements to the ranks that own their keys now. Containers get their records in the same way.
//
// docs/guide-checkpoints.md shows restarts and preemption.
package checkpoint
