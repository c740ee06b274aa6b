package verifiers

// catalogue is faults of the runtime, a line or two each, and the test that finds each one. They are chosen where a fault would be silent: a promise that
// holds all the same in most jobs.
var catalogue = []mutation{
	// Tasks.
	{"a task is stolen twice", "task/kind.go", "\tk.first += n\n\tk.s.queued -= n\n", "\tk.first += n - n/4\n\tk.s.queued -= n - n/4\n", "TestTreesAreSearchedOnce"},
	{"a wake-up ahead of its time is lost", "task/wait.go", "\tt.w.permit = true\n", "", "TestWakeUpsAreNotLost"},
	{"a task that has ended is woken", "task/wait.go", "case t.w.task != t.number:\n", "case t.w.task > t.number+1<<40:\n", "TestWakeUpsOfTasksThatHaveEnded"},
	{"nobody gives tasks to thieves", "task/thief.go", "if k.spare() > 1 {", "if k.spare() > 1<<30 {", "TestWorkIsShared"},
	{"a lifeline is used once", "task/thief.go", "t.lines[bits.TrailingZeros(uint(from^t.s.rank.ID()))] = false", "_ = from", "TestLifelinesServeAgain"},
	{"a thief that found nothing is forgotten", "task/thief.go", "t.waits = append(t.waits, p.From)", "_ = p", "TestLifelines"},
	{"the last piece of a loop is too long", "task/loop.go", "from += min(grain, to-from)", "from += grain", "TestLoopsOfARank"},
	{"a loop loses an iteration at each split", "task/loop.go", "l.kind.Spawn(span{r.From + n/2, r.To})", "l.kind.Spawn(span{r.From + n/2 + 1, r.To})", "TestLoopsOfAllRanks"},
	{"tasks that wait for ever are no error", "task/scheduler.go", "if s.waiting == 0 && s.fresh.size+s.queued == 0 {", "if s.fresh.size+s.queued == 0 {", "TestTasksThatWaitForEver"},
	{"a gate closes again", "task/wait.go", "\tg.open = true\n", "", "TestTasksTakeTurns"},
	{"a group does not wait for its last task", "task/wait.go", "if g.left--; g.left > 0 {", "if g.left--; g.left > 1 {", "TestGroupsWaitForTheLast"},
	{"a wake-up outlives its task", "task/worker.go", "\t\t\tw.permit = false\n", "", "TestWakeUpsOfTasksThatHaveEnded"},
	{"tasks never yield to new ones", "task/scheduler.go", "(s.picks%freshEach != 0 || !s.mayBegin())", "true", "TestYieldLetsTasksBegin"},

	// Memory.
	{"a view of all new elements is not written back", "memory/view.go", "if c.mode != ReadOnly {", "if c.mode == ReadWrite {", "TestViews"},
	{"a view shows what another one held", "memory/view.go", "\t\tclear(v.all)\n", "\t\t_ = v.all\n", "TestViewsForWritingAreEmpty"},
	{"a swap answers with the new value", "memory/word.go", "return T(atomic.SwapUint64(near, uint64(v)))", "atomic.SwapUint64(near, uint64(v))\n\t\treturn v", "TestWordsAnswer"},
	{"a comparison that failed counts as done", "memory/word.go", "comparing, uint64(old), uint64(v)) == old", "comparing, uint64(old), uint64(v)) != v", "TestWordsAnswer"},
	{"a freed object is still found", "memory/object.go", "\ts.directory.drop(h)\n", "", "TestObjects"},
	{"an object is freed by a reference of another type", "memory/object.go", "case o.kind != s.kind(reflect.TypeFor[T]()):", "case false:", "TestObjectsAreFreedByTheirType"},
	{"a put of as many bytes as a question carries is lost", "memory/question.go", "if len(x.buf) <= inlineBytes {\n\t\t\tcopy(", "if len(x.buf) < inlineBytes {\n\t\t\tcopy(", "TestElementsOfAQuestionsSize"},
	{"what is waited for twice is waited for", "memory/space.go", "if p.w.use != p.use || p.w.waits {", "if p.w.waits {", "TestMistakesAreTold"},
	{"a range goes on at the wrong rank of a heap", "memory/single.go", "return d.each - key%d.each", "return d.Len() - key", "TestRangesOfHeaps"},
	{"a fence counts accesses that came after it", "memory/question.go", "if f.number > after {", "if f.number >= after {", "TestFencesCountWhatCameBefore"},
	{"a cached address outlives its object", "memory/question.go", "return key == uint64(h)", "return false", "TestObjects"},
	{"an addition to a near word is lost for its sender", "memory/word.go", "\t\tatomic.AddUint64(near, uint64(n))\n\t\treturn\n", "\t\treturn\n", "TestWordsAnswer"},

	// Exposed memory.
	{"memory is given out with what it held", "internal/exposed/owner.go", "\t\to.own.drop(t.span) // whoever was in it may have written after the first time\n", "", "TestMemoryIsNotGivenOutWhileSomebodyIsInIt"},
	{"a key is given out twice", "internal/exposed/owner.go", "\tt.turn++\n", "\tt.turn = 1\n", "TestMemoryIsNotGivenOutWhileSomebodyIsInIt"},
	{"memory is given out with a user in it", "internal/exposed/owner.go", "if s.users[i].at.Load() == here {", "if i == 0 && s.users[i].at.Load() == here {", "TestMemoryIsNotGivenOutWhileSomebodyIsInIt"},
	{"a read may go beyond the end", "internal/exposed/segment.go", "n > bytes-p.Offset", "n > bytes", "TestCopies"},
	{"memory of a lost process is read", "internal/exposed/segment.go", "if s.lost.Load() {", "if false {", "TestMemoryIsNotGivenOutWhileSomebodyIsInIt"},
	{"who leaves is not told of a withdrawal", "internal/exposed/segment.go", "if s.entries[uint32(p.Key)].key.Load() != p.Key {", "if false {", "TestLeavingTellsOfWithdrawal"},
	{"an addition answers with the sum", "internal/exposed/access.go", "atomic.AddUint64(at, n) - n", "atomic.AddUint64(at, n)", "TestCopies"},
	{"free parts are not joined", "internal/exposed/owner.go", "if i > 0 && (*all)[i-1].to == s.from {", "if i < 0 {", "TestSpans"},
	{"withdrawn memory is withdrawn again", "internal/exposed/owner.go", "case turn < t.turn || !t.live:", "case turn < t.turn:", "TestWithdrawnAtOnce"},
	{"withdrawn memory was never exposed", "internal/exposed/segment.go", "if p.Key <= e.last.Load() {", "if p.Key < e.last.Load() {", "TestWithdrawnAtOnce"},

	// Tables of addresses.
	{"a table has room for one more", "internal/addresses/table.go", "t.live == t.room", "t.live > t.room", "TestTableIsLikeAMap"},
	{"a new map begins empty", "internal/addresses/table.go", "\t\t\tm.Set(key, v)\n", "", "TestTableIsLikeAMap"},
	{"what is taken out keeps its room", "internal/addresses/table.go", "\t\tt.live--\n", "", "TestTableIsLikeAMap"},
	{"a key gets another value", "internal/addresses/cache.go", "if c.Get(key) != nil {", "if false {", "TestCacheForgetsTheOldest"},
	{"the first entry is never dropped", "internal/addresses/cache.go", "if key != 0 && bad(key) {", "if i > 0 && key != 0 && bad(key) {", "TestCacheForgetsTheOldest"},

	// Fabrics.
	{"a damaged packet is taken", "netio/ofi/packet.go", "if binary.LittleEndian.Uint32(packet[8:]) != crc32.Checksum(packet[12:], castagnoli) {", "if false {", "TestPacket"},
	{"a packet of another job is taken", "netio/ofi/packet.go", " || binary.LittleEndian.Uint64(packet) != token {", " {", "TestPacket"},
	{"what was taken is not told", "netio/ofi/packet.go", "\tbinary.LittleEndian.PutUint32(packet[36:], h.taken)\n", "", "TestHeads"},
	{"one packet more than the bound is under way", "netio/ofi/receives.go", "int(a.sent-a.gone)+1+after <= a.there", "int(a.sent-a.gone)+after <= a.there", "TestAllowance"},
	{"counts of packets must not wrap", "netio/ofi/receives.go", "if int32(gone-a.gone) > 0 {", "if gone > a.gone {", "TestAllowance"},
	{"a lock that was given up is given back", "netio/ofi/lock.go", "\t\tif s&lockGivenUp != 0 {\n\t\t\treturn\n\t\t}\n", "", "TestLockIsGivenUp"},
	{"a lock is given up that another one has", "netio/ofi/lock.go", "s/lockTurn != turn || ", "", "TestLockIsGivenUp"},
	{"links that send nothing count as senders", "netio/ofi/preposted.go", "if senders[l.place.Process] {", "if senders[l.place.Process] || true {", "TestPreposted"},
	{"more is exposed than may be pinned", "netio/ofi/lease.go", "int64(bytes) > left {", "int64(bytes) > left+1<<40 {", "TestExposeBeyondPinned"},

	// How processes meet.
	{"a process tells of others' children", "internal/bootstrap/message.go", "case !t.below(m.Number, process):", "case false:", "TestBadReports"},
	{"a process counts twice", "internal/bootstrap/message.go", "case seen[m.Number]:", "case false:", "TestBadReports"},
	{"a card that others may change is read", "internal/bootstrap/folder.go", "info.Mode().Perm()&0o077 != 0 || ", "", "TestFoldersThatDoNotServe"},
	{"a card is left over another one", "internal/bootstrap/folder.go", "|os.O_EXCL", "", "TestFoldersThatDoNotServe"},
	{"a card is read through a link", "internal/bootstrap/folder.go", "|syscall.O_NOFOLLOW", "", "TestCardsBehindLinks"},
	{"a job has fewer ranks than processes", "internal/bootstrap/job.go", "case j.Ranks < processes:", "case false:", "TestBadReports"},
	{"two processes have one number", "internal/bootstrap/meeting.go", "case m.children[child] != nil:", "case false:", "TestTwoProcessesOfOneNumber"},
	{"a secret that all know is sent", "internal/bootstrap/meeting.go", "\tif m.secret != nil {\n\t\tv.Secret = nil\n\t}\n", "", "TestSecretsThatAreKnownAreNotSent"},

	// Launching.
	{"a group may write the secret", "launch/secret.go", "case mode&0o037 != 0,", "case mode&0o017 != 0,", "TestReadersOfTheSecret"},
	{"children get the variables of the job", "launch/environment.go", "\t\t\tos.Unsetenv(name)\n", "", "TestJoinTakesTheVariables"},
	{"a wrong secret is shown", "launch/secret.go", "fmt.Errorf(\"it is not %d hexadecimal digits\", 2*secretBytes)", "fmt.Errorf(\"%q is not %d hexadecimal digits\", text, 2*secretBytes)", "TestWrongSecretsAreNotShown"},
	{"who complains is accused", "launch/blame.go", "weight[c.by] -= len(heard)", "weight[c.by] += len(heard)", "TestComplaintsNameWhoSaysNothing"},
	{"who was ended by the launcher is blamed", "launch/blame.go", "return e.failedItself() && !e.signalled }", "return e.failedItself() }", "TestBlameFindsTheFirstCause"},
	{"a range of hosts may lose digits", "launch/hosts.go", "case last < first || len(high) < len(low):", "case last < first:", "TestListsOfHostsThatAreWrong"},
	{"a host's name is an option of ssh", "launch/hosts.go", "name == \"\" || name[0] == '-' || ", "name == \"\" || ", "TestListsOfHostsThatAreWrong"},
	{"a job of one task waits for others", "launch/detect.go", "case t.processes == 1:\n\t\t\treturn nil, errNoTask\n", "", "TestDetection"},
	{"two runs of a job meet in one folder", "launch/detect.go", "os.Getenv(\"SLURM_RESTART_COUNT\")", "\"\"", "TestNamesOfJobsDiffer"},
	{"a follower ends as if it had failed", "launch/status.go", "errors.Is(err, ErrElsewhere), ", "", "TestStatusOf"},
	{"a crowd begins one process late", "launch/crowd.go", "s.Processes < crowdMin*runtime.NumCPU()", "s.Processes <= crowdMin*runtime.NumCPU()", "TestCrowd"},
	{"a job begins with processes missing", "launch/messages.go", "len(d.Addresses) != processes", "len(d.Addresses) > processes", "TestBadMessagesAreRefused"},
}
