package docs_test

import (
	"go/doc"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// anywhere matches names that need no place in the contract's table: options, merges, codecs, methods of plain values,
// and functions around a job.
var anywhere = regexp.MustCompile(`^(pebble\.(And|Or|Xor|Logical.*|Min|Max|Sum|Product|Depth|EndBy|Named|Idle|Flags|` +
	`HugePages|PrefetchEach|Run|RunLaunched|Main|WriteError|Rank\.(Termination|Transport|Tuned|.*Bytes))|` +
	`(pebble|target|task|delegate|memory|memory/pages|container)\..*Error\..*|` +
	`pebble\.(Strings|Bytes|Counters|Explanation|Options|Report|Config)\..*|(memory|memory/pages)\.Counts\..*|` +
	`target\.(Answers|Batch|Cache|Coalesce|Coded|Each|Key|Keys|LowBits|PebbleError|Reduce|Route|TryBatch|TryEach)|` +
	`target\.Target\.Name|` +
	`target\.Directory\.(Describe|Home|Owners?|Owns|Ranks)|task\.(Linger|Workers|Scheduler\.Rank)|delegate\.Coded|` +
	`delegate\.Future\.Ready|memory\.(Ref|View\.Elements|Pending\.Ready)\.?.*|memory\.(Array\.Len|Grid\.(Columns|Rows?)|` +
	`Heap\.Array|Scalar\..*|Space\.Rank)|memory/pages\.(Slice\.Len|Space\.Rank|PageBytes))$`)

// The contract's table has each call of the packages that work on other ranks' data.
func TestContractNamesCalls(t *testing.T) {
	_, table, ok := strings.Cut(read(t, "docs/contract.md"), "## What may be called where")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "## What we promise")
	for _, folder := range strings.Fields("pebble target task delegate memory memory/pages container") {
		for _, name := range functionsOf(t, folder) {
			short := name[strings.LastIndex(name, ".")+1:]
			if anywhere.MatchString(folder+"."+name) || regexp.MustCompile(`^(New|Local|Free$)|Start$`).MatchString(short) {
				continue
			}
			base := regexp.MustCompile(`(All|At|By|Func|StableFunc)$`).ReplaceAllString(short, "")
			found := regexp.MustCompile(`\b(` + short + `|` + base + `)\b`).MatchString(table)
			assert.True(t, found, "the table of docs/contract.md has no %s.%s", folder, name)
		}
	}
}

// functionsOf returns the functions and methods that a package exports to programs.
func functionsOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	_, p := packageOf(t, folder)
	name := func(f *doc.Func, of string) {
		if !takesKey(f.Decl.Type) {
			names = append(names, of+f.Name)
		}
	}
	eachExport(p, func(*doc.Value) {}, name, func(*doc.Type) {})
	return names
}
