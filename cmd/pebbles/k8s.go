package main

import (
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch/kubernetes"
)

func newK8s(t terminal) *cobra.Command {
	j := kubernetes.Job{Port: kubernetes.Port}
	start := timeout{time: kubernetes.StartLimit, least: time.Second}
	grace := timeout{time: kubernetes.GracePeriod, least: time.Second}
	var dockerfile string
	c := &cobra.Command{
		Use:   "k8s --name NAME --image IMAGE -n N [flags] [-- PROGRAM [ARGUMENTS]]",
		Short: "Write what Kubernetes needs to run a program built on the library as one job",
		Long: "k8s prints manifests for kubectl: an Indexed Job with a pod for each of N processes, a headless Service by which the pods find\n" +
			"each other, and a Secret that is new each time. Without a program the pods run what the image starts; words after -- are arguments\n" +
			"of that when the first begins with -. With --dockerfile it prints a Dockerfile instead, for an image that holds the program alone,\n" +
			"as /program. It needs no cluster: kubectl is what talks to one.",
		Example: "  pebbles k8s --name words --image registry.example.org/words:v1 -n 8\n" +
			"  pebbles k8s --name words --image registry.example.org/words:v1 -n 8 --cpu 4 --memory 8Gi -- /program book.txt\n" +
			"  pebbles k8s --dockerfile ./cmd/words",
		Args: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() < 0 {
				return noArguments(c, args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch alone := c.Flags().NFlag() == 1 && len(args) == 0; {
			case c.Flags().Changed("dockerfile") && alone:
				return kubernetes.WriteDockerfile(t.stdout, dockerfile)
			case c.Flags().Changed("dockerfile"):
				return errors.New("--dockerfile goes alone: leave out what is for the manifests")
			case j.Name == "" || j.Image == "" || j.Processes == 0:
				return errors.New("say what to run with --name NAME, --image IMAGE and -n N")
			case len(args) > 0 && strings.HasPrefix(args[0], "-"):
				j.Arguments = args
			case len(args) > 0:
				j.Program, j.Arguments = args[0], args[1:]
			}
			j.StartLimit, j.GracePeriod = start.time, grace.time
			var secret [kubernetes.SecretBytes]byte
			rand.Read(secret[:])
			return j.Write(t.stdout, secret)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&j.Name, "name", "", "name of the Job, the Service and the Secret; pods have the host names NAME-0, NAME-1 and so on")
	f.StringVar(&j.Image, "image", "", "image that the pods run")
	f.VarP(count{&j.Processes, 1, ""}, "procs", "n", "processes, each of which is a pod")
	f.Var(count{&j.Ranks, 1, "the program's choice"}, "ranks", "ranks of the whole job")
	f.StringVar(&j.Namespace, "namespace", "", "namespace (default that of kubectl)")
	f.StringVar(&j.CPU, "cpu", "", "CPUs of each process, reserved and at most, such as 4")
	f.StringVar(&j.Memory, "memory", "", "memory of each process, reserved and at most, such as 8Gi")
	f.Var(count{&j.Port, 1, ""}, "port", "port that the processes find each other by")
	f.Var(&start, "start-limit", "how long the processes may take to find each other: pods start late, and so do their names")
	f.Var(&grace, "grace-period", "how long a process may go on after SIGTERM, in whole seconds: longer than the program's own grace")
	f.StringVar(&dockerfile, "dockerfile", "", "package of this folder to print a Dockerfile for, such as ./cmd/words")
	for _, name := range []string{"name", "image", "procs", "ranks", "namespace", "cpu", "memory", "port", "start-limit", "grace-period"} {
		completes(c, name, cobra.ShellCompDirectiveNoFileComp)
	}
	completes(c, "dockerfile", cobra.ShellCompDirectiveFilterDirs)
	return c
}
