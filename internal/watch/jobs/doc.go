// Package jobs lists the jobs that this user runs on this host. Process 0 of a job announces it: it writes a file with
// the address of the job's page and its token into a folder that no other user can open. The file is removed at the end
// of the job. If a job could not remove its file, readers notice that its process is gone.
//
// The folder is pebbles in XDG_RUNTIME_DIR if that is private to this user, else pebbles/jobs in the user's cache
// folder. The number and the start time identify a process, so a later process with the same number is not taken for
// the job. Files of other hosts and of other containers, where the folder is shared, stay.
package jobs
