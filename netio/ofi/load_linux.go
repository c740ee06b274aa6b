//go:build amd64 || arm64

package ofi

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is libfabric, loaded.
type library struct {
	version                            uint32
	getInfo, freeInfo, dupInfo, fabric uintptr
	strerror                           uintptr
	setenv                             setenv // setenv of C, for calls before the first getInfo
}

const (
	libraryName = "libfabric.so.1"
	versionMin  = 1<<16 | 14
	// PackageHint names the package of the library.
	PackageHint = "install it (Debian and Ubuntu: libfabric1; Fedora and RHEL: libfabric; SUSE: libfabric1)"
)

var load = sync.OnceValues(func() (l *library, err error) {
	keepingSignals(func() { l, err = loadLibrary() })
	return l, err
})

func loadLibrary() (*library, error) {
	setC, err := setenvC()
	if err != nil {
		return nil, err
	}
	// The library's crash handlers would take signals that belong to Go.
	setC("IPATH_NO_BACKTRACE", "1", false)
	setC("HFI_NO_BACKTRACE", "1", false)
	// Larger messages use rxm's rendezvous.
	setC("FI_OFI_RXM_BUFFER_SIZE", strconv.Itoa(packetSmall), false)
	// A registration cache notices unmapped memory only by C's munmap, which Go does not call. Memory that is later
	// mapped at the same address would be read and written in pages that are gone. Registrations here last long, so a
	// cache gains nothing.
	setC("FI_MR_CACHE_MONITOR", "disabled", true)
	setC("FI_MR_CACHE_MAX_COUNT", "0", true)
	handle, err := purego.Dlopen(libraryName, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w; %s", libraryName, err, PackageHint)
	}
	l := &library{setenv: setC}
	var version uintptr
	for name, at := range map[string]*uintptr{
		"fi_version": &version, "fi_getinfo": &l.getInfo, "fi_freeinfo": &l.freeInfo, "fi_dupinfo": &l.dupInfo,
		"fi_fabric": &l.fabric, "fi_strerror": &l.strerror,
	} {
		if *at, err = purego.Dlsym(handle, name); err != nil {
			return nil, fmt.Errorf("load %s: %w; %s", libraryName, err, PackageHint)
		}
	}
	if l.version = uint32(invoke(version)); l.version < versionMin {
		return nil, fmt.Errorf("load %s: it is %s, 1.14 is needed at least: install a newer one", libraryName, l.Version())
	}
	return l, nil
}

// setenv sets a variable of C, which does not see Go's os.Setenv. It keeps an existing value unless force is set.
type setenv func(name, value string, force bool)

func setenvC() (setenv, error) {
	at, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return nil, fmt.Errorf("find setenv of the C library: %w", err)
	}
	return func(name, value string, force bool) {
		overwrite := uintptr(0)
		if force {
			overwrite = 1
		}
		h := new(held)
		invoke(at, hold(h, cString(name)), hold(h, cString(value)), overwrite)
		runtime.KeepAlive(h)
	}, nil
}

// Version returns the version, such as 1.17.
func (l *library) Version() string { return fmt.Sprintf("%d.%d", l.version>>16, l.version&0xffff) }

// fault returns an error of the library.
func (l *library) fault(what string, result int) error {
	if result == -errNoDataNumber {
		return fmt.Errorf("%s: %w", what, errNoData)
	}
	at := uintptr(invoke(l.strerror, uintptr(-result)))
	return fmt.Errorf("%s: %s", what, goString(*(**byte)(unsafe.Pointer(&at))))
}

var errNoData = errors.New("there is none")

// invoke calls C. Memory of Go's that is given to it must be on the heap.
//
//go:uintptrescapes
func invoke(function uintptr, arguments ...uintptr) int {
	r, _, _ := purego.SyscallN(function, arguments...)
	return int(r)
}

// status converts the result of a function that returns a C int.
func status(result int) int { return int(int32(result)) }

func cString(s string) *byte {
	b := append([]byte(s), 0)
	return &b[0]
}

func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
