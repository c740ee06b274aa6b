package shm

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// memorySeals fix the size of a memory file, so that a process that maps it cannot lose its pages.
const memorySeals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// newMemory makes an unnamed file in memory, and maps it. Its pages are allocated at their first touch.
func newMemory(bytes int64) (_ *os.File, mapped []byte, err error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err == nil && uint64(bytes) > limit.Cur {
		return nil, nil, fmt.Errorf("make memory file: the limit on the size of files (ulimit -f) is %d bytes, %d are needed",
			limit.Cur, bytes)
	}
	fd, err := unix.MemfdCreate("pebbles", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, fmt.Errorf("make memory file: %w", err)
	}
	file := os.NewFile(uintptr(fd), "memory")
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	if err := unix.Ftruncate(fd, bytes); err != nil {
		return nil, nil, fmt.Errorf("make memory file of %d bytes: %w", bytes, err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, memorySeals); err != nil {
		return nil, nil, fmt.Errorf("seal memory file: %w", err)
	}
	mapped, err = mapMemory(fd, bytes)
	return file, mapped, err
}

// openMemory maps the memory file of another process.
func openMemory(file *os.File) (mapped []byte, err error) {
	fd := int(file.Fd())
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || seals&memorySeals != memorySeals {
		return nil, fmt.Errorf("open memory file: it is not sealed (seals %#x): %w", seals, err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, fmt.Errorf("open memory file: %w", err)
	}
	return mapMemory(fd, stat.Size)
}

func mapMemory(fd int, bytes int64) ([]byte, error) {
	mapped, err := unix.Mmap(fd, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of memory: %w; is there a limit on address space (ulimit -v)?", bytes, err)
	}
	return mapped, nil
}

// unmapMemory unmaps memory. It fails only on memory that is not mapped, as does dropPages.
func unmapMemory(mapped []byte) { _ = unix.Munmap(mapped) }

// touchPages backs pages with memory now, so that their first use does not wait for it. Kernels before 5.14 refuse.
func touchPages(pages []byte) { _ = unix.Madvise(pages, unix.MADV_POPULATE_WRITE) }

// dropPages frees the memory of whole pages. They read as zero afterwards.
func dropPages(pages []byte) { _ = unix.Madvise(pages, unix.MADV_REMOVE) }

// newEventfd returns an event counter as a file. Its readers wait in the netpoller.
func newEventfd() (*os.File, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make event counter: %w", err)
	}
	return os.NewFile(uintptr(fd), "eventfd"), nil
}

// thisHost returns the same string for two processes that can share memory: they run under one kernel, reach each
// other's sockets without a network, and have the same user.
func thisHost() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("identify host: %w", err)
	}
	space, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return "", fmt.Errorf("identify host: %w", err)
	}
	return string(boot[:max(0, len(boot)-1)]) + " " + space + " " + strconv.Itoa(os.Geteuid()), nil
}

// sameUser returns an error if another user has the other end of a Unix connection.
func sameUser(conn net.Conn) error {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) {
		peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("look up the process at the other end: %w", failed)
	}
	if int(peer.Uid) != os.Geteuid() {
		return fmt.Errorf("the other end is user %d's, this process is user %d's", peer.Uid, os.Geteuid())
	}
	return nil
}

// descriptorCount is the number of descriptors that two processes exchange: memory, exposed memory and eventfd.
const descriptorCount = 3

// sendFiles passes descriptors over a connection, with one byte.
func sendFiles(conn *net.UnixConn, files [descriptorCount]*os.File) error {
	fds := make([]int, len(files))
	for i, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			return err
		}
		if err := raw.Control(func(fd uintptr) { fds[i] = int(fd) }); err != nil {
			return err
		}
	}
	_, _, err := conn.WriteMsgUnix([]byte{descriptorCount}, unix.UnixRights(fds...), nil)
	return err
}

// receiveFiles receives the files of sendFiles. The caller closes them.
func receiveFiles(conn *net.UnixConn) (files [descriptorCount]*os.File, err error) {
	var one [1]byte
	rights := make([]byte, unix.CmsgSpace(4*descriptorCount))
	_, n, flags, _, err := conn.ReadMsgUnix(one[:], rights)
	if err != nil {
		return files, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil {
		return files, err
	}
	var fds []int
	for _, m := range messages {
		if some, err := unix.ParseUnixRights(&m); err == nil {
			fds = append(fds, some...)
		}
	}
	if len(fds) != descriptorCount || flags&syscall.MSG_CTRUNC != 0 || one[0] != descriptorCount {
		for _, fd := range fds {
			_ = unix.Close(fd) // ours, but of no use
		}
		return files, fmt.Errorf("%d descriptors came, not %d: too many files may be open (ulimit -n)",
			len(fds), descriptorCount)
	}
	for i, fd := range fds {
		_ = unix.SetNonblock(fd, true)
		files[i] = os.NewFile(uintptr(fd), "shared")
	}
	return files, nil
}
