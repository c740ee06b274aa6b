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

// play is the program that the tests start as jobs. It never returns.
func play(role string) {
	role, argument, _ := strings.Cut(role, ":")
	switch role {
	case "exchange":
		worker{}.run()
	case "wait":
		worker{wait: true}.run()
	case "stubborn": // ends by nothing but SIGKILL
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		worker{wait: true, stubborn: true}.run()
	case "stubborn-listening":
		worker{wait: true, stubborn: true}.run()
	case "gone": // told by nothing but its line
		signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
		worker{wait: true, stubborn: true}.run()
	case "fail": // fail:process:status
		worker{wait: true, fails: argument}.run()
	case "stop": // stop:process, as by a debugger, after the exchange
		worker{wait: true, stops: argument}.run()
	case "stop-starting": // process 1, before it connects with the others
		if os.Getenv("PEBBLES_PROCESS") == "1" {
			stopStarting()
		}
		worker{wait: true}.run()
	case "grandchild":
		worker{wait: true, grandchild: true}.run()
	case "leave": // something behind
		startGrandchild()
		launch.Exit(0)
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
		if os.Getenv("PEBBLES_PROCESS") == "1" {
			launch.Exit(number(argument))
		}
		worker{}.run()
	case "never": // does not join
		fmt.Println("ready", os.Getpid())
		time.Sleep(time.Hour) // not select: without cgo, Go calls that a deadlock
	case "never-one": // process 1 does not join
		if os.Getenv("PEBBLES_PROCESS") == "1" {
			time.Sleep(time.Hour) // not select: without cgo, Go calls that a deadlock
		}
		worker{}.run()
	case "show":
		show()
	case "environment":
		b, err := json.Marshal(os.Environ())
		check(err)
		fmt.Println("environment " + string(b))
		launch.Exit(0)
	case "stop-ended": // process 1, when the job has ended
		process := os.Getenv("PEBBLES_PROCESS")
		m, err := launch.Join(context.Background(), launch.Options{})
		check(err)
		m.Transport.Start(func(error) {})
		check(m.Transport.Close())
		check(m.Close())
		if process == "1" {
			check(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
			time.Sleep(time.Hour) // another thread may take the signal
		}
		launch.Exit(0)
	case "environment-joined": // what others may see of a process that has joined
		m, err := launch.Join(context.Background(), launch.Options{})
		check(err)
		m.Transport.Start(func(error) {})
		for _, file := range []string{"cmdline", "environ"} {
			b, err := os.ReadFile("/proc/self/" + file)
			check(err)
			fmt.Printf("%s %q\n", file, b)
		}
		fmt.Printf("children get %q\n", os.Environ())
		check(m.Transport.Close())
		check(m.Close())
		launch.Exit(0)
	case "print":
		fmt.Print(strings.ReplaceAll(argument, "LONG", longLine))
		launch.Exit(0)
	case "copy":
		text := make([]byte, 100)
		n, _ := os.Stdin.Read(text)
		fmt.Printf("stdin %q\n", text[:n])
		launch.Exit(0)
	case "knock": // dials the launcher, and says so, before it joins
		conn, err := net.Dial("tcp", os.Getenv("PEBBLES_LAUNCHER"))
		check(err)
		conn.Write([]byte("GET / HTTP/1.1\r\nHost: launcher\r\n\r\n"))
		silent, err := net.Dial("tcp", os.Getenv("PEBBLES_LAUNCHER"))
		check(err)
		worker{}.run()
		silent.Close()
	case "wrong-secret": // of process 1
		if os.Getenv("PEBBLES_PROCESS") == "1" {
			r, w, err := os.Pipe()
			check(err)
			fmt.Fprintln(w, strings.Repeat("ab", 32))
			os.Setenv("PEBBLES_SECRET_FD", strconv.Itoa(int(r.Fd())))
		}
		worker{}.run()
	case "launcher": // launcher:role of its two processes
		launcher(argument)
	}
	launch.Exit(99)
}

// sharedNames are names of shared memory: two of a process's endpoints, one of an older process of the same number,
// and one of another user's process.
func sharedNames(pid int) (names []string) {
	for _, rest := range []string{"0", "1", "2", ""} {
		user := os.Geteuid()
		if rest == "" {
			user, rest = user+1, "0"
		}
		names = append(names, fmt.Sprintf("/dev/shm/%d:%d:%s", pid, user, rest))
	}
	return names
}

// stopStarting stops this process when it has told the launcher where it listens: a proxy to the launcher sees that.
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
				return // another thread takes the signal: until then this process must not learn the addresses
			}
			near.Write(b[:n])
		}
	}()
}

// launcher runs a job of two processes, on other hosts when there is a command for that.
func launcher(role string) {
	s := launch.Spec{Processes: 2, Program: []string{executable()}, Env: []string{roleVariable + "=" + role}, Prefix: true}
	if ssh, ok := os.LookupEnv("LAUNCH_TEST_REMOTE"); ok {
		s = otherHosts(s, "sh")
		if ssh != "1" {
			s.SSH = strings.Fields(ssh)
		}
	}
	result, err := launch.Run(context.Background(), s)
	fmt.Println("result:", err)
	launch.Exit(result.Status)
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

// show prints what a process was given, as one line of JSON, and which traces of the secret it can find.
func show() {
	dir, _ := os.Getwd()
	shown := map[string]any{"args": os.Args[1:], "dir": dir, "extra": os.Getenv("EXTRA"), "process": os.Getenv("PEBBLES_PROCESS")}
	m, err := launch.Join(context.Background(), launch.Options{})
	check(err)
	m.Transport.Start(func(error) {})
	shown["left"] = len(pebblesVariables())
	shown["started"] = launch.Started(false)
	shown["name"] = m.Transport.Name()
	b, _ := json.Marshal(shown)
	fmt.Println("shown " + string(b))
	check(m.Transport.Close())
	check(m.Close())
	launch.Exit(0)
}

// testVariables are for tests themselves, and no part of a job.
var testVariables = []string{"PEBBLES_DATA=", "PEBBLES_PROGRAMS=", "PEBBLES_SHAPES=", "PEBBLES_SEED=", "PEBBLES_REQUIRE_"}

func pebblesVariables() (found []string) {
	for _, v := range os.Environ() {
		ofTests := func(prefix string) bool { return strings.HasPrefix(v, prefix) }
		if strings.HasPrefix(v, "PEBBLES_") && !slices.ContainsFunc(testVariables, ofTests) {
			found = append(found, v)
		}
	}
	return found
}

// worker behaves as a program does that is built on the runtime.
type worker struct {
	wait       bool // for the end of the job, after the exchange
	stubborn   bool
	grandchild bool
	fails      string // process:status
	stops      string // process
}

func (w worker) run() {
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
	if w.stops != "" && number(w.stops) == m.Place.Process {
		check(syscall.Kill(os.Getpid(), syscall.SIGSTOP))
	}
	if w.grandchild {
		startGrandchild()
	}
	if w.wait {
		w.await(ctx, m, failed)
	}
	check(m.Transport.Close())
	check(m.Close())
	fmt.Println("done")
	launch.Exit(0)
}

func startGrandchild() {
	child := exec.Command("sleep", "1000")
	child.Stdout = os.Stdout
	check(child.Start())
	fmt.Println("grandchild", child.Process.Pid)
}

func (w worker) await(ctx context.Context, m *launch.Member, failed <-chan error) {
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
		case <-m.Gone:
			if file, ok := os.LookupEnv("GONE_FILE"); ok {
				check(os.WriteFile(file+strconv.Itoa(m.Place.Process), nil, 0o600))
			}
			launch.Exit(launch.ExitFollower)
		}
	}
}

// exchange sends a frame from each rank to each rank, and returns when all for this process have come.
func exchange(m *launch.Member, failed <-chan error) {
	p := m.Place
	for rank := p.First; rank < p.Last; rank++ {
		port := m.Transport.Port(rank)
		for to := range p.Ranks {
			f := port.Pool().Get(8)
			f.Kind, f.From, f.To, f.Bytes = netio.Data, uint32(rank), uint32(to), 8
			copy(f.Payload(), fmt.Sprintf("%03d>%03d ", rank, to))
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
			if want := fmt.Sprintf("%03d>%03d ", f.From, rank); string(f.Payload()) != want {
				check(errors.New("wrong frame: " + string(f.Payload())))
			}
			f.Release()
			seen++
		}
	}
}
