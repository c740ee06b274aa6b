package launch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio"
)

// workers are the roles of programs that behave like programs on the runtime.
var workers = map[string]worker{
	"exchange":           {},
	"wait":               {wait: true},
	"stubborn":           {wait: true, stubborn: true, ignore: []os.Signal{syscall.SIGTERM, syscall.SIGINT}},
	"stubborn-listening": {wait: true, stubborn: true},
	// gone detects only the end of its connection.
	"gone":       {wait: true, stubborn: true, ignore: []os.Signal{syscall.SIGTERM, syscall.SIGPIPE}},
	"grandchild": {wait: true, grandchild: true},
}

// play runs the program that the tests start as jobs. It never returns.
func play(role string) {
	if w, ok := workers[role]; ok {
		w.run()
	}
	role, argument, _ := strings.Cut(role, ":")
	one := os.Getenv("PEBBLES_PROCESS") == "1"
	switch role {
	case "fail": // fail:process:status
		worker{wait: true, fails: argument}.run()
	case "stop": // process 1, as by a debugger, after the exchange
		worker{wait: true, stops: one}.run()
	case "stop-starting": // process 1, before it connects with the others
		if one {
			stopStarting()
		}
		worker{wait: true}.run()
	case "leave": // leaves a process running
		startGrandchild()
	case "share": // leaves files as libfabric's provider shm does, one of them older than this process, and is killed
		for _, name := range sharedNames(os.Getpid()) {
			check(os.WriteFile(name, nil, 0o600))
		}
		check(os.Chtimes(sharedNames(os.Getpid())[2], time.Time{}, time.Now().Add(-time.Hour)))
		fmt.Println("ready", os.Getpid())
		check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
		time.Sleep(time.Hour)
	case "crash": // at once, without joining
		launch.Exit(number(argument))
	case "crash-one": // process 1 crashes, the others join
		if one {
			launch.Exit(number(argument))
		}
		worker{}.run()
	case "never": // does not join
		fmt.Println("ready", os.Getpid())
		time.Sleep(time.Hour) // not select: without cgo, Go calls that a deadlock
	case "never-one": // process 1 does not join
		if one {
			time.Sleep(time.Hour)
		}
		worker{}.run()
	case "show":
		show()
	case "environment":
		b, err := json.Marshal(os.Environ())
		check(err)
		fmt.Println("environment " + string(b))
	case "environment-joined": // prints the text visible to others after a process has joined
		m := join()
		for _, file := range []string{"cmdline", "environ"} {
			b, err := os.ReadFile("/proc/self/" + file)
			check(err)
			fmt.Printf("%s %q\n", file, b)
		}
		fmt.Printf("children get %q\n", os.Environ())
		leave(m)
	case "print":
		fmt.Print(strings.ReplaceAll(argument, "LONG", longLine))
	case "copy":
		text := make([]byte, 100)
		n, _ := os.Stdin.Read(text)
		fmt.Printf("stdin %q\n", text[:n])
	case "knock": // strangers dial the launcher before this process joins: one uses another protocol, and one is silent
		conn, err := net.Dial("tcp", os.Getenv("PEBBLES_LAUNCHER"))
		check(err)
		conn.Write([]byte("GET / HTTP/1.1\r\nHost: launcher\r\n\r\n"))
		silent, err := net.Dial("tcp", os.Getenv("PEBBLES_LAUNCHER"))
		check(err)
		defer silent.Close()
		worker{}.run()
	case "wrong-secret": // of process 1
		if one {
			r, w, err := os.Pipe()
			check(err)
			fmt.Fprintln(w, strings.Repeat("ab", 32))
			os.Setenv("PEBBLES_SECRET_FD", strconv.Itoa(int(r.Fd())))
		}
		worker{}.run()
	case "launcher": // launcher:role of its two processes
		s := place{}.spec(launch.Spec{Processes: 2, Program: []string{executable()},
			Env: []string{roleVariable + "=" + argument}})
		if ssh, ok := os.LookupEnv("LAUNCH_TEST_SSH"); ok {
			s = place{strings.Split(ssh, "\n")}.spec(s)
		}
		result, err := launch.Run(context.Background(), s)
		fmt.Println("result:", err)
		launch.Exit(result.Status)
	default:
		launch.Exit(99)
	}
	launch.Exit(0)
}

// sharedNames returns names of shared memory: two of a process's endpoints, one of an older process with the same
// number, and one of another user's process.
func sharedNames(pid int) (names []string) {
	me := os.Geteuid()
	for _, rest := range [][2]int{{me, 0}, {me, 1}, {me, 2}, {me + 1, 0}} {
		names = append(names, fmt.Sprintf("/dev/shm/%d:%d:%d", pid, rest[0], rest[1]))
	}
	return names
}

// stopStarting stops this process after it has sent its address to the launcher, as seen by a proxy.
func stopStarting() {
	to := os.Getenv("PEBBLES_LAUNCHER")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	os.Setenv("PEBBLES_LAUNCHER", l.Addr().String())
	go func() {
		near, err := l.Accept()
		check(err)
		far, err := net.Dial("tcp", to)
		check(err)
		go io.Copy(far, near)
		b := make([]byte, 1<<16)
		for {
			n, err := far.Read(b)
			check(err)
			if bytes.Contains(b[:n], []byte("Addresses")) {
				check(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
				return // another thread takes the signal: before that, no addresses may come
			}
			near.Write(b[:n])
		}
	}()
}

var longLine = strings.Repeat("0123456789", 30_000)

func number(text string) int {
	n, err := strconv.Atoi(text)
	check(err)
	return n
}

func executable() string {
	name, err := os.Executable()
	check(err)
	return name
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(launch.Stderr(), err)
		launch.Exit(launch.StatusOf(err))
	}
}

func join() *launch.Member {
	m, err := launch.Join(context.Background(), launch.Options{})
	check(err)
	m.Transport.Start(func(error) {})
	return m
}

func leave(m *launch.Member) {
	check(m.Transport.Close())
	check(m.Close())
	launch.Exit(0)
}

// shown is a process's description of itself in the role "show".
type shown struct {
	Args                      []string
	Dir, Extra, Process, Name string
	Left                      int  // number of variables of the job that children would find
	Started                   bool // by a launcher, as children would find
}

func show() {
	s := shown{Args: os.Args[1:], Extra: os.Getenv("EXTRA"), Process: os.Getenv("PEBBLES_PROCESS")}
	s.Dir, _ = os.Getwd()
	m := join()
	s.Left, s.Started, s.Name = len(pebblesVariables()), launch.Started(false), m.Transport.Name()
	b, err := json.Marshal(s)
	check(err)
	fmt.Println("shown " + string(b))
	leave(m)
}

// testVariables are variables for tests, and not of a job.
var testVariables = []string{"PEBBLES_DATA=", "PEBBLES_PROGRAMS=", "PEBBLES_SEED=",
	"PEBBLES_REQUIRE_"}

func pebblesVariables() (found []string) {
	for _, v := range os.Environ() {
		ofTests := func(prefix string) bool { return strings.HasPrefix(v, prefix) }
		if strings.HasPrefix(v, "PEBBLES_") && !slices.ContainsFunc(testVariables, ofTests) {
			found = append(found, v)
		}
	}
	return found
}

// worker is a process of a job: it joins, exchanges a frame with each rank, and does more on demand.
type worker struct {
	wait       bool // for the end of the job, after the exchange
	stubborn   bool
	grandchild bool
	stops      bool
	ignore     []os.Signal
	fails      string // process:status
}

func (w worker) run() {
	if len(w.ignore) > 0 {
		signal.Ignore(w.ignore...)
	}
	ctx, stop := launch.Signals(context.Background())
	defer stop()
	m, err := launch.Join(ctx, launch.Options{})
	check(err)
	failed := make(chan error, 16)
	m.Transport.Start(func(err error) { failed <- err })
	exchange(m, failed)
	fmt.Println("ready", os.Getpid())
	if process, status, ok := strings.Cut(w.fails, ":"); ok && number(process) == m.Place.Process {
		launch.Exit(number(status))
	}
	if w.stops {
		check(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
	}
	if w.grandchild {
		startGrandchild()
	}
	if w.wait {
		w.await(ctx, m, failed)
	}
	fmt.Println("done")
	leave(m)
}

func startGrandchild() {
	child := exec.Command("sleep", "1000")
	child.Stdout = os.Stdout
	check(child.Start())
	fmt.Println("grandchild", child.Process.Pid)
}

func (w worker) await(ctx context.Context, m *launch.Member, failed <-chan error) {
	gone, _ := m.Within(context.Background())
	for {
		select {
		case <-ctx.Done():
			fmt.Println("signal:", context.Cause(ctx))
			if !w.stubborn {
				check(context.Cause(ctx))
			}
			ctx = context.Background()
		case err := <-failed:
			fmt.Println("failed:", err)
			if !w.stubborn {
				m.Complain(err)
				launch.Exit(launch.ExitFollower)
			}
		case <-gone.Done():
			if file, ok := os.LookupEnv("GONE_FILE"); ok {
				check(os.WriteFile(file+strconv.Itoa(m.Place.Process), nil, 0o600))
			}
			launch.Exit(launch.ExitFollower)
		}
	}
}

// exchange sends a frame from each rank to each rank, and returns when all for this process have arrived.
func exchange(m *launch.Member, failed <-chan error) {
	p := m.Place
	text := func(from, to int) string { return fmt.Sprintf("%03d>%03d ", from, to) }
	for rank := p.First; rank < p.Last; rank++ {
		port := m.Transport.Port(rank)
		for to := range p.Ranks {
			f := port.Pool().Get(8)
			f.Kind, f.From, f.To, f.Bytes = netio.Data, uint32(rank), uint32(to), 8
			copy(f.Payload(), text(rank, to))
			port.Send(f)
		}
	}
	for rank := p.First; rank < p.Last; rank++ {
		port := m.Transport.Port(rank)
		for seen := 0; seen < p.Ranks; {
			f := port.Recv()
			if f == nil {
				port.Wait(100 * time.Millisecond)
				select {
				case err := <-failed:
					fmt.Println("failed:", err)
					launch.Exit(launch.ExitFollower)
				default:
				}
				continue
			}
			if string(f.Payload()) != text(int(f.From), rank) {
				check(errors.New("wrong frame: " + string(f.Payload())))
			}
			f.Release()
			seen++
		}
	}
}
