package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var secretOf = regexp.MustCompile(`(?m)^  secret: "([0-9a-f]{64})"$`)

func TestK8s(t *testing.T) {
	line := strings.Fields("k8s --name words --image example.org/words:v1 -n 3")
	first := succeeds(t, line...)
	for _, has := range []string{
		"\nkind: Job\n", "completions: 3\n", "parallelism: 3\n", `image: "example.org/words:v1"`, `value: "words-%d.words:7473"`,
		"terminationGracePeriodSeconds: 30\n", "PEBBLES_START_LIMIT\n              value: \"5m0s\"\n",
	} {
		require.Contains(t, first, has)
	}
	for _, absent := range []string{"namespace:", "command:", "args:", "PEBBLES_RANKS", "resources:"} {
		require.NotContains(t, first, absent)
	}
	second := succeeds(t, line...)
	one, other := secretOf.FindStringSubmatch(first), secretOf.FindStringSubmatch(second)
	require.Len(t, one, 2, first)
	require.Len(t, other, 2, second)
	require.NotEqual(t, one[1], other[1], "each job has a secret of its own")
	require.Equal(t, 1, strings.Count(first, one[1]), "the secret stands in the Secret alone")

	all := succeeds(t, with(line, strings.Fields("--ranks 12 --namespace team --cpu 4 --memory 8Gi --port 9000 --start-limit 10m --grace-period 1m "+
		"-- /program -n two")...)...)
	for _, has := range []string{
		"PEBBLES_RANKS\n              value: \"12\"\n", `namespace: "team"`, `cpu: "4"`, `memory: "8Gi"`, "port: 9000\n", "containerPort: 9000\n",
		`value: "words-%d.words:9000"`, "PEBBLES_START_LIMIT\n              value: \"10m0s\"\n", "terminationGracePeriodSeconds: 60\n",
		"command: [\"/program\"]\n          args:\n            - \"-n\"\n            - \"two\"\n",
	} {
		require.Contains(t, all, has)
	}
	onlyArguments := succeeds(t, with(line, "--", "-v", "file")...)
	require.Contains(t, onlyArguments, "args:\n            - \"-v\"\n            - \"file\"\n")
	require.NotContains(t, onlyArguments, "command:")
}

func TestK8sDockerfile(t *testing.T) {
	out := succeeds(t, "k8s", "--dockerfile", "./cmd/words")
	require.Contains(t, out, `"-o", "/program", "./cmd/words"]`)
	require.Contains(t, out, "\nFROM scratch\n")
	require.NotContains(t, out, "kind:")
}
