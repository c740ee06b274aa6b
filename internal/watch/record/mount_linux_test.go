package record

import "syscall"

// mountSmall mounts a file system with room for 256 KiB.
func mountSmall(dir string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k") }

func unmount(dir string) { syscall.Unmount(dir, syscall.MNT_DETACH) }
