package verifiers

// upper is faults of what is above the runtime, as those of the catalogue.
var upper = []mutation{
	// Containers.
	{"a bag keeps one element too many on each rank", "container/bag.go", "before += max(0, n-due(rank))",
		"before += max(0, n-due(rank)-1)", "TestBalance"},
	{"a key that is deleted takes one of its values along", "container/multimap.go", "m.len -= len(m.LocalValues(k))",
		"m.len -= min(1, len(m.LocalValues(k)))", "TestDeletedKeysTakeTheirValuesAlong"},
	{"runs are not merged in order", "container/table.go", "\t\t\t\theap.Fix(&order, 0)\n", "", "TestSortIsTheSerialOne"},
	{"the last entries of a file are not loaded", "container/persist.go",
		"\t\tinto.load(batch)\n\t\tif err := in.Err()", "\t\tif err := in.Err()",
		"TestSavedContainersAreLoadedByAnyNumberOfRanks"},
	{"an insertion takes the place of what is there", "container/map.go",
		"\t\t\tif added {\n\t\t\t\t*v = e.Value\n\t\t\t}\n\t\t})", "\t\t\t*v = e.Value\n\t\t})", "TestMapIsGosMap"},
	{"a spilled block is not checked", "container/internal/runs/runs.go",
		"crc32.Checksum(room.Bytes(), castagnoli) != sum", "sum == 0 && m < 0", "TestDamageIsTold"},

	// Applications.
	{"the two rows of an edge need not agree", "ingest/graphcheck.go", " || c.Unpaired != 0:", ":", "TestDamagedGraphs"},
	{"an id that no edge names is a vertex", "apps/distgraph/source.go", "if !known || !also {",
		"if false {", "TestFileChanges"},
	{"an isolated vertex is numbered behind the others", "apps/distgraph/roll.go", "isID && id < c.dense {",
		"isID && id > c.dense {", "TestIDsTwin"},
	{"labels are in the order of memory", "apps/distgraph/labels.go", "g.First + g.part.Place(uint64(number))",
		"g.First + uint64(number)", "TestLabels"},
	{"the next rank's first vertex is no ghost", "apps/distgraph/ghosts.go", "if head-first >= local {",
		"if head-first > local {", "TestGhosts"},
	{"pebbles that were altered are those that were sent", "apps/tally.go", "case merged == 0 && t.Sum != 0:",
		"case merged == 0 && t.Sum != 0 && t.Misplaced > 0:", "TestReportHoldsTalliesAgainstCounters"},
	{"a tree is cut below its end", "apps/uts/tree.go", "case depth < 1 || depth > t.Depth:", "case depth < 1:",
		"TestTrees"},
	{"rows of one rank alone are counted", "apps/table/sorting.go", "Seen{s.Count + o.Count,",
		"Seen{max(s.Count, o.Count),", "TestEachRule"},
	{"a zero byte ends a key", "apps/table/key.go", "key = append(key, 0xff^flip)", "_ = flip", "TestKeys"},
	{"a number loses its exponent", "apps/table/number.go", "int64(n.exponent)+by", "int64(n.exponent)", "TestNumbersInOrder"},
	{"the first row of a rank is kept always", "apps/sort/sorter.go", "ahead, any, err := s.ahead()",
		"ahead, any, err := \"\", false, error(nil)", "TestGNUSort"},
	{"a word that is alone is forgotten", "apps/words/text.go", "if len(s.words) > 0 {", "if len(s.words) > 1 {",
		"TestSplitterIsFields"},

	// The command.
	{"an answer has no bound", "cmd/internal/command/top_fetch.go", "len(text) > answerMost {",
		"len(text) > answerMost+1 {",
		"TestHostileServers"},
	{"the lines of process 0 are marked", "cmd/internal/command/prefix.go", "if p.Process == 0 {", "if p.Process < 0 {",
		"TestMarked"},
	{"a long time is told in hours", "cmd/internal/command/bar.go", "if seconds > 2*day {", "if seconds > 1e30*day {",
		"TestBarText"},
	{"a number may be below its least", "cmd/internal/command/values.go", "values.Count(text, c.least)",
		"values.Count(text, -9)", "TestCount"},
}
