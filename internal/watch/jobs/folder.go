package jobs

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// places returns the folders that may hold files of jobs. A job that was started without a session, for instance by
// cron, may use another folder than its user's shell.
func places() (all []string) {
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && private(dir) == nil {
		all = append(all, filepath.Join(dir, "pebbles"))
	}
	if dir, err := os.UserCacheDir(); err == nil {
		all = append(all, filepath.Join(dir, "pebbles", "jobs"))
	}
	return all
}

// place returns the folder for the files of this process.
func place() (string, error) {
	if all := places(); len(all) > 0 {
		return all[0], nil
	}
	_, err := os.UserCacheDir()
	return "", fmt.Errorf("this user has no folder for caches: %w: set XDG_CACHE_HOME or HOME", err)
}

// private returns an error if a folder is not private to this user.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	return alone(dir, info)
}

func alone(dir string, info os.FileInfo) error {
	const remove = "remove it, or name another folder by XDG_CACHE_HOME"
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Type() == os.ModeSymlink:
		return fmt.Errorf("%s is a symbolic link, which another user may have made: %s", dir, remove)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: %s", dir, remove)
	case !known || int(owner.Uid) != os.Getuid():
		return fmt.Errorf("%s is another user's: name another folder by XDG_CACHE_HOME", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users: chmod 700 it, or %s", dir, remove)
	}
	return nil
}

// open opens a folder that is private to this user. It checks the opened folder, since another may get the name.
func open(dir string) (*os.Root, error) {
	named, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if err := alone(dir, named); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = fmt.Errorf("%s was exchanged while it was opened: try again", dir)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// draw puts random letters into a pattern.
func draw(pattern string) string { return strings.Replace(pattern, "*", rand.Text(), 1) }
