package apitest

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/activepebbles/pebbles/internal/launch/kubernetes"
)

var secret = [kubernetes.SecretBytes]byte{1, 2, 3, 31: 0xff}

// jobs returns the jobs of the tests.
func jobs() map[string]kubernetes.Job {
	plain := kubernetes.Job{
		Name: "words", Image: "example.org/words:v1", Processes: 4, Port: kubernetes.Port, StartLimit: kubernetes.StartLimit,
		GracePeriod: kubernetes.GracePeriod,
	}
	all := map[string]kubernetes.Job{"plain": plain}
	add := func(name string, change func(*kubernetes.Job)) {
		j := plain
		change(&j)
		all[name] = j
	}
	// YAML does not read all of these as text
	for _, name := range []string{"null", "true", "no", "y", "e1", "w--1", strings.Repeat("w", 61)} {
		add("name "+name, func(j *kubernetes.Job) { j.Name = name })
	}
	for _, namespace := range []string{"team", "123", "1e3", "off"} {
		add("namespace "+namespace, func(j *kubernetes.Job) { j.Namespace = namespace })
	}
	add("image", func(j *kubernetes.Job) { j.Image = "host:5000/a/b@sha256:" + strings.Repeat("0", 64) })
	add("many", func(j *kubernetes.Job) { j.Processes, j.Ranks = 65536, 1<<24 })
	add("one", func(j *kubernetes.Job) { j.Processes, j.Ranks = 1, 1 })
	add("port and times", func(j *kubernetes.Job) {
		j.Port, j.StartLimit, j.GracePeriod = 65535, 1500*time.Millisecond, time.Hour
	})
	add("resources", func(j *kubernetes.Job) { j.CPU, j.Memory = "4", "8Gi" })
	add("cpu alone", func(j *kubernetes.Job) { j.CPU = "1500m" })
	add("memory alone", func(j *kubernetes.Job) { j.Memory = "0.5G" })
	add("program", func(j *kubernetes.Job) { j.Program = "/bin/a: b # 'c' $(HOSTNAME)" })
	add("arguments", func(j *kubernetes.Job) {
		j.Arguments = []string{
			"", " ", "-n", "- a", "a: b", "#", "'", `"`, `\`, `\n`, "line\nline\n", "\r\n", "\t", "\a\b\f\v\x1b\x7f",
			"---", "...", "{{.Name}}", "{{", "}}",
			"%d", "true", "null", "~", "1", "0x1", "*a", "&a", "!!str a", "[a]", "{a: b}", "| a",
			"> a", "?", "@", "`", "ü日本", "🚀", "\u0085", "\u00a0",
			"\u2028", "\u200b", "\ufeff", "\ufffd", "\U0010ffff", "$", "$$", "$(HOSTNAME)",
			"$$(HOSTNAME)", "$$$(HOSTNAME)", "a$", "$(", "price $5",
		}
	})
	return all
}

// set holds the manifests of a job, in this order.
type set struct {
	secret  core.Secret
	service core.Service
	job     batch.Job
}

// decode decodes manifests strictly: no unknown field, none twice, no other spelling.
func decode(manifests []byte) (s set, err error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(core.AddToScheme(scheme), batch.AddToScheme(scheme)); err != nil {
		return s, err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifests)))
	for _, into := range []runtime.Object{&s.secret, &s.service, &s.job} {
		document, err := documents.Read()
		if err != nil {
			return s, err
		}
		_, kind, err := strict.Decode(document, nil, into)
		if err != nil {
			return s, err
		}
		want, _, err := scheme.ObjectKinds(into)
		if err != nil {
			return s, err
		}
		if *kind != want[0] {
			return s, fmt.Errorf("there is a %v where a %v should be", kind, want[0])
		}
	}
	if _, err := documents.Read(); !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("there are more than three documents: %w", err)
	}
	return s, nil
}

func write(t *testing.T, j kubernetes.Job) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, j.Write(&b, secret))
	return b.Bytes()
}

func TestManifests(t *testing.T) {
	for name, j := range jobs() {
		t.Run(name, func(t *testing.T) {
			s, err := decode(write(t, j))
			require.NoError(t, err)
			for _, m := range []meta.ObjectMeta{s.secret.ObjectMeta, s.service.ObjectMeta, s.job.ObjectMeta} {
				require.Equal(t, meta.ObjectMeta{Name: j.Name, Namespace: j.Namespace}, m)
			}
			require.Empty(t, validation.IsDNS1035Label(s.service.Name))
			require.Empty(t, validation.IsDNS1123Label(fmt.Sprintf("%s-%d", s.job.Name, j.Processes-1)),
				"the last pod's host name")

			require.Equal(t, core.SecretTypeOpaque, s.secret.Type)
			require.Equal(t, map[string]string{"secret": hex.EncodeToString(secret[:])}, s.secret.StringData)
			require.Empty(t, s.secret.Data)
			requireFinds(t, s)
			requireRuns(t, j, s.job.Spec)
			requireStarts(t, j, s)
		})
	}
}

// requireFinds checks that the Service gives the pods their names as soon as they have addresses.
func requireFinds(t *testing.T, s set) {
	require.Equal(t, core.ClusterIPNone, s.service.Spec.ClusterIP)
	require.True(t, s.service.Spec.PublishNotReadyAddresses)
	pod := s.job.Spec.Template
	require.Equal(t, s.service.Name, pod.Spec.Subdomain)
	require.Empty(t, pod.Spec.Hostname, "which the Job sets")
	given := labels.Set{ // by the Job to its pods
		batch.JobNameLabel: s.job.Name, batch.ControllerUidLabel: "uid", "job-name": s.job.Name, "controller-uid": "uid",
	}
	require.Nil(t, s.job.Spec.ManualSelector)
	require.True(t, labels.SelectorFromSet(s.service.Spec.Selector).Matches(labels.Merge(pod.Labels, given)))
	require.False(t, labels.SelectorFromSet(s.service.Spec.Selector).Matches(labels.Set{batch.JobNameLabel: "other"}))
	require.Len(t, s.service.Spec.Ports, 1)
	require.Len(t, pod.Spec.Containers[0].Ports, 1)
	require.Empty(t, validation.IsValidPortName(s.service.Spec.Ports[0].Name))
	require.Equal(t, pod.Spec.Containers[0].Ports[0].Name, s.service.Spec.Ports[0].Name)
	require.Equal(t, pod.Spec.Containers[0].Ports[0].ContainerPort, s.service.Spec.Ports[0].Port)
}

// requireRuns checks that each process has one pod, and that a lost one is not replaced.
func requireRuns(t *testing.T, j kubernetes.Job, spec batch.JobSpec) {
	require.Equal(t, batch.IndexedCompletion, *spec.CompletionMode)
	require.EqualValues(t, j.Processes, *spec.Completions)
	require.EqualValues(t, j.Processes, *spec.Parallelism)
	require.Zero(t, *spec.BackoffLimit)
	pod := spec.Template.Spec
	require.Equal(t, core.RestartPolicyNever, pod.RestartPolicy)
	require.EqualValues(t, j.GracePeriod.Seconds(), *pod.TerminationGracePeriodSeconds)
	require.False(t, *pod.AutomountServiceAccountToken)
	require.False(t, *pod.EnableServiceLinks)
	require.True(t, *pod.SecurityContext.RunAsNonRoot)
	require.Positive(t, *pod.SecurityContext.RunAsUser)
	require.Equal(t, core.SeccompProfileTypeRuntimeDefault, pod.SecurityContext.SeccompProfile.Type)
	require.Len(t, pod.Containers, 1)
	context := pod.Containers[0].SecurityContext
	require.False(t, *context.AllowPrivilegeEscalation)
	require.True(t, *context.ReadOnlyRootFilesystem)
	require.Equal(t, &core.Capabilities{Drop: []core.Capability{"ALL"}}, context.Capabilities)
	want := core.ResourceList{}
	if j.CPU != "" {
		want[core.ResourceCPU] = resource.MustParse(j.CPU)
	}
	if j.Memory != "" {
		want[core.ResourceMemory] = resource.MustParse(j.Memory)
	}
	for _, have := range []core.ResourceList{pod.Containers[0].Resources.Requests, pod.Containers[0].Resources.Limits} {
		require.Len(t, have, len(want))
		for name, quantity := range want {
			require.Zero(t, quantity.Cmp(have[name]), name)
		}
	}
}

// requireStarts checks the environment of a process, and that it can read the secret.
func requireStarts(t *testing.T, j kubernetes.Job, s set) {
	pod := s.job.Spec.Template.Spec
	container := pod.Containers[0]
	require.Equal(t, j.Image, container.Image)
	var program []string
	if j.Program != "" {
		program = []string{j.Program}
	}
	require.Equal(t, program, expand(container.Command))
	require.Equal(t, j.Arguments, expand(container.Args))

	require.Len(t, container.VolumeMounts, 1)
	mount := container.VolumeMounts[0]
	require.True(t, mount.ReadOnly)
	want := []core.EnvVar{{Name: "PEBBLES_PROCESSES", Value: fmt.Sprint(j.Processes)}}
	if j.Ranks > 0 {
		want = append(want, core.EnvVar{Name: "PEBBLES_RANKS", Value: fmt.Sprint(j.Ranks)})
	}
	require.Equal(t, append(want,
		core.EnvVar{Name: "PEBBLES_RENDEZVOUS",
			Value: j.Name + "-%d." + s.service.Name + ":" + fmt.Sprint(s.service.Spec.Ports[0].Port)},
		core.EnvVar{Name: "PEBBLES_SECRET_FILE", Value: mount.MountPath + "/secret"},
		core.EnvVar{Name: "PEBBLES_START_LIMIT", Value: j.StartLimit.String()}), container.Env)
	require.EqualValues(t, j.Port, s.service.Spec.Ports[0].Port)

	require.Len(t, pod.Volumes, 1)
	require.Equal(t, mount.Name, pod.Volumes[0].Name)
	volume := pod.Volumes[0].Secret
	require.Equal(t, s.secret.Name, volume.SecretName)
	require.EqualValues(t, 0o400, *volume.DefaultMode)
	require.Equal(t, *pod.SecurityContext.RunAsUser, *pod.SecurityContext.FSGroup,
		"the group by which the user reads the secret")
}

// expand expands a command as a kubelet does, for one that must contain no variables: $$ becomes $.
func expand(words []string) (all []string) {
	for _, word := range words {
		if left := strings.ReplaceAll(word, "$$", ""); strings.Contains(left, "$(") {
			word = "a variable: " + word
		}
		all = append(all, strings.ReplaceAll(word, "$$", "$"))
	}
	return all
}

// TestSecretIsNowhereElse searches the Job and the Service for the secret, in any spelling that has some of it.
func TestSecretIsNowhereElse(t *testing.T) {
	before, after, ok := strings.Cut(string(write(t, jobs()["plain"])), hex.EncodeToString(secret[:]))
	require.True(t, ok)
	require.NotContains(t, before+after, hex.EncodeToString(secret[:4]))
	require.NotContains(t, before+after, hex.EncodeToString(secret[28:]))
}

// TestDecodeBites breaks good manifests once for each rule.
func TestDecodeBites(t *testing.T) {
	good := string(write(t, jobs()["resources"]))
	for _, c := range []struct{ old, now, says string }{
		{"completionMode:", "completionModus:", `unknown field "spec.completionModus"`},
		{"completionMode:", "completionmode:", `unknown field "spec.completionmode"`},
		{"subdomain:", "subDomain:", `unknown field "spec.template.spec.subDomain"`},
		{"completions: 4", "completions: four", "cannot unmarshal"},
		{"  clusterIP: None", "  clusterIP: None\n  clusterIP: None", `"clusterIP" already set`},
		{`memory: "8Gi"`, `memory: "8GiB"`, "quantities must match"},
		{"kind: Service", "kind: Job", `no kind "Job" is registered for version "v1"`},
		{"kind: Secret", "kind: Service", `unknown field "stringData"`},
	} {
		require.Contains(t, good, c.old)
		_, err := decode([]byte(strings.Replace(good, c.old, c.now, 1)))
		require.ErrorContains(t, err, c.says, c.now)
	}
	_, err := decode([]byte(good + "---\napiVersion: v1\nkind: Secret\n"))
	require.ErrorContains(t, err, "more than three documents")
	_, withoutSecret, _ := strings.Cut(good, "---\n")
	_, err = decode([]byte(withoutSecret))
	require.ErrorContains(t, err, "there is a /v1, Kind=Service where a /v1, Kind=Secret should be")
}

// TestQuantities compares the quantities that package kubernetes accepts with those of Kubernetes.
func TestQuantities(t *testing.T) {
	taken := 0
	for _, text := range []string{
		"4", "0.5", "1.25", "500m", "999999", "512Mi", "8Gi", "1.5G", "3k", "3K", "3Ki",
		"2T", "2Ti", "0.001Gi", "8GiB", "8g", "+1", "1e3", "-1", "1,5",
		"8 Gi", "0", "0Gi", ".5", "5.",
	} {
		cpu, memory := jobs()["plain"], jobs()["plain"]
		cpu.CPU, memory.Memory = text, text
		if cpu.Check() == nil || memory.Check() == nil {
			taken++
			quantity, err := resource.ParseQuantity(text)
			require.NoError(t, err, text)
			require.Positive(t, quantity.Sign(), text)
		}
	}
	require.Greater(t, taken, 10)
}
