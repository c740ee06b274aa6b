package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// amounts are the amounts of work.
type amounts struct {
	words, bases, numbers, lines, orders, customers int
}

var (
	full = amounts{
		words: 1_000_000_000, bases: 50_000_000, numbers: 100_000_000, lines: 10_000_000,
		orders: 10_000_000, customers: 1_000_000,
	}
	tiny = amounts{words: 100_000, bases: 5_000, numbers: 10_000, lines: 10_000, orders: 10_000, customers: 1_000}
)

// part returns a fraction of the amounts.
func (a amounts) part(share int) amounts {
	return amounts{
		a.words / share, a.bases / share, a.numbers / share, a.lines / share, a.orders / share, a.customers / share,
	}
}

// suite makes the cases, and collects the files that they read.
type suite struct {
	self     string // this program
	programs string // folder of ours
	files    string
	amounts
	inputs  []input
	leftOut io.Writer // gets a line for each missing peer
}

func (b *suite) groups() []lab.Group {
	return []lab.Group{b.wordCount(), b.kmerCount(), b.sortNumbers(), b.sortLines(), b.joinFiles(), b.joinRows()}
}

// group makes groups for one kind of work.
type group struct {
	lab.Group
	*suite
	out string // output file of the programs; empty: they print
}

func (b *suite) group(name, about string) *group {
	return &group{Group: lab.Group{Name: name, About: about}, suite: b}
}

// input returns the path of a file that the group reads.
func (b *suite) input(kind string, amount int) string {
	in := input{kind, amount, filepath.Join(b.files, fmt.Sprintf("%s-%d", kind, amount))}
	b.inputs = append(b.inputs, in)
	return in.path
}

// The names of our programs.
const (
	oneProcess = "Active Pebbles"
	processes  = "Active Pebbles, 2 processes"
)

// add adds a program, by its line, if everything in needs exists: names in PATH, or files. Our programs come first, and
// the others are compared with the first.
func (g *group) add(who, line string, needs ...string) { g.addWith(who, line, "", needs...) }

// addWith is add for a line with further commands that select the result from the output, and clean up.
func (g *group) addWith(who, line, rest string, needs ...string) {
	for _, need := range needs {
		if _, err := exec.LookPath(need); err != nil {
			if _, err := os.Stat(need); err != nil {
				g.leaveOut(who, need)
				return
			}
		}
	}
	typed := strings.NewReplacer(g.files+"/", "", g.programs+"/", "", "|", `\|`).Replace(line)
	c := lab.Case{
		Name: g.Name + ": " + who, Args: []string{g.self, "time", "-line", line + rest}, Line: typed,
		Field: "seconds", Unit: "s", Lower: true, Work: g.Name,
	}
	if g.out != "" {
		c.Args = append(c.Args, "-sum", g.out)
	}
	if len(g.Cases) > 0 {
		c.Against = g.Cases[0].Name
	}
	g.Add(c)
}

// leaveOut reports a program that lacks a requirement.
func (g *group) leaveOut(who, need string) {
	fmt.Fprintf(g.leftOut, "LEFT OUT: %s, %s: there is no %s: run `make -C lab data-tools` as root\n", g.Name, who,
		filepath.Base(need))
}

// ours adds a program of ours, with ranks in one process and with two processes.
func (g *group) ours(line string) {
	program, rest, _ := strings.Cut(line, " ")
	path := filepath.Join(g.programs, program)
	g.add(oneProcess, path+" "+rest)
	g.add(processes, filepath.Join(g.programs, "pebbles")+" run -n 2 -- "+path+" "+rest)
}

// duckDB adds a query.
func (g *group) duckDB(format, query string) {
	modules := filepath.Join(g.programs, "duckdb/node_modules")
	g.add("DuckDB", fmt.Sprintf("THREADS=2 MODULES=%s FORMAT='%s' node %s/duckdb.cjs \"%s\"", modules, format, g.programs,
		query), "node", modules)
}

func (b *suite) wordCount() lab.Group {
	g := b.group("Word count", fmt.Sprintf("The 10 most frequent words of %s bytes of text, whose words are as "+
		"frequent as Zipf's law says, of a vocabulary of a million.", lab.Grouped(b.words)))
	in := b.input("words", b.words)
	const top = `LC_ALL=C sort -k1,1nr -k2 | sed -n 1,10p`
	g.ours("topwords " + in)
	g.add("mawk", fmt.Sprintf(`mawk '{for (i = 1; i <= NF; i++) n[$i]++} `+
		`END {for (w in n) printf "%%8d %%s\n", n[w], w}' %s | %s`, in, top), "mawk")
	g.add("sort and uniq", fmt.Sprintf(`tr -s ' ' '\n' <%s | LC_ALL=C sort --parallel=2 -S 40%% | uniq -c | `+
		`mawk '{printf "%%8d %%s\n", $1, $2}' | %s`, in, top), "mawk")
	g.duckDB("%1 %2", fmt.Sprintf("SELECT lpad(count(*)::VARCHAR, 8, ' '), w "+
		"FROM (SELECT unnest(string_split(line, ' ')) w "+
		"FROM read_csv('%s', columns = {'line': 'VARCHAR'}, header = false, delim = ',', quote = '', escape = '')) "+
		"WHERE w <> '' GROUP BY w ORDER BY count(*) DESC, w LIMIT 10", in))
	return g.Group
}

func (b *suite) kmerCount() lab.Group {
	g := b.group("k-mers", fmt.Sprintf("How many canonical 31-mers there are, and how many distinct ones, in reads of "+
		"100 bases that cover a genome of %s bases 20 times, as FASTA. Ours checks its counts as well.",
		lab.Grouped(b.bases)))
	in, out := b.input("reads", b.bases), filepath.Join(b.files, "counted")
	clean := fmt.Sprintf("; status=$?; rm -rf %s*; exit $status", out)
	ours := filepath.Join(b.programs, "pebbles") + " kmers " + in + " --json"
	const pick = ` | jq -r '"\(.distinct) \(.kmers)"'`
	g.addWith(oneProcess, ours, pick, "jq")
	g.addWith(processes, ours+" --procs 2", pick, "jq")
	g.addWith("jellyfish",
		fmt.Sprintf("jellyfish count -m 31 -C -s 100M -t 2 -o %s %s && jellyfish stats %s", out, in, out),
		` | mawk '/Distinct/ {d = $2} /Total/ {print d, $2}'`+clean, "jellyfish", "mawk")
	g.addWith("kmc", fmt.Sprintf("mkdir %s.d && kmc -k31 -fa -ci1 -cs1000000000 -t2 -m8 %s %s %s.d", out, in, out, out),
		` | mawk '/unique counted/ {d = $NF} /Total no. of k-mers/ {print d, $NF}'`+clean, "kmc", "mawk")
	return g.Group
}

func (b *suite) sortNumbers() lab.Group {
	g := b.group("Sort numbers", fmt.Sprintf("%s random numbers below 2^64, a line each, from a file to a file. Ours "+
		"checks its result as well.", lab.Grouped(b.numbers)))
	return g.sorts(b.input("numbers", b.numbers), "--numeric ", "-n ")
}

func (b *suite) sortLines() lab.Group {
	g := b.group("Sort lines", fmt.Sprintf("%s lines of 10 to 90 letters, by their bytes, from a file to a file. Ours "+
		"checks its result as well.", lab.Grouped(b.lines)))
	return g.sorts(b.input("lines", b.lines), "", "")
}

func (g *group) sorts(in, ours, theirs string) lab.Group {
	g.out = filepath.Join(g.files, "sorted")
	line := fmt.Sprintf("%s/pebbles sort %s%s --output %s", g.programs, ours, in, g.out)
	g.add(oneProcess, line)
	g.add(processes, line+" --procs 2")
	g.add("sort", fmt.Sprintf("LC_ALL=C sort %s--parallel=2 -S 40%% -o %s %s", theirs, g.out, in))
	return g.Group
}

func (b *suite) joinFiles() lab.Group {
	g := b.group("Join files", fmt.Sprintf("The cents of %s orders by the country of the customer, of whom there are "+
		"%s, from two CSV files.", lab.Grouped(b.orders), lab.Grouped(b.customers)))
	orders, customers := b.input("orders", b.orders), b.input("customers", b.customers)
	g.ours(fmt.Sprintf("joined -orders %s -customers %s", orders, customers))
	g.duckDB("%1,%2", fmt.Sprintf("SELECT country, sum(cents) FROM read_csv('%s') JOIN read_csv('%s') ON customer = name "+
		"GROUP BY country ORDER BY country", orders, customers))
	return g.Group
}

// joinRows compares only joins. Rows are random, and differ between the programs.
func (b *suite) joinRows() lab.Group {
	g := b.group("Join rows", fmt.Sprintf("%s rows with %s, which are in memory: the time of the join alone, with a sum "+
		"over its results.", lab.Grouped(b.orders), lab.Grouped(b.customers)))
	join := lab.Case{Field: "seconds", Unit: "s", Lower: true}
	add := func(who, line string, args ...string) {
		c := join
		c.Name, c.Line, c.Args = g.Name+": "+who, line, args
		if len(g.Cases) > 0 {
			c.Against = g.Cases[0].Name
		}
		g.Add(c)
	}
	line := fmt.Sprintf("pebbles join --left %d --right %d --json", b.orders, b.customers)
	add(oneProcess, line, strings.Fields(filepath.Join(b.programs, line))...)
	add(processes, line+" --procs 2", strings.Fields(filepath.Join(b.programs, line)+" --procs 2")...)
	modules := filepath.Join(b.programs, "duckdb/node_modules")
	if _, err := os.Stat(modules); err != nil {
		g.leaveOut("DuckDB", modules)
		return g.Group
	}
	query := "SELECT count(*), bit_xor(xor(l.payload, r.payload)) FROM l JOIN r USING (key)"
	table := func(name string, rows, salt int) string {
		return fmt.Sprintf("CREATE TABLE %s AS SELECT hash(i + %d) %% %d AS key, hash(i - %d) AS payload "+
			"FROM range(%d) t(i)", name, salt, b.customers, salt+1, rows)
	}
	add("DuckDB", "node duckdb.cjs: "+query, "env", "THREADS=2", "MODULES="+modules, "node",
		filepath.Join(b.programs, "duckdb.cjs"), query, table("l", b.orders, 1), table("r", b.customers, 2))
	return g.Group
}
