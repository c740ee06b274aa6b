package kubernetes

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// SecretBytes is the size of a job's secret.
const SecretBytes = 32

const (
	// user is neither root nor the user of an account.
	user = 65532
	// secretFolder is the mount point of the Secret.
	secretFolder = "/run/secrets/pebbles"
	// builtProgram is the path of the program in the image of our Dockerfile.
	builtProgram = "/program"
)

var (
	//go:embed manifests.yaml.tmpl
	manifestsText string
	//go:embed Dockerfile.tmpl
	dockerfileText string

	functions = template.FuncMap{"quote": quote, "literal": literal}
)

// write fills in a template. It parses the template here, not at the start of each process of a job.
func write(w io.Writer, name, text string, data any) error {
	return template.Must(template.New(name).Funcs(functions).Parse(text)).Execute(w, data)
}

// quote writes a value as text between quotation marks. YAML and JSON read Go's escapes in printable UTF-8 as Go does.
func quote(value any) string { return strconv.Quote(fmt.Sprint(value)) }

// literal quotes an argument for a container: Kubernetes takes $ for the start of a variable, and $$ for $.
func literal(argument string) string { return quote(strings.ReplaceAll(argument, "$", "$$")) }

// Write writes the manifests in YAML. The secret, which must be random and new for each job, appears only in the
// Secret.
func (j Job) Write(w io.Writer, secret [SecretBytes]byte) error {
	if err := j.Check(); err != nil {
		return err
	}
	return write(w, "manifests", manifestsText, struct {
		Job
		Secret, SecretFolder, SecretFile, Rendezvous string
		User                                         int
		GraceSeconds                                 int64
		Kinds                                        []string
	}{
		Job: j, Secret: hex.EncodeToString(secret[:]), SecretFolder: secretFolder, SecretFile: secretFolder + "/secret",
		Rendezvous: fmt.Sprintf("%s-%%d.%s:%d", j.Name, j.Name, j.Port), // with the number of a process for %d
		User:       user, GraceSeconds: int64(j.GracePeriod / time.Second), Kinds: []string{"requests", "limits"},
	})
}

// WriteDockerfile writes a Dockerfile for the program in a package of the folder that the image is built in. The image
// holds only the program, as a static binary.
func WriteDockerfile(w io.Writer, program string) error {
	if err := checkPackage(program); err != nil {
		return err
	}
	return write(w, "Dockerfile", dockerfileText, struct {
		Package, Program string
		User             int
	}{program, builtProgram, user})
}
