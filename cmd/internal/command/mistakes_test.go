package command

import (
	"bytes"
	"compress/gzip"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
)

// mistake is a command line that can't work, and words that must be in the one line that tells of it.
type mistake struct {
	line string
	says []string
}

func TestCommandLineMistakes(t *testing.T) {
	run.Mistakes(t, "pebbles", map[string][]string{
		"randomaccess --bogus": {"unknown flag: --bogus"},
		"--bogus":              {"unknown flag: --bogus"},
		"nosuch":               {`"nosuch"`, "bfs", "randomaccess", "run"},
		"nosuch --ranks 2":     {`"nosuch"`, "bfs", "randomaccess", "run"},
		"completion nosuch":    {`"nosuch"`, "bash", "fish", "zsh"},
		"randomaccess more":    {`"more"`, "only flags"},
		"version more":         {`"more"`, "only flags"},
		"randomaccess --topology nosuch": {`"nosuch"`, "direct", "hypercube", "ring", "three-stage", "tree", "two-stage",
			"mesh:3", "mesh:8x8", "mesh:8x8/0-1", "torus:4x4", "dynamic:"},
		"randomaccess --topology mesh:":                        {`"mesh:"`, "mesh:8x8"},
		"randomaccess --topology mesh:0x4 --ranks 8":           {`"mesh:0x4"`, `"0"`, "mesh:8x8"},
		"randomaccess --topology mesh:-1x2 --ranks 2":          {`"mesh:-1x2"`, `"-1"`, "mesh:8x8"},
		"randomaccess --topology mesh:2x4/0-0 --ranks 8":       {`"mesh:2x4/0-0"`, "each dimension", "mesh:8x8/0-1"},
		"randomaccess --topology dynamic:dynamic:ring":         {`"dynamic:dynamic:ring"`, "once"},
		"randomaccess --topology mesh:3x3 --ranks 8":           {"--topology mesh:3x3", "over 8 ranks", "multiply to 9"},
		"randomaccess --topology mesh:3x3 --ranks 8 --procs 2": {"--topology mesh:3x3", "over 8 ranks", "multiply to 9"},
		"randomaccess --topology dynamic:mesh:3x3 --ranks 8":   {"mesh:3x3", "over 8 ranks", "multiply to 9"},
		"randomaccess --topology torus:4x4 --ranks 15":         {"--topology torus:4x4", "over 15 ranks", "multiply to 16"},
		"randomaccess --topology mesh:3x3 --explain --ranks 8": {"--topology mesh:3x3", "multiply to 9"},
		"randomaccess --transport rdma":                        {`"rdma"`, "mem", "shm", "ofi", "tcp", "auto"},
		"randomaccess --transport ofi --procs 1":               {"--procs 2 or more"},
		"randomaccess --termination nosuch":                    {`"nosuch"`, "auto", "nbx", "ordered", "pcx", "pcx-neighbors", "skr"},
		"randomaccess --address-cache -1":                      {`"-1"`, "--address-cache", "0 or more"},
		"stressmark pointer --address-cache 1001":              {"an address cache of 1001: at most 1,000"},
		"stressmark pointer --address-cache many":              {`"many"`, "--address-cache", "0 or more"},
		"randomaccess --credits 0":                             {`"0"`, "--credits", "1 or more"},
		"randomaccess --credits -1":                            {`"-1"`, "--credits", "1 or more"},
		"randomaccess --period 0":                              {`"0"`, "--period", "never"},
		"randomaccess --period -1ms":                           {`"-1ms"`, "--period", "never"},
		"randomaccess --explain=maybe":                         {`"maybe"`, "--explain"},
		"randomaccess --log-format xml":                        {`"xml"`, "text", "json"},
		"randomaccess --ranks 0":                               {`"0"`, "--ranks", "1 or more"},
		"randomaccess --ranks -2":                              {`"-2"`, "--ranks", "1 or more"},
		"randomaccess --ranks two":                             {`"two"`, "--ranks", "whole number"},
		"randomaccess --procs 0":                               {`"0"`, "--procs", "1 or more"},
		"randomaccess --coalesce 0":                            {`"0"`, "--coalesce", "1 or more"},
		"randomaccess --coalesce automatic":                    {`"automatic"`, "--coalesce", "1 or more", "auto"},
		"randomaccess --cache -1":                              {`"-1"`, "--cache", "0 or more"},
		"randomaccess --coalesce 99999999999999999999":         {`"99999999999999999999"`, "--coalesce", "too large"},
		"randomaccess --ranks 99999999999999999999":            {"--ranks", "too large"},
		"randomaccess --seed 99999999999999999999":             {"--seed", "too large"},
		"randomaccess --memory 9999999999T":                    {`"9999999999T"`, "--memory", "too large"},
		"randomaccess --due 99999999999h":                      {`"99999999999h"`, "--due", "too large"},
		"randomaccess --updates-per-word 1e999":                {"--updates-per-word", "too large"},
		"bfs --kronecker 99999999999999999999":                 {"--kronecker", "too large"},
		"bfs --kronecker 5 --root 99999999999999999999":        {"--root", "too large"},
		"randomaccess --seed -1":                               {`"-1"`, "--seed"},
		"randomaccess --due 0s":                                {`"0s"`, "--due", "never"},
		"randomaccess --memory -64MiB":                         {`"-64MiB"`, "--memory", "64MiB"},
		"randomaccess --memory 64XB":                           {`"64XB"`, "--memory", "64MiB"},
		"randomaccess --verbose --quiet":                       {"--verbose", "--quiet", "choose one"},
		"randomaccess --procs 4 --ranks 2":                     {"--ranks 2", "4 processes"},
		"randomaccess --transport mem --procs 2":               {"--transport mem", "one process", "--transport tcp"},
		"randomaccess --transport shm":                         {"--transport shm", "--procs 2", "--hosts"},
		"randomaccess --transport tcp":                         {"--transport tcp", "--procs 2", "--hosts"},
		"randomaccess --transport tcp --procs 1":               {"--transport tcp", "--procs 2", "--hosts"},
		"randomaccess --bind 127.0.0.1":                        {"--bind", "--procs 2"},
		"randomaccess --silence-limit 1m":                      {"--silence-limit", "--procs 2"},
		"randomaccess --start-limit 1m":                        {"--start-limit", "--procs 2"},
		"randomaccess --procs 2 --silence-limit 1ms":           {`"1ms"`, "--silence-limit", "at least 1s"},
		"randomaccess --procs 2 --start-limit never":           {`"never"`, "--start-limit", "1h"},
		"randomaccess --hosts a,b":                             {"--hosts", "--bind"},
		"randomaccess --hosts a,b,c --procs 2 --bind lo":       {"3 hosts", "2 processes"},
		"randomaccess --log2-words -3":                         {"--log2-words", "1 or more"},
		"randomaccess --log2-words 60":                         {"2^60"},
		"randomaccess --updates-per-word -4":                   {"-4", "positive"},
		"randomaccess --updates-per-word 0":                    {"--updates-per-word 0", "positive"},
		"permutation --log2-elements -3":                       {"--log2-elements", "1 or more"},
		"pointerchase --rounds 0":                              {"--rounds", "1 or more"},
		"bfs":                                                  {"--graph", "--kronecker", "--erdos-renyi"},
		"bfs --graph a --kronecker 5":                          {"one graph", "--graph", "--kronecker"},
		"bfs --graph a --edge-factor 5":                        {"--edge-factor", "--graph"},
		"bfs --kronecker 5 --format pace":                      {"--format", "--graph"},
		"bfs --graph a --format xml":                           {`"xml"`, "pace", "metis"},
		"bfs --kronecker 99":                                   {"99", "48"},
		"bfs --kronecker 0":                                    {"0", "48"},
		"bfs --kronecker 5 --edge-factor -1":                   {"-1"},
		"bfs --kronecker 5 --mode wild":                        {`"wild"`, "level", "async", "direction"},
		"bfs --kronecker 5 --order wild":                       {`"wild"`, "auto", "degree", "given"},
		"bfs --kronecker 5 --alpha 3":                          {"--alpha", "--mode direction"},
		"bfs --kronecker 5 --mode direction --alpha -1":        {"--alpha", "-1", "above 0"},
		"bfs --kronecker 5 --mode direction --beta NaN":        {"--beta", "NaN", "above 0"},
		"bfs --erdos-renyi 5 --order degree":                   {"undirected"},
		"bfs --kronecker 5 --root x":                           {`"x"`, "--root", "whole number"},
		"bfs --kronecker 5 --root 3 --roots 2":                 {"--root", "--roots"},
		"bfs --kronecker 5 --roots 0":                          {"--roots", "1 or more"},
		"sssp":                                                 {"one graph", "--graph", "--kronecker"},
		"sssp --kronecker 5 --weights heavy":                   {`"heavy"`, "given", "random", "one"},
		"sssp --kronecker 5 --weights given":                   {"--weights given", "--graph"},
		"sssp --kronecker 5 --delta -1":                        {"--delta", "-1", "above 0"},
		"sssp --kronecker 5 --delta NaN":                       {"--delta", "NaN", "above 0"},
		"sssp --kronecker 5 --root 3 --roots 2":                {"--root", "--roots"},
		"centrality":                                           {"one graph", "--graph", "--kronecker"},
		"centrality --kronecker 5 --mode wild":                 {`"wild"`, "level", "tasks"},
		"centrality --kronecker 5 --source 3 --sources 2":      {"--source", "--sources", "name the sources"},
		"centrality --kronecker 5 --sources 0":                 {"--sources", "1 or more"},
		"words --file x --bytes 10":                            {"there are files", "leave them out"},
		"words --vocabulary 0":                                 {"--vocabulary", "1 or more"},
		"kmers --k 33":                                         {"33 bases", "1 to 32"},
		"kmers --bases 50":                                     {"50 bases", "100 to"},
		"kmers --errors 2":                                     {"2 of all bases wrong", "0 to 1"},
		"kmers --file x --coverage 3":                          {"there are files", "leave them out"},
		"pagerank":                                             {"one graph", "--graph", "--kronecker"},
		"pagerank --kronecker 5 --damping 1":                   {"damping", "1", "below 1"},
		"pagerank --kronecker 5 --damping 0":                   {"--damping", "above 0"},
		"pagerank --kronecker 5 --damping NaN":                 {"damping", "NaN", "below 1"},
		"pagerank --kronecker 5 --tolerance -1":                {"tolerance", "-1", "above 0"},
		"pagerank --kronecker 5 --tolerance 0":                 {"--tolerance", "above 0"},
		"pagerank --kronecker 5 --iterations 0":                {"--iterations", "1 or more"},
		"components":                                           {"one graph", "--graph", "--kronecker"},
		"components --kronecker 5 --method guess":              {`"guess"`, "hook", "propagate"},
		"jaccard":                               {"one graph", "--graph", "--kronecker"},
		"jaccard --kronecker 5 --threshold 0":   {"--threshold", "above 0"},
		"jaccard --kronecker 5 --threshold 2":   {"threshold", "2", "1 at most"},
		"jaccard --kronecker 5 --threshold NaN": {"threshold", "NaN", "1 at most"},
		"triangles":                             {"one graph", "--graph", "--kronecker"},
		"join --left 0":                         {"--left", "1 or more"},
		"join --kind outer":                     {`"outer"`, "inner, left, semi, anti"},
		"join --zipf -1":                        {"exponent of -1", "give 0"},
		"sort --numbers 0":                      {"--numbers", "1 or more"},
		"sort --numbers 99999999999999":         {"numbers", "at most"},
		"sort --numbers 5 a.txt":                {"--numbers", "leave it out with files"},
		"sort --space 0":                        {"--space", "positive number of bytes"},
		"sort --replace":                        {"--replace", "--output"},
		"sort --output=":                        {"--output", "name a file"},
		"sort --scratch=":                       {"--scratch", "name a folder"},
		"kcore":                                 {"one graph", "--graph", "--kronecker"},
		"alltoall --rounds 0":                   {`"0"`, "--rounds", "1 or more"},
		"alltoall --rounds -5":                  {`"-5"`, "--rounds", "1 or more"},
		"alltoall --bytes 0":                    {`"0"`, "--bytes", "1 or more"},
		"alltoall --bytes -1":                   {`"-1"`, "--bytes", "1 or more"},
		"alltoall --bytes 65537":                {"65537", "8 to 65536"},
		"alltoall --bytes 5":                    {"items of 5 bytes", "give 4, or 8 to 65536"},
		"alltoall --ranks 4 --rounds 1000000000000000000": {"1000000000000000000", "too many"},
		"reduce --items 0":                                  {`"0"`, "--items", "1 or more"},
		"reduce --items -1":                                 {`"-1"`, "--items", "1 or more"},
		"reduce --ranks 4 --items 1000000000000000000":      {"1000000000000000000", "too many"},
		"reduce --keys 0":                                   {`"0"`, "--keys", "1 or more"},
		"reduce --keys 2000000000000":                       {"2000000000000 keys", "at most"},
		"reduce --kind product":                             {`"product"`, "sum", "max", "distinct", "concatenate"},
		"reduce --cache -1":                                 {`"-1"`, "--cache", "0 or more"},
		"contagion --contacts a --population b":             {"--population and --contacts", "give one"},
		"contagion --contacts a --people 5":                 {"--people", "leave it out"},
		"contagion --people 0":                              {`"0"`, "--people", "1 or more"},
		"contagion --people 5000000000":                     {"5000000000 people", "give 1 to 4294967294"},
		"contagion --visits-per-day -1":                     {"--visits-per-day -1", "above 0"},
		"contagion --visits-per-day 1001":                   {"1001 visits a day", "up to 1000"},
		"contagion --days 0":                                {`"0"`, "--days", "1 or more"},
		"contagion --days 9999999":                          {"9999999 days", "give 1 to"},
		"contagion --contact sometimes":                     {`"sometimes"`, "constant, min-max-alpha, certain"},
		"contagion --contact min-max-alpha":                 {"min-max-alpha", "the population does not say"},
		"contagion --send by-hand":                          {`"by-hand"`, "aggregated, manual"},
		"contagion --bundle 9":                              {"--bundle", "--send manual"},
		"contagion --send manual --bundle 99999":            {"99999 visits", "give 1 to"},
		"contagion --tiles 9":                               {"--tiles", "--loimos"},
		"contagion --loimos --locations 2000":               {"--locations 2000", "a square", "2025"},
		"contagion --loimos --tiles 7":                      {"7x7 tiles", "50x50"},
		"contagion --loimos --visits-per-day 12":            {"12 visits a day", "below 12"},
		"contagion --loimos --seed 5000000000":              {"seed 5000000000", "below 2^32"},
		"contagion --curve curve.png":                       {"--curve curve.png", ".csv, .json, .avro or .svg"},
		"contagion --infections tree.svg":                   {"--infections tree.svg", ".csv, .json, .avro"},
		"nbody --particles 0":                               {`"0"`, "--particles", "1 or more"},
		"nbody --particles 3 --ranks 4":                     {"3 particles on 4 ranks", "at least one to each"},
		"nbody --model ball":                                {`"ball"`, "plummer, king, collision"},
		"nbody --model king --w0 50":                        {"central potential of 50", "give 0.1 to 12"},
		"nbody --w0 5":                                      {"--w0", "--model king"},
		"nbody --eta 0.1":                                   {"--eta", "--rungs"},
		"nbody --rungs 40":                                  {"halved 40 times", "0 to 30"},
		"nbody --theta 3":                                   {"opening angle of 3", "0.1 to 1.5"},
		"nbody --theta -1":                                  {"--theta -1", "above 0"},
		"nbody --step 0":                                    {"--step 0", "above 0"},
		"nbody --order 5":                                   {"order 5", "1 (mass) to 4"},
		"nbody --bucket 5000":                               {"buckets of 5000", "give 1 to"},
		"nbody --softening 0":                               {"--softening 0", "above 0"},
		"nbody --walk alone":                                {`"alone"`, "asks, tasks"},
		"nbody --tipsy a --particles 5":                     {"--particles", "leave it out with --tipsy"},
		"nbody --picture king.jpg":                          {"--picture king.jpg", ".png"},
		"nbody --frames king.png":                           {"--frames king.png", ".gif"},
		"nbody --frames king.gif --steps 5000":              {"--frames of 5000 steps", "up to 2000"},
		"uts --tree T9":                                     {`"T9"`, "T1, T2"},
		"uts --depth 11":                                    {"--depth", "give 1 to 10"},
		"uts --tree T3 --depth 3":                           {"--depth", "T3 is binomial"},
		"uts --batch 0":                                     {"--batch", "1 or more"},
		"uts --batch 9999999":                               {"9999999 nodes", "give 1 to"},
		"uts --workers 9":                                   {"--workers", "--in-memory"},
		"uts --linger 1ms":                                  {"--linger", "--in-memory"},
		"uts --mode tasks":                                  {"--mode", "--in-memory"},
		"uts --in-memory --mode threads":                    {`"threads"`, "tasks, pebbles"},
		"uts --in-memory --mode pebbles --batch 3":          {"--batch", "leave them out"},
		"uts --in-memory --linger -1s":                      {"-1s", "below 0"},
		"uts --in-memory --workers 99999999":                {"99999999 workers", "give 1 to"},
		"ping --bytes 12":                                   {"12 bytes", "power of two from 8 to 4096"},
		"ping --bytes 8192":                                 {"8192 bytes", "power of two"},
		"ping --messages 0":                                 {"--messages", "1 or more"},
		"ping --messages 9999999999999":                     {"too many"},
		"epochs --count 0":                                  {`"0"`, "--count", "1 or more"},
		"epochs --pebbles -1":                               {`"-1"`, "--pebbles", "0 or more"},
		"epochs --count 1000000000 --pebbles 1000000000":    {"too many", "give less"},
		"access nosuch":                                     {`"nosuch"`, "attend, gather"},
		"access gather more":                                {`"more"`, "only flags"},
		"access gather --log2-words 33":                     {"2^33 words", "1 to 32"},
		"access gather --accesses 0":                        {`"0"`, "--accesses", "1 or more"},
		"access gather --accesses 99999999999":              {"99999999999 accesses", "1 to"},
		"access gather --batch 9999999":                     {"batches of 9999999", "1 to 1048576"},
		"access gather --way nosuch":                        {`"nosuch"`, "gather, scatter, get"},
		"access attend --ranks 1":                           {"1 ranks", "2 at least"},
		"access attend --reads 9999999":                     {"9999999 reads", "1 to 1048576"},
		"access attend --busy 2m":                           {"2m0s", "at most 1m0s"},
		"sim access attend --busy -1s":                      {"-1s", "at most 1m0s"},
		"pages nosuch":                                      {`"nosuch"`, "barrier, bucketsort, diff, fft, jacobi, lock, page, sor, spmv, tsp"},
		"pages jacobi more":                                 {`"more"`, "only flags"},
		"pages jacobi --size 20000":                         {"size of 20000", "2 to 16384 rows"},
		"pages sor --size 7":                                {"size of 7", "an even number"},
		"pages fft --size 48":                               {"size of 48", "a power of two"},
		"pages tsp --rounds 0":                              {`"0"`, "--rounds", "1 or more"},
		"pages tsp --rounds 1048577":                        {"1048577 rounds", "1 to 1048576"},
		"pages page --page-size 100":                        {"pages of 100 bytes", "a power of two"},
		"pages diff --page-size 2MiB":                       {"pages of 2097152 bytes", "from 64 to 1048576"},
		"pages lock --ranks 1":                              {"1 ranks", "2 at least"},
		"pages spmv --by nosuch":                            {`"nosuch"`, "pages, gather, pebbles"},
		"sim pages barrier --size 3":                        {"--size"},
		"stressmark nosuch":                                 {`"nosuch"`, "field, neighborhood, pointer, update"},
		"sim stressmark nosuch":                             {`"nosuch"`, "field, neighborhood, pointer, update"},
		"stressmark pointer more":                           {`"more"`, "only flags"},
		"stressmark pointer --words 15":                     {"15 words", "give 16 to 16777216"},
		"stressmark pointer --window 4":                     {"window of 4 words", "odd number from 1 to 15"},
		"stressmark pointer --hops 0":                       {`"0"`, "--hops", "1 or more"},
		"stressmark pointer --hops 9999999999999":           {"9999999999999 hops", "at most"},
		"sim stressmark update --words 16777217":            {"16777217 words", "give 16 to 16777216"},
		"stressmark update --words 16 --stop 10":            {"10 indices", "there are 9"},
		"stressmark neighborhood --side 32769":              {"32769 pixels a side", "4 to 32768"},
		"stressmark neighborhood --bits 16":                 {"16 bits", "7 to 15"},
		"stressmark neighborhood --short 10":                {"distances 10 and 10", "long one"},
		"stressmark neighborhood --side 100 --long 100":     {"100 pixels a side"},
		"stressmark neighborhood --lines 99999999":          {"99999999 lines", "give 1 to"},
		"stressmark field --bytes 16777217":                 {"16777217 bytes", "give 16 to 16777216"},
		"stressmark field --tokens 257":                     {"257 tokens", "1 to 256"},
		"stressmark field --token-bytes 9":                  {"9 bytes", "1 to 8"},
		"stressmark field --offset 65536":                   {"65536 bytes", "1 to 65535"},
		"stressmark field --values 257":                     {"257 values", "2 to 256"},
		"run -n 2":                                          {"no program"},
		"run -- true":                                       {"-n N"},
		"run -n 2 --prefix --no-prefix -- true":             {"--prefix", "--no-prefix", "choose one"},
		"run -n 0 -- true":                                  {"--procs", "1 or more"},
		"run -n 4 --ranks 2 -- true":                        {"--ranks 2", "4 processes"},
		"k8s":                                               {"--name", "--image", "-n N"},
		"k8s --name a --image b":                            {"--name", "--image", "-n N"},
		"k8s --name a --image b -n 0":                       {"--procs", "1 or more"},
		"k8s --name a --image b -n 2 /program":              {`"/program"`, "only flags"},
		"k8s --name A --image b -n 2":                       {`"A"`, "from a to z"},
		"k8s --name a --image b -n 70000":                   {"70000", "1 to 65536"},
		"k8s --name a --image b -n 4 --ranks 2":             {"2 ranks", "4 processes"},
		"k8s --name a --image b -n 2 --memory 8GiB":         {`"8GiB"`, "8Gi"},
		"k8s --name a --image b -n 2 --cpu many":            {`"many"`, "1500m"},
		"k8s --name a --image b -n 2 --port 80":             {"port 80", "1024"},
		"k8s --name a --image b -n 2 --namespace A":         {`"A"`, "namespace"},
		"k8s --name a --image b -n 2 --start-limit 0":       {"--start-limit", "30s"},
		"k8s --name a --image b -n 2 --grace-period 1500ms": {"1.5s", "whole seconds"},
		"k8s --dockerfile . --name a":                       {"--dockerfile", "alone"},
		"k8s --dockerfile . -- /program":                    {"--dockerfile", "alone"},
		"k8s --dockerfile ../a":                             {`"../a"`, "./cmd/program"},
		"k8s --dockerfile=":                                 {`""`, "./cmd/program"},
	})
}

// TestBadInput has what can only be seen when the job runs.
func TestBadInput(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { busy.Close() })
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write([]byte("1 2\n2 3\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	packed.Bytes()[12] ^= 4 // some letter of the text
	flipped := packed.String()
	whole := file("whole.gr", "p tw 4 3\n1 2\n2 3\n3 4\n")
	for name, m := range map[string]mistake{
		"missing file":  {"bfs --graph " + filepath.Join(dir, "missing.el"), []string{"missing.el", "no such file"}},
		"truncated":     {"bfs --graph " + file("short.gr", "p tw 4 3\n1 2\n"), []string{"short.gr", "truncated"}},
		"cut gzip":      {"bfs --graph " + file("cut.el.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00"), []string{"cut.el.gz", "truncated"}},
		"device":        {"bfs --graph /dev/null", []string{"/dev/null", "is a device", "write them to a file"}},
		"pipe":          {"bfs --graph " + pipe, []string{pipe, "is a pipe", "read twice"}},
		"weights":       {"bfs --graph " + file("weights.el", "1 2 7\n"), []string{"line 1", "weights are not supported"}},
		"no weights":    {"sssp --graph " + whole, []string{"line 2", "have no weights", "random", "one"}},
		"below 0":       {"sssp --graph " + file("below.el", "1 2 7\n2 3 -1\n"), []string{"below.el", "line 2", "-1", "0 or more"}},
		"no number":     {"sssp --graph " + file("nan.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 NaN\n"), []string{"nan.mtx", "line 3", "NaN", "0 or more"}},
		"damaged gzip":  {"bfs --graph " + file("damaged.el.gz", flipped), []string{"damaged.el.gz", "the gzip data is damaged"}},
		"no graph":      {"bfs --graph " + file("prose.txt", "it was a dark and stormy night\n"), []string{"prose.txt", "line 1", "not a graph"}},
		"binary":        {"bfs --graph " + binary, []string{"binary data", "not a graph"}},
		"directory":     {"bfs --graph " + dir, []string{dir, "directory"}},
		"range":         {"bfs --graph " + file("above.gr", "p tw 4 3\n1 2\n2 9\n3 4\n"), []string{"above.gr", "line 3", "out of range"}},
		"root outside":  {"bfs --graph " + whole + " --root 9", []string{"root 9", "1 to 4", "no such root"}},
		"generated":     {"bfs --kronecker 5 --root 32", []string{"root 32", "no such root"}},
		"no population": {"contagion --population " + filepath.Join(dir, "nowhere_"), []string{"nowhere_people.textproto", "no such file"}},
		"no disease":    {"contagion --disease nosuch.textproto", []string{"nosuch.textproto", "no such file"}},
		"no such state": {"contagion --disease " + file("bad.textproto", `starting_states { starting_state: 7 } disease_states { state_label: "S" }`),
			[]string{"bad.textproto", "starting_states", "there is no state 7"}},
		"no measures": {"contagion --interventions " + file("no.textproto", "triggers { hour {} }"), []string{"no.textproto", "unknown field: hour"}},
		"no shops": {"contagion --interventions " + file("shops.textproto", `triggers { day {} }
			location_interventions { compliance: 1 closure { kind: "shop" } }`), []string{`kind "shop"`, `["school"]`}},
		"no contacts":   {"contagion --contacts " + whole, []string{"whole.gr", "line 2", "2 fields"}},
		"no particles":  {"nbody --tipsy nosuch.bin", []string{"nosuch.bin", "no such file"}},
		"not TIPSY":     {"nbody --tipsy " + whole, []string{"whole.gr", "TIPSY"}},
		"byte order":    {"nbody --tipsy " + file("little.bin", string(make([]byte, 12))+"\x03\x00\x00\x00"+particles(3)[16:]), []string{"little.bin", "byte order", "convert it"}},
		"cut short":     {"nbody --tipsy " + file("short.bin", particles(3)[:100]), []string{"short.bin", "3 particles", "cut short"}},
		"no place":      {"nbody --tipsy " + file("nan.bin", particles(3)[:36]+"\x7f\xc0\x00\x00"+particles(3)[40:]), []string{"nan.bin", "particle 0", "position is no number"}},
		"one place":     {"nbody --ranks 2 --tipsy " + file("one.bin", particles(3)), []string{"all 3 particles are in one place"}},
		"few particles": {"nbody --ranks 4 --tipsy " + file("few.bin", particles(3)), []string{"3 particles on 4 ranks"}},
		"small memory":  {"randomaccess --log2-words 10 --ranks 2 --memory 128", []string{"memory limit", "128"}},
		"small memory2": {"bfs --kronecker 10 --ranks 2 --memory 128", []string{"memory limit", "128"}},
		"small memory3": {"alltoall --ranks 2 --rounds 10 --memory 64", []string{"memory limit", "64"}},
		"small memory4": {"alltoall --ranks 2 --rounds 10 --bytes 65536 --memory 8KiB", []string{"memory limit", "8192"}},
		"small memory5": {"reduce --ranks 2 --items 10 --memory 1KiB", []string{"memory limit", "1024"}},
		"small memory6": {"reduce --ranks 3 --items 10 --cache 100000000 --memory 1MiB", []string{"cache of 100000000 entries", "memory limit", "1048576"}},
		"no stages":     {"randomaccess --ranks 5 --log2-words 8 --termination ordered --topology ring", []string{"ordered", "stages", `"ring"`}},
		"no depth":      {"pointerchase --ranks 4 --rounds 3 --termination nbx", []string{"nbx", "declared depth", "skr"}},
		"no depth2":     {"pointerchase --ranks 4 --rounds 3 --termination pcx-neighbors --explain", []string{"pcx-neighbors", "declared depth", "skr"}},
		"ways change":   {"randomaccess --ranks 4 --termination nbx --topology dynamic:ring", []string{"nbx", "may change", "skr"}},
		"huge factor":   {"epochs --ranks 2 --count 2 --coalesce 99999999999", []string{"coalescing factor of 99999999999 is too large"}},
		"huge factor2":  {"epochs --ranks 2 --count 2 --coalesce 9223372036854775807", []string{"is too large"}},
		"huge credits":  {"epochs --ranks 2 --count 2 --credits 99999999999", []string{"99999999999 frames of credit are too many"}},
		"huge frames":   {"alltoall --ranks 2 --rounds 10 --bytes 64 --coalesce 100000000", []string{"too large", "16777216 of these", "lower the coalescing factor"}},
		"many ranks":    {"randomaccess --ranks 1000000000", []string{"1000000000 ranks", "need"}},
		"many keys":     {"reduce --ranks 2 --items 10 --keys 1000000000000", []string{"MiB are free", "fewer keys"}},
	} {
		for _, procs := range []string{"1", "2"} {
			t.Run(name+"/procs "+procs, func(t *testing.T) {
				fails(t, m, "--procs", procs)
			})
		}
	}
	port := busy.Addr().String()
	for name, m := range map[string]mistake{
		"port in use":     {"randomaccess --procs 2 --bind " + port, []string{port, "in use"}},
		"run port in use": {"run -n 2 --bind " + port + " -- " + binary + " version", []string{port, "in use"}},
		"foreign address": {"randomaccess --procs 2 --bind 192.0.2.1", []string{"192.0.2.1"}},
		"every interface": {"randomaccess --procs 2 --bind 0.0.0.0", []string{"0.0.0.0"}},
		"no program":      {"run -n 2 -- nosuchprogram", []string{"nosuchprogram", "not found"}},
	} {
		t.Run(name, func(t *testing.T) { fails(t, m) })
	}
}

// fails runs a command line that must end with status 1 and one line. Processes that fail by themselves at the same
// time tell of it each, or in a logged line, which escapes the quotation marks of what it tells.
func fails(t *testing.T, m mistake, flags ...string) {
	t.Parallel()
	r := pebbles(with(strings.Fields(m.line), flags...)...)
	require.Equal(t, 1, r.Status, r.Stderr)
	require.Empty(t, r.Stdout)
	require.NotEmpty(t, r.Stderr)
	if !slices.Contains(flags, "2") {
		require.Equal(t, 1, strings.Count(r.Stderr, "\n"), "one line: %s", r.Stderr)
	}
	for line := range strings.Lines(r.Stderr) {
		for _, words := range m.says {
			require.Contains(t, strings.ReplaceAll(line, `\"`, `"`), words)
		}
	}
}

// particles is a TIPSY file of particles that are all in one place.
func particles(n int) string {
	var b bytes.Buffer
	all := make([]gravity.Particle, n)
	for i := range all {
		all[i] = gravity.Particle{Mass: 1, Pos: gravity.Vector{1, 2, 3}}
	}
	if err := tipsy.Write(&b, 0, all, make([]float64, n)); err != nil {
		panic(err)
	}
	return b.String()
}
