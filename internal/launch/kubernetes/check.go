package kubernetes

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// These are the bounds of a job, as in the runtime.
const (
	processesMax = 1 << 16
	ranksMax     = 1 << 24
)

// labelMax is the maximum length of a label in a host's name.
const labelMax = 63

var (
	label    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	cpus     = regexp.MustCompile(`^(\d{1,6}(\.\d{1,3})?|\d{1,9}m)$`)
	memories = regexp.MustCompile(`^\d{1,9}(\.\d{1,3})?([kMGT]|[KMGT]i)$`)
	packages = regexp.MustCompile(`^\.(/[A-Za-z0-9._~+@-]+)*/?$`)
)

// Check returns an error for an invalid job.
func (j Job) Check() error {
	switch {
	case !label.MatchString(j.Name) || !unicode.IsLetter(rune(j.Name[0])):
		return fmt.Errorf("the name %q can't be that of a Service: begin with a letter from a to z, go on with these, "+
			"digits and -, and don't end with -", j.Name)
	case j.Processes < 1 || j.Processes > processesMax:
		return fmt.Errorf("%d processes are not a job: give 1 to %d", j.Processes, processesMax)
	case len(j.host(j.Processes-1)) > labelMax:
		return fmt.Errorf("the name %q is too long: the last pod's host name is %s, which has %d letters, and %d are allowed",
			j.Name, j.host(j.Processes-1), len(j.host(j.Processes-1)), labelMax)
	case j.Namespace != "" && (!label.MatchString(j.Namespace) || len(j.Namespace) > labelMax):
		return fmt.Errorf("the namespace %q can't be one: use up to %d letters from a to z, digits and -, and neither "+
			"begin nor end with -",
			j.Namespace, labelMax)
	case j.Ranks != 0 && (j.Ranks < j.Processes || j.Ranks > ranksMax):
		return fmt.Errorf("%d ranks don't fit %d processes: give each at least one, and all at most %d", j.Ranks,
			j.Processes, ranksMax)
	case j.Port < 1024 || j.Port > 65535:
		return fmt.Errorf("port %d can't be listened at by a user without privileges: give one from 1024 to 65535", j.Port)
	case j.StartLimit <= 0:
		return fmt.Errorf("a start limit of %v leaves no time to start: give a time such as %v", j.StartLimit, StartLimit)
	case j.GracePeriod < time.Second || j.GracePeriod%time.Second != 0:
		return fmt.Errorf("a grace period of %v: give whole seconds, at least 1s", j.GracePeriod)
	}
	if err := j.checkImage(); err != nil {
		return err
	}
	return j.checkResources()
}

// host returns the name of a process's pod within the Service.
func (j Job) host(process int) string { return j.Name + "-" + strconv.Itoa(process) }

func (j Job) checkImage() error {
	if j.Image == "" || !utf8.ValidString(j.Image) || strings.ContainsFunc(j.Image, notInImages) {
		return fmt.Errorf("%q is not an image: give the image of the pods, such as registry.example.org/program:v1",
			j.Image)
	}
	for _, text := range append([]string{j.Program}, j.Arguments...) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("the argument %q can't stand in a manifest: use text in UTF-8 without NUL", text)
		}
	}
	return nil
}

func notInImages(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }

func (j Job) checkResources() error {
	switch {
	case j.CPU != "" && !isPositive(j.CPU, cpus):
		return fmt.Errorf("%q is not a number of CPUs: give one such as 4, or 1500m", j.CPU)
	case j.Memory != "" && !isPositive(j.Memory, memories):
		return fmt.Errorf("%q is not a size of memory for Kubernetes: give one such as 8Gi or 512Mi", j.Memory)
	}
	return nil
}

func isPositive(quantity string, form *regexp.Regexp) bool {
	return form.MatchString(quantity) && strings.ContainsAny(quantity, "123456789")
}

// checkPackage checks the package for go build in the folder of the image.
func checkPackage(name string) error {
	if clean := path.Clean(name); !packages.MatchString(name) || strings.HasPrefix(clean, "..") ||
		path.Base(clean) == "..." {
		return fmt.Errorf("%q is not a package of the folder that the image is built from: give one such as "+
			"./cmd/program, or "+
			". for the folder itself",
			name)
	}
	return nil
}
